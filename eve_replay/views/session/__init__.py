"""One session on a screen: tree, timeline, cursor, messages, effects."""
