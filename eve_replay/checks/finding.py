"""What a check says: findings of the doctor, verdicts of the post-mortem."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from eve_replay.brief import Brief
from eve_replay.journal.effects.judge import HARMFUL, RANKS, Judgement
from eve_replay.journal.model import Certainty, Evidence
from eve_replay.problems import Problem, Severity

__all__ = ["SEVERITY_RANK", "VERDICT_RANK", "Finding", "Verdict", "VerdictCode"]

SEVERITY_RANK: dict[str, int] = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Finding(Brief):
    """One thing the doctor found.

    Attributes:
        code: stable machine word, for example ``wedged-f1``.
        severity: ``error`` (harm, or the run cannot go on), ``warning`` (doubtful), ``info`` (worth knowing).
        where: file, event id, step id or run id a person can look up.
        sentence: what is there.
        why: why it matters: what the runtime does, or what a reader must not conclude.
        fix: what to do; hand repairs are described here and never done.
        run_id, session_id: whom it concerns, empty for the world as a whole.
        evidence: where it can be checked.
    """

    code: str
    severity: Severity
    where: str
    sentence: str
    why: str = ""
    fix: str = ""
    run_id: str = ""
    session_id: str = ""
    evidence: tuple[Evidence, ...] = field(default=(), repr=False)

    @classmethod
    def of_problem(cls, problem: Problem, *, session_id: str = "") -> Finding:
        """Return what a reader or a join noticed as a finding, so that nothing is passed over in silence."""
        return cls(
            code=problem.code,
            severity=problem.severity,
            where=problem.where,
            sentence=problem.message,
            fix=problem.hint,
            session_id=session_id,
        )

    def to_json(self) -> dict[str, object]:
        """Return the entry of ``findings``, see docs/json.md (with ``runId`` and ``sessionId`` added)."""
        return {
            "code": self.code,
            "severity": self.severity,
            "where": self.where,
            "sentence": self.sentence,
            "why": self.why,
            "fix": self.fix,
            "runId": self.run_id,
            "sessionId": self.session_id,
        }


VerdictCode = Literal[
    "ran-twice",
    "may-have-run-twice",
    "asked-otherwise",
    "repeats-without-end",
    "doubled-child",
    "hidden-execution",
    "two-processes",
    "wedged",
    "stuck",
    "will-fail",
    "failed-run",
    "corrupted-event-log",
    "two-processes",
    "stranded",
    "retired",
    "left-behind",
    "unread-answer",
    "lost-answer",
    "late-answer",
    "lost-delivery",
    "overdue",
    "dormant",
    "leased",
    "running",
    "interrupted",
    "between-steps",
    "failed-turn",
    "cancelled-turn",
    "cancelled-run",
    "held",
    "parked",
    "repeat-absorbed",
    "re-executed",
    "half-written",
    "no-log",
    "purged-child",
    "purged",
    "completed",
    "idle",
]

#: Harm that goes on while somebody reads about it.
_GOES_ON = frozenset({"repeats-without-end"})
#: Where verdicts that are about no effect stand among the judge's ranks: after what may be harm.
_BESIDE_EFFECTS = max(RANKS[code] for code in HARMFUL) + 0.5

#: Worst first: harm that happened, harm that goes on, what needs a person, what goes on by itself, what is
#: well.
VERDICT_RANK: dict[str, int] = {
    code: rank
    for rank, code in enumerate(VerdictCode.__args__)  # type: ignore[attr-defined]
}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verdict(Brief):
    """One sentence of a post-mortem.

    Attributes:
        code: see ``VerdictCode``.
        sentence: who, what, when and how we know, one or two sentences.
        certainty: observed, implied or unknown.
        evidence: where it can be checked.
        next: the next safe step, one sentence; empty when there is nothing to do.
        severity: how bad it is: ``error``, ``warning`` or ``info``.
        turn_id, run_id, step_id, tool: what it is about, empty where it does not apply.
        call_ids: tool calls it names.
        judgement: what the judge says of the effect it is about, None when it is about something else.
        lease_until: end of the assumed lease of the start it is about, None where none holds or held.
    """

    code: VerdictCode
    sentence: str
    certainty: Certainty
    evidence: tuple[Evidence, ...] = ()
    next: str = ""
    severity: Severity = "info"
    turn_id: str = ""
    run_id: str = ""
    step_id: str = ""
    tool: str = ""
    call_ids: tuple[str, ...] = ()
    judgement: Judgement | None = None
    lease_until: datetime | None = None

    @property
    def order(self) -> tuple[int, float, int]:
        """Sort key, worst first: how bad, then what goes on before what is over, then the judge's rank.

        An unprotected charge stands above a keyed mail, and what is open between the two.
        """
        rank = self.judgement.rank if self.judgement is not None else _BESIDE_EFFECTS
        return (SEVERITY_RANK[self.severity], -1 if self.code in _GOES_ON else rank, VERDICT_RANK[self.code])

    def to_json(self) -> dict[str, object]:
        """Return the entry of ``verdicts`` (with fields added), see docs/json.md."""
        out: dict[str, object] = {
            "code": self.code,
            "sentence": self.sentence,
            "certainty": self.certainty,
            "evidence": [evidence_json(item) for item in self.evidence],
            "severity": self.severity,
        }
        if self.next:
            out["next"] = self.next
        for name, value in (
            ("turnId", self.turn_id),
            ("runId", self.run_id),
            ("stepId", self.step_id),
            ("tool", self.tool),
        ):
            if value:
                out[name] = value
        if self.judgement is not None:
            out["judgement"] = self.judgement.code
        if self.call_ids:
            out["callIds"] = list(self.call_ids)
        return out


def evidence_json(item: Evidence) -> dict[str, str]:
    """Return one piece of evidence as JSON; empty parts are left out."""
    parts = {"kind": item.kind, "id": item.id, "runId": item.run_id, "path": item.path, "note": item.note}
    return {name: value for name, value in parts.items() if value}
