"""Flue's sessions for the engine: every record is a crash point, every call has a stage of its own."""
