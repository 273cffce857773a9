"""Half-written commits of a session, and what each does to it (docs/evidence/sweep.md).

A commit state belongs to one run; whether the *session* hangs depends on who waits for that run. A turn
waits for its steps and for the workflow tools it started; nobody waits for a session's timeout run; a step
beside the turn holds the session up only until the next message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from eve_replay.journal.commits.rules import run_commits
from eve_replay.journal.commits.states import HookCommit, RunCommits, StepCommit, WaitCommit
from eve_replay.journal.model import Evidence, EvidenceKind, Run, Session

__all__ = ["Consequence", "Wedge", "commits_of", "wedges"]

Consequence = Literal["repeats", "multiplies", "hangs", "needs-message", "fails", "harmless"]

#: Steps that run beside the turn: half committed, they stop the session only until another message comes.
_BESIDE = frozenset({"startSessionTimeoutStep"})
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
            ``fails`` (the run fails for good) or ``harmless`` (nobody waits for it).
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
        return self.consequence != "harmless"


def commits_of(run: Run) -> RunCommits:
    """Return the commit states of a run of the model."""
    records = [step.record for step in run.steps if step.record is not None]
    return run_commits(
        run.record, run.events, records, (*run.hooks, *run.waits, *run.marks), run_id=run.run_id
    )


def wedges(session: Session, commits: dict[str, RunCommits] | None = None) -> tuple[Wedge, ...]:
    """Return every half-written commit of the session's runs, those that stop it first.

    Args:
        session: the session.
        commits: commit states by run id, when the caller has them already.
    """
    found: list[Wedge] = []
    if any(run.log_missing for run in session.runs):
        return ()
    for run in session.all_runs:
        states = commits[run.run_id] if commits and run.run_id in commits else commits_of(run)
        found += _of_run(session, run, states)
    return tuple(sorted(found, key=lambda w: not w.stops))


def _of_run(session: Session, run: Run, states: RunCommits) -> Iterator[Wedge]:
    if states.run.code in ("done", "ending"):
        return
    if not run.events and (run.steps or not run.record.origin.startswith("runs/")):
        # Records without any log are an export that left it out, not a crash between two writes.
        return
    awaited = _awaited(session, run)
    if states.run.code == "R1":
        yield _run_wedge(run, states, awaited)
        return
    for state in states.wedged:
        if isinstance(state, StepCommit):
            yield _step_wedge(run, state, awaited)
        elif isinstance(state, WaitCommit):
            yield _wait_wedge(run, state, awaited)
        else:
            yield _hook_wedge(run, state)


def _awaited(session: Session, run: Run) -> bool:
    """Whether somebody waits for this run: the session itself, or a turn that called a workflow tool."""
    if run.role == "timeout":
        return False
    if run.role != "tool":
        return True
    if all(owner.ended_at is not None for owner in session.runs):
        return False
    entry = run.record.payload("input")
    if entry is not None and entry.at((0, "entry", "entryPoint")) in ("task", "serve"):
        # A task hands out a receipt as its result; its turn goes on waiting for the task itself.
        return True
    settled = {
        call.call_id
        for step in session.steps
        for attempt in step.attempts
        for call in attempt.tool_calls
        if call.returned and step.committed
    }
    return run.parent_call not in settled


def _kind(item: str) -> EvidenceKind:
    if item.startswith("evnt_"):
        return "event"
    return "mark" if ".locks" in item or "tokens" in item else "record"


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


def _step_wedge(run: Run, state: StepCommit, awaited: bool) -> Wedge:
    name = state.function or "a step"
    beside = state.function in _BESIDE
    consequence: Consequence
    if not awaited:
        consequence, then = "harmless", "the run itself stays open for ever; nobody waits for it"
    elif state.function == "resumeHookStep" and state.code in ("F1", "F2"):
        consequence, then = _resumed(run, state)
    elif beside:
        consequence = "needs-message"
        then = (
            "the running turn step ends, then the session stops; another message wakes it up and it goes on"
        )
    elif state.code == "F1" and state.function in _DISPATCH:
        consequence = "multiplies"
        then = "every delivery starts one more child run, about one a second while the server lives (24 seen)"
    elif state.code == "F1":
        consequence = "repeats"
        then = (
            "at every wake-up (restart, message, approval) the body runs again, with its model calls "
            "and effects,"
            " and can never commit"
        )
    else:
        consequence = "hangs"
        then = "nothing runs, and the run hangs for good; messages are accepted (202) and never processed"
    return Wedge(
        code=state.code,
        consequence=consequence,
        run=run,
        what=name,
        subject=state.step_id,
        missing=state.missing,
        then=then,
        repair=state.repair,
        starts=state.starts,
        evidence=_evidence(run, state.evidence, state.code),
    )


def _resumed(run: Run, state: StepCommit) -> tuple[Consequence, str]:
    """A child's word to its parent, delivered before the commit was torn.

    The last one hands over the result (``outcome``, or ``reply`` of a task that serves): the parent goes on,
    only the child stays open. After any other, the child has more to do and cannot.
    """
    later = [s for s in run.steps if s.step_id != state.step_id and not s.committed]
    if state.code in ("F1", "F2") and not later and _final_word(run, state.step_id):
        return "harmless", "the parent has the result and goes on; the child run stays running for ever"
    return "hangs", "the child cannot go on after telling its parent, and the parent waits for it"


def _final_word(run: Run, step_id: str) -> bool:
    step = next((s for s in run.steps if s.step_id == step_id), None)
    if step is None or step.input is None:
        return False
    return step.input.at(("args", 1, "kind")) in ("outcome", "reply")


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


def _run_wedge(run: Run, states: RunCommits, awaited: bool) -> Wedge:
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
