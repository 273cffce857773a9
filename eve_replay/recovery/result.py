"""What a simulation or a forecast answers: frozen data, with the JSON of docs/json.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Literal

from eve_replay.brief import Brief
from eve_replay.journal.effects.executions import Executions
from eve_replay.journal.model import Certainty
from eve_replay.recovery.sentences import joined, paragraph
from eve_replay.times import iso

__all__ = [
    "Assumptions",
    "CrashPoint",
    "EffectVerdict",
    "Outcome",
    "Paid",
    "RuleUse",
    "Simulation",
    "StepVerdict",
    "Verdict",
]

#: What happens by itself once the process is back in the stated environment (docs/json.md).
Outcome = Literal["recovers", "needs-message", "needs-person", "hangs", "fails", "nothing-open"]
Verdict = Literal["replayed", "re-executed", "never-reached", "stuck"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CrashPoint(Brief):
    """One moment between two durable writes.

    Attributes:
        klass: the class, a stable word such as ``in-tool`` (see ``recovery.points``).
        label: the class in plain words, for example ``inside charge_card (send_email has returned)``.
        address: the newest write that is durable, in the form ``--after`` takes; empty before the first.
        before: the next write, in the form ``--before`` takes; empty after the last.
        at: time of the newest durable write, None when not recorded.
        position: place in the order of writes of the session, 0-based.
        number: its number among the points of its turn, from 1; what every list and figure shows, and what
            ``crash --point`` takes. The stable name is ``address``.
        certainty: ``observed`` when both neighbours are recorded in this order, ``implied`` when a
            neighbour or the order follows from the rules.
        happened, possible, not_yet: effects that had certainly, possibly, certainly not happened outside.
    """

    _told: ClassVar[tuple[str, ...]] = (
        "number",
        "klass",
        "label",
        "at",
        "certainty",
        "address",
    )

    klass: str
    label: str
    address: str = ""
    before: str = ""
    at: datetime | None = None
    position: int = -1
    number: int = 0
    certainty: Certainty = "implied"
    step_id: str | None = None
    run_id: str = ""
    happened: tuple[str, ...] = ()
    possible: tuple[str, ...] = ()
    not_yet: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Where the point is and what had happened outside by then."""
        parts = [f"{self.label[:1].upper()}{self.label[1:]}."]
        if self.happened:
            parts.append(f"Certainly done: {joined(self.happened)}.")
        if self.possible:
            parts.append(f"Possibly done: {joined(self.possible)}.")
        if self.not_yet:
            parts.append(f"Certainly not done: {joined(self.not_yet)}.")
        return " ".join(parts)

    def to_json(self) -> dict[str, object]:
        """Return, for docs/json.md, ``point`` (fields added)."""
        return {
            "class": self.klass,
            "address": self.address,
            "before": self.before,
            "at": iso(self.at),
            "label": self.label,
            "stepId": self.step_id,
            "runId": self.run_id,
            "position": self.position,
            "number": self.number,
            "certainty": self.certainty,
            "happened": list(self.happened),
            "possible": list(self.possible),
            "notYet": list(self.not_yet),
            "sentence": self.sentence,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """What the answer takes for granted, so that it can be said beside it.

    Attributes:
        lease_fixed: the lease is a constant of the runtime, and nothing that was assumed.
    """

    runtime: str
    environment: str
    model: str
    lease_seconds: float | None = None
    lease_fixed: bool = False
    max_retries: int = 3
    strategies: tuple[tuple[str, str], ...] = ()
    crashes: int = 1
    model_calls_per_step: int | None = None
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return, for docs/json.md, ``assumptions``."""
        return {
            "policy": self.runtime,  # the name of version 1
            "runtime": self.runtime,
            "environment": self.environment,
            "model": self.model,
            "leaseSeconds": self.lease_seconds,
            "maxRetries": self.max_retries,
            "strategies": dict(self.strategies),
            "crashes": self.crashes,
            "modelCallsPerStep": self.model_calls_per_step,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StepVerdict:
    """What becomes of one step.

    Attributes:
        verdict: ``replayed`` (answered from the record, nothing runs), ``re-executed`` (its body had begun
            and runs again), ``never-reached`` (the crash came before its body), ``stuck`` (it can never
            commit).
        attempts: ``step_started`` events at the end, all executions of recovery included; max None: no bound.
        record_attempt: the number its record will hold, None when unknown.
        completes: whether its end event will be in the log; None when that depends on someone.
        proves: what the count of starts proves about body runs.
        evidence: event ids and origins of records and locks that show its state.
    """

    step_id: str | None
    run_id: str
    function: str
    code: str
    verdict: Verdict
    attempts: Executions
    record_attempt: Executions | None = None
    completes: bool | None = True
    certainty: Certainty = "implied"
    rule: str = ""
    proves: str = ""
    evidence: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return the entry of ``steps`` (with fields added), see docs/json.md."""
        return {
            "stepId": self.step_id,
            "runId": self.run_id,
            "function": self.function,
            "state": self.code,
            "verdict": self.verdict,
            "attempts": self.attempts.to_json(),
            "recordAttempt": self.record_attempt.to_json() if self.record_attempt else None,
            "completes": self.completes,
            "certainty": self.certainty,
            "rule": self.rule,
            "proves": self.proves,
            "evidence": list(self.evidence),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectVerdict:
    """How often one effect happens in the end.

    Attributes:
        before: executions by the time of the crash; ``after``: what recovery adds.
        executions: both together: how often the body runs.
        outside: how often the outside acts once the idempotency strategy has done its work.
        missed: effects that are claimed or merged away and never happen, at most.
        strategy: the strategy in words.
        resumed: its body is entered again and what it recorded is kept, as its future says
            (``recovery.runtimes.base.Future``).
        exact: whether least and most are the same.
    """

    tool: str
    call_id: str | None
    kind: str = "tool"
    coordinate: tuple[str, int] | None = None
    position: int | None = None
    before: Executions
    after: Executions
    executions: Executions
    outside: Executions
    missed: Executions
    strategy: str = "none"
    resumed: Literal["", "steps", "open"] = ""
    certainty: Certainty = "implied"
    rule: str = ""
    step_id: str | None = None
    run_id: str = ""
    evidence: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the prediction leaves nothing open."""
        return self.executions.min == self.executions.max

    def to_json(self) -> dict[str, object]:
        """Return the entry of ``effects`` (with fields added), see docs/json.md."""
        return {
            "tool": self.tool,
            "callId": self.call_id,
            "kind": self.kind,
            "turnStep": (
                {"turnId": self.coordinate[0], "stepIndex": self.coordinate[1]} if self.coordinate else None
            ),
            "runId": self.run_id,
            "stepId": self.step_id,
            "executions": self.executions.to_json(),
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "outside": self.outside.to_json(),
            "missed": self.missed.max if self.missed.max is not None else None,
            "missedRange": self.missed.to_json(),
            "strategy": self.strategy,
            "certainty": self.certainty,
            "rule": self.rule,
            "evidence": list(self.evidence),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """Something counted once in all and once for what is done again (calls, tokens).

    Attributes:
        paid: in all, at most; ``paid_min`` at least.
        again: of those, what had been paid before, at most; ``again_min`` at least.
        unbounded: True when every wake-up pays again without end.
        unknown: some of it is not recorded: the numbers are of what is.
    """

    paid: int = 0
    again: int = 0
    paid_min: int = 0
    again_min: int = 0
    unbounded: bool = False
    unknown: bool = False

    def to_json(self) -> dict[str, object]:
        """Return, for docs/json.md, ``{paid, again}`` (fields added)."""
        return {
            "paid": self.paid,
            "again": self.again,
            "paidMin": self.paid_min,
            "againMin": self.again_min,
            "unbounded": self.unbounded,
            "unknown": self.unknown,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleUse:
    """One rule that was applied, for ``--explain``.

    Attributes:
        rule: stable name.
        text: the rule in plain words; ``source``: where it comes from; ``about``: what it was applied to.
    """

    rule: str
    text: str
    source: str = ""
    about: str = ""
    certainty: Certainty = "implied"
    evidence: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return the rule as JSON."""
        return {
            "rule": self.rule,
            "text": self.text,
            "source": self.source,
            "about": self.about,
            "certainty": self.certainty,
            "evidence": list(self.evidence),
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Simulation(Brief):
    """The answer for one crash (or a schedule of crashes).

    Attributes:
        outcome: what happens by itself once the process is back.
        by: what brings it about: ``restart``, ``lease``, ``timer``, ``message``, ``person``, ``nobody``.
        earliest: the earliest time anything can happen again, None when at once or never.
        delay: the same as a sentence.
        person: what a person has to do, empty when nothing.
        ends: how the turn ends.
        open: whether the list of calls may be incomplete: an answer of the model had not reached the stream
            whole, and tools act before their request is durable; ``unnamed`` says so where a runtime has
            words of its own.
        plain: a plain SDK run, which has neither turns nor a model.
        framework: who wrote what was crashed: whose people read the answer.
        late: a call that was cut off may still act, whatever is open.
        told: claims of the tutorial that the runtime contradicts here, both sides in one sentence each.
    """

    session_id: str
    turn_id: str | None
    point: CrashPoint
    assumptions: Assumptions
    outcome: Outcome
    steps: tuple[StepVerdict, ...] = ()
    effects: tuple[EffectVerdict, ...] = ()
    model_calls: Paid = field(default_factory=Paid)
    tokens: Paid = field(default_factory=Paid)
    events_again: int = 0
    by: str = "restart"
    earliest: datetime | None = None
    delay: str = ""
    person: str = ""
    ends: str = ""
    rules: tuple[RuleUse, ...] = ()
    told: tuple[str, ...] = ()
    certainty: Certainty = "implied"
    open: bool = False
    unnamed: str = ""
    plain: bool = False
    framework: str = "eve"
    late: bool = False

    @property
    def sentence(self) -> str:
        """The answer as a paragraph of plain words."""
        return paragraph(self)

    @property
    def repeats(self) -> int | None:
        """Executions beyond the first over all effects, at most; None without bound."""
        total = 0
        for effect in self.effects:
            if effect.executions.max is None:
                return None
            total += max(0, effect.executions.max - 1)
        return total

    def to_json(self, *, steps: bool = True) -> dict[str, object]:
        """Return the fields of ``crash``, see docs/json.md (without ``steps`` as in ``matrix``)."""
        out: dict[str, object] = {
            "sessionId": self.session_id,
            "turnId": self.turn_id,
            "point": self.point.to_json(),
            "assumptions": self.assumptions.to_json(),
        }
        if steps:
            out["steps"] = [step.to_json() for step in self.steps]
        out |= {
            "effects": [effect.to_json() for effect in self.effects],
            "modelCalls": self.model_calls.to_json(),
            "tokens": self.tokens.to_json(),
            "events": {"again": self.events_again},
            "recovery": {
                "by": self.by,
                "earliest": iso(self.earliest),
                "delay": self.delay,
                "person": self.person or None,
            },
            "turn": {"ends": self.ends},
            "outcome": self.outcome,
            "certainty": self.certainty,
            "open": self.open,
            "rules": [rule.to_json() for rule in self.rules],
            "told": list(self.told),
            "sentence": self.sentence,
        }
        return out
