"""Commands of the section Sources: where journals come from."""
