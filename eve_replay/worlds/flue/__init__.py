"""Flue's stores: conversations as append-only record streams, submissions as rows (docs/formats/flue.md)."""
