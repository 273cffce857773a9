"""The version, alone in a file so that building and importing read the same line."""

__version__ = "0.2.0"
