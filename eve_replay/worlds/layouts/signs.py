"""Stores that have a reader of their own, told by their tables: looking loads nothing of the reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["FLUE", "is_flue"]

_STREAMS, _BATCHES = "flue_conversation_streams", "flue_conversation_stream_batches"
#: What is read of a Flue store; the rest are caches and binary inputs.
FLUE = frozenset(
    {_STREAMS, _BATCHES, "flue_agent_submissions", "flue_meta", "flue_conversation_stream_batch_chunks"}
)


def is_flue(tables: Mapping[str, Sequence[str]]) -> bool:
    """Return whether these are the tables of a Flue store: its streams with their batches."""
    return _STREAMS in tables and _BATCHES in tables
