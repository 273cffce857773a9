"""Worlds on a MySQL or MariaDB server."""
