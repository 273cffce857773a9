"""What pg_dump writes, read without a server."""
