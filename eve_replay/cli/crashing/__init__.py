"""Commands of the section Crashing: what a crash would do."""
