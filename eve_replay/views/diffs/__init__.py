"""Differences of values, attempts and steps, as plain data."""
