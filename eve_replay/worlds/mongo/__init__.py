"""Exports of the MongoDB world."""
