"""Durable Objects as the local simulator keeps them: one SQLite file per object."""
