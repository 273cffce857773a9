"""Which runs make up which session, from run records alone: nothing is decoded, no event is read.

A session's id is the id of its first owning run. A compaction or deployment handoff names it in
``$eve.session``; eve 0.20 to 0.50 run every turn in a ``turnWorkflow`` of its own; timeouts, workflow
tools and subagents hang below by ``$parentRunId`` or, before that existed, ``$eve.parent``
(docs/evidence/observed.md#handoff, docs/formats/local.md#files).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from eve_replay.journal.frameworks.workflow.steps import is_runtime_module
from eve_replay.journal.model import RunRole, SessionHead, SessionKind
from eve_replay.records import RunRecord

__all__ = ["SessionMap", "parent_of", "role_of"]

_ROLES: dict[str, RunRole] = {
    "workflowEntry": "session",
    "turnWorkflow": "turn",
    "sessionTimeoutWorkflow": "timeout",
    "workflowToolRunWorkflow": "tool",
}


def role_of(record: RunRecord) -> RunRole:
    """Return what a run is for, by its workflow's name and, for unknown ones of eve, by its type."""
    workflow = record.workflow
    if not is_runtime_module(workflow.module):
        return "workflow"
    if (role := _ROLES.get(workflow.function)) is not None:
        return role
    kind = record.attribute("$eve.type")
    if kind in ("session", "subagent"):
        return "session"
    if kind == "turn":
        return "turn"
    return "tool" if parent_of(record) is not None else "workflow"


def parent_of(record: RunRecord) -> str | None:
    """Return the run that started this one, None for one that nothing in the journal started."""
    return record.attribute("$parentRunId") or record.attribute("$eve.parent")


class SessionMap:
    """Runs grouped into sessions."""

    def __init__(self, records: Iterable[RunRecord]) -> None:
        self.records = {record.run_id: record for record in records}
        self.roles = {run_id: role_of(record) for run_id, record in self.records.items()}
        self._parents = {run_id: parent_of(record) for run_id, record in self.records.items()}
        self._owner: dict[str, str] = {}
        for run_id in self.records:
            self._owner[run_id] = self._find(run_id)
        self.children: dict[str, list[str]] = defaultdict(list)
        for run_id, parent in self._parents.items():
            if parent is not None and parent in self.records:
                self.children[parent].append(run_id)
        self.heads = {head.id: head for head in self._make_heads()}

    def session_of(self, run_id: str) -> str:
        """Return the id of the session a run belongs to."""
        return self._owner[run_id]

    def waits(self, session_id: str) -> bool:
        """Return whether a run names another one as its session that has not been read."""
        record, role = self.records[session_id], self.roles[session_id]
        if role == "workflow":
            return False
        name = parent_of(record)
        if role == "session":
            typed = record.attribute("$eve.type") is not None
            name = record.attribute("$eve.session") or (None if typed else name)
        return name is not None and name not in self.records

    def _find(self, run_id: str) -> str:
        """Return the session id of one run, following parents; a missing parent ends the search."""
        seen: set[str] = set()
        while run_id not in seen:
            seen.add(run_id)
            record, role, parent = self.records[run_id], self.roles[run_id], self._parents[run_id]
            if role == "session":
                named = record.attribute("$eve.session")
                if named is not None and named in self.records:
                    return named
                # A successor that died before it wrote its attribute: it was started by an owning run and
                # has no type of its own. A subagent has one, and is started by a tool run.
                typed = record.attribute("$eve.type") is not None
                if typed or parent not in self.records or self.roles[parent] != "session":
                    return run_id
            elif role == "workflow" or parent is None or parent not in self.records:
                return run_id
            run_id = parent
        return run_id

    def _make_heads(self) -> Iterable[SessionHead]:
        members: dict[str, list[str]] = defaultdict(list)
        for run_id, owner in self._owner.items():
            members[owner].append(run_id)
        below: dict[str, list[str]] = defaultdict(list)
        parents: dict[str, str] = {}
        for owner in members:
            up = self._caller(owner)
            if up is not None and up != owner:
                parents[owner] = up
                below[up].append(owner)
        for owner, run_ids in members.items():
            run_ids.sort(key=lambda i: (i != owner, i))
            own = [i for i in run_ids if self.roles[i] in ("session", "turn") or i == owner]
            yield self._head(
                owner, own, [i for i in run_ids if i not in own], below[owner], parents.get(owner)
            )

    def _caller(self, owner: str) -> str | None:
        parent = self._parents[owner]
        if parent is None:
            return None
        for name in (self.records[owner].attribute("$eve.parent"), parent):
            if name is not None and name in self._owner:
                return self._owner[name]
        return None

    def _head(
        self, owner: str, own: list[str], below: list[str], subagents: list[str], parent: str | None
    ) -> SessionHead:
        first = self.records[owner]
        owners = [self.records[i] for i in own if self.roles[i] != "turn"] or [first]
        newest = owners[-1]
        role = self.roles[owner]
        kind: SessionKind = "workflow" if role != "session" else "session"
        if role == "session" and (first.attribute("$eve.type") == "subagent" or parent is not None):
            kind = "subagent"
        times = [self.records[i].time("updatedAt") or self.records[i].created_at for i in (*own, *below)]
        models = [m for i in own if (m := self.records[i].attribute("$eve.model")) is not None]
        node = first.attribute("$eve.subagent") or ""  # the node's path, like subagents/researcher
        title = first.attribute("$eve.title") or node.rpartition("/")[2]
        return SessionHead(
            id=owner,
            framework=_framework(first, role),
            kind=kind,
            run_ids=tuple(own),
            child_ids=tuple(below),
            subagents=tuple(sorted(subagents)),
            parent=parent,
            status=newest.status,
            title=title or first.workflow.function or owner,
            eve_version=_version(owners),
            model=models[-1] if models else None,
            created_at=first.created_at,
            updated_at=max((t for t in times if t is not None), default=None),
            purged=any(self.records[i].purged for i in own),
        )


def _framework(record: RunRecord, role: RunRole) -> str:
    """Return the framework's name: the Python SDK leaves the deployment id empty."""
    if role != "workflow":
        return "eve"
    return "python-sdk" if record.fields.get("deploymentId") == "" else "workflow-sdk"


def _version(owners: list[RunRecord]) -> str | None:
    for record in reversed(owners):
        if (version := record.attribute("$eve.version")) is not None:
            return version
    return None
