"""Would a recorded workflow run replay the same way? What the journal can show, and what it cannot.

A workflow body is replayed from its start; its recorded steps, sleeps and hooks are answered from the log, in
the order in which the body asks for them. Their ids come from a generator seeded by the run, so a body that
takes another path asks for the same ids under other names, or in another order. From the log alone one can
see a divergence that has happened (two creations of one id under different names, an end without a
creation, a failure the runtime itself wrote down, a version that changed between writers) and ids that do
not follow their seed. That the body reads the clock or randomness shows only if it did differ: otherwise
*unknown*.
"""

from __future__ import annotations

from dataclasses import dataclass

from eve_replay.ids import ulid_time
from eve_replay.journal.model import Certainty, Evidence, Run

__all__ = ["Determinism", "Sign", "check_determinism"]

_FAILURES = ("CORRUPTED_EVENT_LOG", "REPLAY_DIVERGENCE", "REPLAY_TIMEOUT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """One thing that speaks for or against a deterministic body."""

    code: str
    sentence: str
    certainty: Certainty
    harmful: bool
    evidence: tuple[Evidence, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return the sign."""
        return {
            "code": self.code,
            "sentence": self.sentence,
            "certainty": self.certainty,
            "harmful": self.harmful,
            "evidence": [{"kind": e.kind, "id": e.id, "runId": e.run_id} for e in self.evidence],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Determinism:
    """The verdict on one run.

    Attributes:
        verdict: ``differs`` when the log shows a divergence, ``same`` when two replays of this very run are
            recorded and agree, ``unknown`` otherwise.
        replays: how many times the body was certainly replayed (starts of a process that went on with it).
        order: what the body asked for, in log order: ``step reserveStock``, ``sleep``, ``hook`` ...
    """

    run_id: str
    verdict: str
    replays: int
    order: tuple[str, ...]
    signs: tuple[Sign, ...]
    sentence: str

    def to_json(self) -> dict[str, object]:
        """Return the verdict."""
        return {
            "runId": self.run_id,
            "verdict": self.verdict,
            "replays": self.replays,
            "order": list(self.order),
            "signs": [sign.to_json() for sign in self.signs],
            "sentence": self.sentence,
        }


def check_determinism(run: Run, twin: Run | None = None) -> Determinism:
    """Return what the journal shows about replaying a run.

    Args:
        run: a workflow run with its events.
        twin: another run of the same workflow with the same input, to compare the order of requests.
    """
    signs = [*_divergences(run), *_ids(run)]
    order = _order(run)
    replays = _replays(run)
    if twin is not None:
        signs.append(_against(order, _order(twin), twin))
    harmful = [sign for sign in signs if sign.harmful]
    if harmful:
        verdict = "differs"
        sentence = f"A replay differs: {harmful[0].sentence}"
    elif replays > 1:
        verdict = "same"
        sentence = (
            f"The body was replayed {replays} times over this log and asked for the same things in the "
            f"same order."
            " Whether it reads the clock or randomness beyond that is unknown."
        )
    else:
        verdict = "unknown"
        sentence = (
            "The body ran once, so the journal cannot tell whether it reads the clock or randomness;"
            " it asked for nothing that contradicts a replay."
        )
    return Determinism(
        run_id=run.run_id,
        verdict=verdict,
        replays=replays,
        order=tuple(order),
        signs=tuple(signs),
        sentence=sentence,
    )


def _order(run: Run) -> list[str]:
    names = {step.step_id: step.function for step in run.steps}
    out = []
    for event in run.events:
        if event.event_type == "step_created":
            out.append(f"step {names.get(event.correlation_id or '', '?')}")
        elif event.event_type == "wait_created":
            out.append("sleep")
        elif event.event_type == "hook_created" and not str(event.data.get("token", "")).startswith("abrt_"):
            out.append("hook")
    return out


def _replays(run: Run) -> int:
    """Every further start of any step is a delivery that replayed the body from its start."""
    again = sum(max(0, len(step.attempts) - 1) for step in run.steps)
    owners = {a.owner for step in run.steps for a in step.attempts if a.owner}
    words = sum(1 for e in run.events if e.event_type in ("hook_received", "wait_completed"))
    return 1 + max(again, len(owners) - 1, words)


def _divergences(run: Run) -> list[Sign]:
    out = []
    created: dict[str, str] = {}
    for event in run.events:
        subject = event.correlation_id or ""
        name = event.data.get("stepName")
        here = (Evidence(kind="event", id=event.event_id, run_id=run.run_id, note=event.event_type),)
        if event.event_type.startswith("step_") and isinstance(name, str):
            known = created.setdefault(subject, name)
            if known != name:
                out.append(
                    Sign(
                        code="same-id-other-step",
                        sentence=f"{subject} was {known} and is {name} in a later event.",
                        certainty="observed",
                        harmful=True,
                        evidence=here,
                    )
                )
        if event.event_type == "run_failed":
            code = event.data.get("errorCode")
            if code in _FAILURES:
                out.append(
                    Sign(
                        code="replay-failed",
                        sentence=f"The runtime itself gave up replaying the run ({code}).",
                        certainty="observed",
                        harmful=True,
                        evidence=here,
                    )
                )
    versions = {step.name.version for step in run.steps if step.name.version}
    if len(versions) > 1:
        out.append(
            Sign(
                code="two-versions",
                sentence=f"Steps of {len(versions)} versions are in one log: {', '.join(sorted(versions))}.",
                certainty="observed",
                harmful=False,
            )
        )
    return out


def _ids(run: Run) -> list[Sign]:
    """Correlation ids come from a generator seeded by the run: they all carry the run's start time."""
    times = {
        t
        for event in run.events
        if (event.correlation_id or "").startswith(("step_", "wait_", "hook_"))
        and (t := ulid_time(event.correlation_id or "")) is not None
    }
    if not times:
        return []
    if len(times) == 1:
        return [
            Sign(
                code="seeded-ids",
                sentence="All step, sleep and hook ids carry one time: they come from the run's seed.",
                certainty="implied",
                harmful=False,
            )
        ]
    return [
        Sign(
            code="clock-ids",
            sentence=f"Ids carry {len(times)} different times: this world draws them from the clock.",
            certainty="implied",
            harmful=False,
        )
    ]


def _against(order: list[str], other: list[str], twin: Run) -> Sign:
    for place, (one, two) in enumerate(zip(order, other, strict=False)):
        if one != two:
            return Sign(
                code="other-order",
                sentence=f"Request {place + 1} is {one} here and {two} in {twin.run_id}.",
                certainty="observed",
                harmful=True,
            )
    if len(order) != len(other):
        return Sign(
            code="other-length",
            sentence=f"{len(order)} requests here, {len(other)} in {twin.run_id}; the shorter is a prefix.",
            certainty="observed",
            harmful=False,
        )
    return Sign(
        code="same-order",
        sentence=f"The same {len(order)} requests in the same order as {twin.run_id}.",
        certainty="observed",
        harmful=False,
    )
