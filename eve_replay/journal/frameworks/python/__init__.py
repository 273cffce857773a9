"""The Python SDK: plain runs on the same log, told by their empty deployment id."""
