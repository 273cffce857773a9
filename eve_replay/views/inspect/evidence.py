"""Evidence as rows with keys to jump to: every statement about execution can be checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eve_replay.ids import short_id
from eve_replay.journal import Evidence
from eve_replay.views.kit.base import View, event_key, step_key
from eve_replay.views.kit.safe import safe_text

__all__ = ["EvidenceRow", "evidence_rows"]

_WORDS = {
    "event": "log event",
    "record": "record",
    "chunk": "stream event",
    "payload": "payload",
    "attribute": "attribute",
    "mark": "lock file",
    "rule": "rule",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRow(View):
    """One piece of evidence.

    Attributes:
        about: the statement it supports.
        certainty: observed, implied or unknown.
        kind: log event, stream event, record, payload, attribute, lock file or rule.
        id: whole id; ``short`` for a table.
        path: JSON path inside it, empty for the whole.
        note: a few words.
        key: where the cursor can go to see it, empty when it is not a moment or a thing of the session.
    """

    about: str
    certainty: str
    kind: str
    id: str
    short: str
    path: str = ""
    note: str = ""
    key: str = ""


def evidence_rows(about: str, certainty: str, evidence: Iterable[Evidence]) -> tuple[EvidenceRow, ...]:
    """Return the evidence of one statement, each piece once."""
    rows = {}
    for each in evidence:
        rows[each.kind, each.id, each.run_id, each.path] = EvidenceRow(
            about=about,
            certainty=certainty,
            kind=_WORDS.get(each.kind, each.kind),
            id=safe_text(each.id),
            short=safe_text(each.id if each.kind == "rule" else short_id(each.id)),
            path=safe_text(each.path),
            note=safe_text(each.note),
            key=_key(each),
        )
    return tuple(rows.values())


def _key(evidence: Evidence) -> str:
    if evidence.kind == "event":
        return event_key(evidence.run_id, evidence.id)
    if evidence.kind == "chunk":
        return f"chunk:{evidence.id}"
    if evidence.kind == "record" and evidence.id.startswith("step_"):
        return step_key(evidence.run_id, evidence.id)
    if evidence.kind == "record" and evidence.id.startswith("wrun_"):
        return f"run:{evidence.id}"
    return ""
