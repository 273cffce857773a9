"""A live PostgreSQL database with the tables of the Postgres world."""
