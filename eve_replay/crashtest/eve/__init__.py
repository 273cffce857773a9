"""An eve app under test: its built server, over its own HTTP channel."""
