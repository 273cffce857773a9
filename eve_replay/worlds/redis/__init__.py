"""The Redis world: a live server or an RDB file."""
