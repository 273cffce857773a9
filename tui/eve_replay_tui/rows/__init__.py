"""View-models as lines of text, laid out for a width: what the panes show."""
