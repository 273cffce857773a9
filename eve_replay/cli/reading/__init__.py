"""Commands of the section Reading: what is recorded."""
