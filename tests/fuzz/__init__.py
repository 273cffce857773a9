"""Bytes that nobody wrote, through everything that reads bytes: ``python -m tests.fuzz`` (see README.md)."""
