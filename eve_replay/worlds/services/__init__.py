"""Worlds in databases that are services: each is a store of tables or documents over its own client."""
