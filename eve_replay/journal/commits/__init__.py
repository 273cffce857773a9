"""In which half of a commit a run lies, and what that state means."""
