"""Crash points and what each would do, as plain data."""
