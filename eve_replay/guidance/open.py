"""What of a session is open and goes on, or should have: steps, retries, sleeps; and what ran again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from eve_replay.checks.finding import Verdict, VerdictCode
from eve_replay.checks.phrases import GRACE, Voice, count, listed, numbered, span
from eve_replay.ids import short_id
from eve_replay.journal.commits.states import RunCommits, StepCommit, WaitCommit
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.model import Evidence, Run, Session, Step
from eve_replay.problems import Severity
from eve_replay.recovery.fate import SessionFate
from eve_replay.times import later

__all__ = ["due_verdicts", "open_verdicts", "repeat_verdicts"]

_ENDED = frozenset({"completed", "failed", "cancelled"})
#: A generation of ``eve dev``: a time in base 36 and a UUID. Servers have ``dpl_...`` or the world's name.
_GENERATION = re.compile(r"[0-9a-z]{7,10}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")


def repeat_verdicts(session: Session, voice: Voice) -> Iterator[Verdict]:
    """Yield which steps ran again, and what that cost: model calls and tokens paid more than once."""
    for step in session.steps:
        died = [a for a in step.attempts[:-1] if a.outcome == "interrupted"]
        if not died:
            continue
        last = step.attempts[-1]
        again = [call for call in step.model_calls if call.paid_again]
        tokens = sum(call.tokens.total for call in again if call.tokens is not None)
        silent = [a.n for a in died if step.kind == "turn" and not a.tool_calls]
        told = [
            f"{step.function} ({short_id(step.step_id)}) was executed again: {numbered([a.n for a in died])} "
            f"{'was' if len(died) == 1 else 'were'} interrupted (last sign "
            f"{voice.at(died[-1].last_sign_at or died[-1].started_at)}), attempt {last.n} began "
            f"{voice.at(last.started_at)}."
        ]
        if again:
            paid = f" ({tokens} tokens)" if tokens else ""
            told.append(
                f"{count(len(again), 'model call')} {'was' if len(again) == 1 else 'were'} made again{paid}."
            )
        if silent:
            shows = "shows" if len(silent) == 1 else "show"
            told.append(
                f"{numbered(silent).capitalize()} {shows} no tool call; one that ran in the last "
                "moments need not "
                "have reached the stream."
            )
        if len(died) > 2:
            told.append("Kills do not use up the retry budget: no limit ends this.")
        yield Verdict(
            code="re-executed",
            sentence=" ".join(told),
            certainty="observed",
            evidence=tuple(e for a in step.attempts for e in a.evidence),
            turn_id=step.turn_id or "",
            run_id=step.run_id,
            step_id=step.step_id,
        )


def open_verdicts(
    session: Session,
    commits: Mapping[str, RunCommits],
    stuck: frozenset[str],
    effects: tuple[Effect, ...],
    voice: Voice,
) -> Iterator[Verdict]:
    """Yield what is running, leased, overdue or dormant.

    Args:
        session: the session.
        commits: commit states by run id.
        stuck: ids of steps and waits that are wedged: of them nothing else is said.
        effects: the session's, to say what a re-run repeats.
        voice: now, zone and the assumed lease.
    """
    for run in session.all_runs:
        states = commits.get(run.run_id)
        if states is None or states.run.code in ("done", "ending") or run.status in _ENDED:
            continue
        steps = {step.step_id: step for step in run.steps}
        for state in states.open_steps:
            if state.step_id not in stuck:
                step = _OpenStep(session, run, state, steps.get(state.step_id), effects, voice)
                yield from step.verdicts()
        for wait in states.waits:
            if wait.wait_id not in stuck and wait.code == "waiting":
                yield from _sleep(run, wait, voice)


def due_verdicts(session: Session, fate: SessionFate, voice: Voice, *, open_: bool) -> Iterator[Verdict]:
    """Yield what no open step shows: a delivery that was accepted and not taken yet, or one that was lost.

    Args:
        session: the session.
        fate: what becomes of it.
        voice: now and the zone.
        open_: whether something else is told as open already.
    """
    if fate.lost:
        yield Verdict(
            code="lost-delivery",
            sentence="A message or an answer reached the store and never became a hook_received event: the "
            "process died in between, the client's connection broke, and the session never sees it.",
            certainty="implied",
            evidence=session.evidence,
            next="Let the client send it again.",
            severity="warning",
            run_id=session.runs[-1].run_id,
        )
    elif fate.due and not open_:
        pending = [m for m in session.messages if m.role in ("pending", "queued") and m.event_id]
        what = "An accepted delivery has not been taken yet" if pending else "Its next step is due"
        when = f" ({voice.at(pending[-1].at)})" if pending else ""
        yield Verdict(
            code="between-steps",
            sentence=f"{what}{when}: nothing is open in the log, and the session does not rest. It goes on "
            "by itself when a server is up.",
            certainty="implied",
            evidence=tuple(e for m in pending for e in m.evidence) or session.evidence,
            next="Start the server on the same version.",
            severity="warning",
            run_id=session.runs[-1].run_id,
        )


@dataclass(frozen=True, slots=True)
class _OpenStep:
    """One step without a terminal event, and everything its sentences need."""

    session: Session
    run: Run
    state: StepCommit
    step: Step | None
    effects: tuple[Effect, ...]
    voice: Voice

    def verdicts(self) -> Iterator[Verdict]:
        """Yield what there is to say: one verdict, or two while a lease may hold."""
        if self.state.code == "R":
            yield self._retry()
        elif self.state.code == "D":
            yield from self._started()
        else:
            yield self._not_started()

    @property
    def name(self) -> str:
        return f"{self.state.function or 'A step'} ({short_id(self.state.step_id)})"

    def _verdict(
        self,
        code: VerdictCode,
        sentence: str,
        next_: str = "",
        severity: Severity = "info",
        *,
        lease_until: datetime | None = None,
    ) -> Verdict:
        return Verdict(
            code=code,
            lease_until=lease_until,
            sentence=sentence,
            certainty="unknown" if code == "running" else "implied",
            evidence=tuple(
                Evidence(kind="event", id=item, run_id=self.run.run_id)
                for item in self.state.evidence
                if item.startswith("evnt_")
            ),
            next=next_,
            severity=severity,
            turn_id=(self.step.turn_id if self.step is not None else None) or "",
            run_id=self.run.run_id,
            step_id=self.state.step_id,
        )

    def _not_started(self) -> Verdict:
        last = self.session.newest_at
        silent = last is not None and self.voice.now - last > GRACE
        return self._verdict(
            "interrupted" if silent else "running",
            f"{self.name} has been created and not started {self.voice.since(self.state.created_at)}: "
            "nothing of it "
            "has run, and it runs at once when a server is up. Observed: no step_started event."
            + self._waiting(),
        )

    def _started(self) -> Iterator[Verdict]:
        state, voice = self.state, self.voice
        started = state.last_started_at
        attempts = f" as attempt {state.starts}" if state.starts > 1 else ""
        free = later(started, voice.lease) if started is not None else None
        dev = (
            _GENERATION.match(self.run.record.text("deploymentId") or "") is not None
            and self.run.eve_version is not None
        )
        leased = state.inline and free is not None and voice.now < free
        if leased or started is None or free is None:
            yield self._verdict(
                "running",
                f"{self.name} was started {voice.at(started)}{attempts}, and no end is recorded. It "
                "is running, or "
                f"its process died: the journal cannot tell.{self._again()}{self._waiting()}",
            )
        if dev:
            yield self._verdict(
                "dormant",
                f"{self.name} is open in a session of eve dev (generation "
                f"{self.run.record.text('deploymentId')}). "
                "When its process dies, a restarted eve dev does not take it up without --resume, "
                "and answers a "
                f"message to it with HTTP 500.{'' if leased else self._again()}",
                "Restart with eve dev --resume; the step then runs again whole.",
                "warning",
            )
        elif leased and free is not None:
            yield self._verdict(
                "leased",
                f"If its process died, nobody takes {self.name} over before {voice.clock(free)}: an "
                "inline start is "
                f"leased for {span(voice.lease)} from its start (assumed: the length is a setting the "
                "journal does "
                "not hold). Silence until then is normal.",
                "Wait; or set a shorter lease for the next time.",
                lease_until=free,
            )
        elif started is not None and free is not None:
            yield self._overdue(started, free, attempts)

    def _overdue(self, started: datetime, free: datetime, attempts: str) -> Verdict:
        voice = self.voice
        since = free if self.state.inline else started
        lease = (
            f"its lease (assumed {span(voice.lease)}) ended {voice.at(free)}"
            if self.state.inline
            else "it is not leased"
        )
        app = "A plain SDK app recovers nothing until world.start() is called. "
        return self._verdict(
            "overdue",
            f"{self.name} was started {voice.at(started)}{attempts}, no end is recorded, {lease}, and "
            "nothing has "
            f"taken it over {voice.since(since)}. {app if self.run.role == 'workflow' else ''}Its "
            "process died and no "
            "server has been up since, a server is up that does not take it over (another version, a clock "
            f"behind), or it is still at work.{self._again()}{self._waiting()}",
            "Start the server on the same version: the step runs again whole, with its model calls "
            "and tools. Put keys "
            "on its effects first.",
            "warning",
            lease_until=free if self.state.inline else None,
        )

    def _again(self) -> str:
        """Say what of this step has acted or may have, and so would act again."""
        told = []
        for effect in self.effects:
            parts = [
                p for p in effect.by_attempt if p.step_id == self.state.step_id and p.executions.max != 0
            ]
            if not parts or not effect.protection.acts or effect.kind == "workflow-tool":
                continue
            sure = sum(p.executions.min for p in parts)
            state = "has acted" if sure else "may have acted" if any(p.reached for p in parts) else ""
            if state and effect.kind == "tool":
                told.append(f"{effect.tool} {state}")
        if not told:
            return " If it runs again, it runs whole." if self.state.function == "turnStep" else ""
        verb = "runs" if len(told) == 1 else "run"
        return f" In it {listed(told)}, and {verb} again with it."

    def _waiting(self) -> str:
        pending = sum(
            1 for m in self.session.messages if m.role in ("pending", "queued") and m.turn_id is None
        )
        wait = "waits" if pending == 1 else "wait"
        return f" {count(pending, 'accepted message')} already {wait} behind it." if pending else ""

    def _retry(self) -> Verdict:
        voice = self.voice
        attempt = self.step.attempts[-1] if self.step is not None and self.step.attempts else None
        threw = attempt.ended_at if attempt is not None else None
        due = (attempt.retry_after if attempt is not None else None) or threw
        if due is not None and voice.now - due > GRACE:
            return self._verdict(
                "overdue",
                f"{self.name} threw {voice.at(threw)} and was to be tried again {voice.at(due)}: it "
                "is overdue by "
                f"{span(voice.now - due)}, and nothing has happened since.",
                "Start the server; if it is up, look whether its queue still holds the retry.",
                "warning",
            )
        when = voice.at(due) if due is not None else "soon"
        return self._verdict(
            "running", f"{self.name} threw {voice.at(threw)}; the runtime tries it again {when}."
        )


def _sleep(run: Run, wait: WaitCommit, voice: Voice) -> Iterator[Verdict]:
    if wait.resume_at is None or voice.now - wait.resume_at <= GRACE:
        return
    timeout = run.role == "timeout"
    what = "The session's timeout" if timeout else f"A durable sleep of {run.workflow.function}"
    yield Verdict(
        code="overdue",
        sentence=f"{what} was to end {voice.at(wait.resume_at)}: it is overdue by "
        f"{span(voice.now - wait.resume_at)}, and no wait_completed is recorded.",
        certainty="observed",
        evidence=tuple(
            Evidence(kind="event", id=e, run_id=run.run_id) for e in wait.evidence if e.startswith("evnt_")
        ),
        next="Start the server: the sleep ends at once.",
        severity="info" if timeout else "warning",
        run_id=run.run_id,
    )
