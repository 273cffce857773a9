"""Half-written commits of a session, and what each does to it (docs/evidence/sweep.md).

A commit state belongs to one run; whether the *session* hangs depends on who waits for that run, and for
which words. That is not decided here: it is a view of the one fate (:mod:`eve_replay.recovery.fate`) that
``forecast`` and ``why`` tell too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from eve_replay.checks.wedged_python import halves
from eve_replay.journal.commits.of_run import commits_of
from eve_replay.journal.commits.states import HookCommit, RunCommits, StepCommit, WaitCommit
from eve_replay.journal.model import Evidence, Run, Session
from eve_replay.recovery.fate import SessionFate, Way, fate_of

__all__ = ["Consequence", "Wedge", "wedges"]

Consequence = Literal[
    "repeats", "multiplies", "hangs", "needs-message", "deaf", "mute", "fails", "unsent", "harmless"
]

#: Steps that start child runs: in F1 they start another child at every delivery.
_DISPATCH = frozenset({"dispatchCoordinationStep", "dispatchTurnStep", "dispatchRuntimeActionsStep"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wedge:
    """One half-written commit and its consequence for the session.

    Attributes:
        code: ``C1a``, ``C1b``, ``F1``, ``F2`` (steps), ``W1``, ``W2`` (sleeps), ``H1`` (inbox hook), ``R1``
            (run).
        consequence: ``repeats`` (the body runs again at every wake-up and never commits), ``multiplies`` (a
            new child run at every delivery), ``hangs``, ``needs-message`` (goes on with the next message),
            ``deaf`` (the turn runs to its end, no message after it is processed), ``mute`` (it goes on, every
            message is refused), ``fails`` (the run fails for good), ``unsent`` (the message that starts it
            was never sent) or ``harmless`` (nobody waits for it).
        run: the run it lies in.
        what: the thing, for example ``turnStep`` or ``a sleep``.
        subject: step, wait, hook or run id.
        missing: which half of which commit is missing, in words.
        then: what the runtime does at the next wake-up, one sentence.
        repair: the hand repair that was seen to work, empty when none was.
        starts: recorded starts of the step, 0 for others.
    """

    code: str
    consequence: Consequence
    run: Run
    what: str
    subject: str
    missing: str
    then: str
    repair: str = ""
    starts: int = 0
    evidence: tuple[Evidence, ...] = ()

    @property
    def stops(self) -> bool:
        """Whether the session does not go on by itself because of it."""
        return self.consequence not in ("harmless", "mute")


def wedges(
    session: Session, commits: dict[str, RunCommits] | None = None, fate: SessionFate | None = None
) -> tuple[Wedge, ...]:
    """Return every half-written commit of the session's runs, those that stop it first.

    Args:
        session: the session.
        commits: commit states by run id, when the caller has them already.
        fate: the session's, likewise.
    """
    found: list[Wedge] = []
    if any(run.log_missing for run in session.runs):
        return ()
    told = fate or fate_of(session)
    if session.framework == "python-sdk":
        return tuple(Wedge(**half._asdict()) for half in halves(session, told))
    ways = told.ways
    for run in session.all_runs:
        states = commits[run.run_id] if commits and run.run_id in commits else commits_of(run)
        found += _of_run(run, states, ways)
    return tuple(sorted(found, key=lambda w: not w.stops))


def _of_run(run: Run, states: RunCommits, ways: Mapping[str, Way]) -> Iterator[Wedge]:
    if states.run.code in ("done", "ending"):
        return
    if not run.events and (run.steps or not run.record.origin.startswith("runs/")):
        # Records without any log are an export that left it out, not a crash between two writes.
        return
    if states.run.code == "R1":
        yield _run_wedge(run, states)
        return
    told = set()
    for state in states.wedged:
        if isinstance(state, StepCommit):
            told.add(state.step_id)
            yield _step_wedge(run, state, ways.get(state.step_id, "harmless"))
        elif isinstance(state, WaitCommit):
            told.add(state.wait_id)
            yield _wait_wedge(run, state, ways.get(state.wait_id) == "stops")
        else:
            told.add(state.hook_id)
            yield _hook_wedge(run, state)
    for hook in states.hooks:
        if hook.hook_id not in told and ways.get(hook.hook_id) == "stops":
            yield _deaf_wedge(run, hook)
        elif hook.hook_id not in told and ways.get(hook.hook_id) == "mutes":
            yield _mute_wedge(run, hook)


def _evidence(run: Run, ids: tuple[str, ...], note: str) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            kind="event"
            if item.startswith("evnt_")
            else "mark"
            if ".locks" in item or "tokens" in item
            else "record",
            id=item,
            run_id=run.run_id,
            note=note,
        )
        for item in ids
    )


def _step_wedge(run: Run, state: StepCommit, way: Way) -> Wedge:
    consequence, then = _consequence(run, state, way)
    return Wedge(
        code=state.code,
        consequence=consequence,
        run=run,
        what=state.function or "a step",
        subject=state.step_id,
        missing=state.missing,
        then=then,
        repair=state.repair,
        starts=state.starts,
        evidence=_evidence(run, state.evidence, state.code),
    )


def _consequence(run: Run, state: StepCommit, way: Way) -> tuple[Consequence, str]:
    """Put what the step does to its session into words."""
    if way == "harmless":
        if run.role == "tool":
            return "harmless", "the parent has its last word and goes on; the child stays running for ever"
        return "harmless", "the run itself stays open for ever; nobody waits for it"
    if way == "pauses":
        return "needs-message", (
            "the running turn step ends; if the turn needs another one, it stops until another message "
            "wakes it. "
            "Once the turn has ended, messages are accepted and never processed"
        )
    if way == "deafens":
        return "deaf", (
            "the turn runs to its end by itself, then messages are accepted (202) and never processed; "
            "another "
            "message does not help"
        )
    if way == "silences":
        return "hangs", "the subagent's turn ends and its caller is never told, so the caller waits for ever"
    if state.code == "F1" and state.function in _DISPATCH:
        return (
            "multiplies",
            "every delivery starts one more child run, about one a second while the server lives (24 seen)",
        )
    if state.code == "F1":
        return "repeats", (
            "at every wake-up (restart, message, approval) the body runs again, with its model calls and "
            "effects, "
            "and can never commit"
        )
    if run.role == "tool":
        return "hangs", "the child cannot go on and has words left: its parent waits for them for ever"
    return "hangs", "nothing runs, the run hangs for good; messages are accepted (202) and never processed"


def _wait_wedge(run: Run, state: WaitCommit, awaited: bool) -> Wedge:
    before = state.code == "W1"
    return Wedge(
        code=state.code,
        consequence="hangs" if awaited else "harmless",
        run=run,
        what="the session's timeout" if run.role == "timeout" else "a durable sleep",
        subject=state.wait_id,
        missing=state.missing,
        then=(
            f"the run hangs {'before' if before else 'after'} the sleep for good"
            + ("; its parent waits for it" if awaited and run.role == "tool" else "")
            + ("; nobody waits for it, but the session's timeout never comes" if not awaited else "")
        ),
        evidence=_evidence(run, state.evidence, state.code),
    )


def _deaf_wedge(run: Run, state: HookCommit) -> Wedge:
    return Wedge(
        code="H1",
        consequence="hangs",
        run=run,
        what="the hook on which a tool run hears its subagent",
        subject=state.hook_id,
        missing="the hook's token file is there, the hook_created event is not",
        then="what the subagent sends is swallowed (HookNotFoundError), and the turn waits for it for ever",
        evidence=_evidence(run, state.evidence, "H1"),
    )


def _hook_wedge(run: Run, state: HookCommit) -> Wedge:
    return Wedge(
        code=state.code,
        consequence="fails",
        run=run,
        what="the session's inbox hook",
        subject=state.hook_id,
        missing="the hook's token file is there, the hook_created event is not, and its slot is taken",
        then="the run fails with MAX_DELIVERIES_EXCEEDED after 49 deliveries in a few seconds",
        evidence=_evidence(run, state.evidence, state.code),
    )


def _mute_wedge(run: Run, state: HookCommit) -> Wedge:
    return Wedge(
        code="H3",
        consequence="mute",
        run=run,
        what="the session's inbox",
        subject=state.hook_id,
        missing="its hook_created event is in the log, its record was never written",
        then="what is under way goes on, and every message is refused (409, session_not_ready)",
        evidence=_evidence(run, state.evidence, "H3"),
    )


def _run_wedge(run: Run, states: RunCommits) -> Wedge:
    child = run.role in ("tool", "timeout")
    return Wedge(
        code="R1",
        consequence="harmless" if child else "fails",
        run=run,
        what="the run",
        subject=run.run_id,
        missing="the run record is there, the run_created event is not",
        then=(
            "the step that started it runs again and makes a second one"
            if child
            else "the run starts and then fails with RUNTIME_ERROR; messages are answered with 409"
        ),
        evidence=_evidence(run, states.run.evidence, "R1"),
    )
