"""Commands of the section Understanding: what happened, and why."""
