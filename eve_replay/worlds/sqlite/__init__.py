"""Worlds in an SQLite file: Turso and libSQL, Durable Objects of the local simulator, one's own."""
