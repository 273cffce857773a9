"""Dumps of MySQL, MariaDB and SQLite, read without a server and without executing anything of them."""
