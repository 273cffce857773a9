"""Finding ids, names, text and paths."""
