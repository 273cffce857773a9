"""Many sessions at once: all cores, an index of what was answered before, and the audit over many sources."""
