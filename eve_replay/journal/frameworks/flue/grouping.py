"""Conversations grouped: a root conversation owns its instance, delegated ones hang below it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from eve_replay.journal.model import SessionHead
from eve_replay.records import RunRecord

__all__ = ["Conversations"]


class Conversations:
    """The grouping of Flue's records; see :class:`~eve_replay.journal.frameworks.base.Grouping`."""

    def __init__(self, records: Iterable[RunRecord]) -> None:
        self.records: Mapping[str, RunRecord] = {record.run_id: record for record in records}
        self._root = {run_id: self._find(run_id) for run_id in self.records}
        below: dict[str, list[str]] = {}
        for run_id, root in self._root.items():
            if run_id != root:
                below.setdefault(root, []).append(run_id)
        self.heads: Mapping[str, SessionHead] = {
            run_id: _head(self.records[run_id], sorted(below.get(run_id, ())))
            for run_id, root in self._root.items()
            if run_id == root
        }

    def session_of(self, run_id: str) -> str:
        """Return the root conversation of a conversation."""
        return self._root[run_id]

    def waits(self, session_id: str) -> bool:
        """Return whether the conversation names a parent that has not been read."""
        parent = self.records[session_id].attribute("$parentRunId")
        return parent is not None and parent not in self.records

    def _find(self, run_id: str) -> str:
        seen: set[str] = set()
        while run_id not in seen:
            seen.add(run_id)
            parent = self.records[run_id].attribute("$parentRunId")
            if parent is None or parent not in self.records:
                return run_id
            run_id = parent
        return run_id


def _head(record: RunRecord, below: list[str]) -> SessionHead:
    agent = record.attribute("$flue.agent") or "agent"
    instance = record.attribute("$flue.instance") or ""
    first = " ".join((record.attribute("$flue.first") or "").split())
    name = f"{agent}/{instance}" if instance else agent
    return SessionHead(
        id=record.run_id,
        kind="session",
        run_ids=(record.run_id,),
        child_ids=tuple(below),
        status=record.status,
        title=f"{name}: {first}" if first else name,
        created_at=record.created_at,
        updated_at=record.time("updatedAt"),
        framework="flue",
    )
