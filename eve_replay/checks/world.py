"""Findings about the store as a whole: its layout, its version mark, what retention will take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from eve_replay.checks.finding import Finding
from eve_replay.checks.phrases import count, listed
from eve_replay.journal.model import Evidence, Session, SessionHead
from eve_replay.problems import Receipt
from eve_replay.worlds.base import World

__all__ = ["check_retention", "check_stream", "check_world"]

#: ``version.txt`` of a built eve app names this package: the bundle finds a wrong package.json
#: (docs/evidence/observed.md#version-file).
_NONSENSE = "traced-node-modules@"


def check_world(world: World, heads: tuple[SessionHead, ...]) -> Iterator[Finding]:
    """Yield what concerns the whole store."""
    text = world.about.get("versionTxt")
    if world.kind == "local" and isinstance(text, str) and text.startswith(_NONSENSE):
        yield Finding(
            code="version-txt",
            severity="info",
            where="version.txt",
            sentence=f"version.txt says {text.strip()}, which is not the version of the world that "
            "wrote the folder.",
            why="A built eve app writes it: its bundle finds a wrong package.json. Do not read a "
            "version from it.",
            fix="Take the version from $eve.version and from specVersion.",
        )
    layout = world.about.get("layout")
    if world.kind == "local" and layout in ("flat", "mixed"):
        # Where no run is eve's, no eve is about to be started: worth knowing, nothing to act on.
        eve = any(head.kind != "workflow" or head.eve_version for head in heads)
        yield Finding(
            code="folder-would-be-deleted",
            severity="warning" if eve else "info",
            where="events",
            sentence="The folder has the old flat layout: events and steps are not in folders per run.",
            why="eve 0.80.1 started on such a folder deletes it, with one log line (118 files became 1).",
            fix="Copy the folder before any newer eve is started on it.",
        )
    versions = sorted({head.eve_version for head in heads if head.eve_version})
    if len(versions) > 1:
        yield Finding(
            code="several-versions",
            severity="info",
            where="$eve.version",
            sentence=f"Sessions of eve {listed(versions)} lie in one store.",
            why="A session is replayed only by the version that wrote it; others answer 409 "
            "session_stranded.",
            fix="Finish or reset the older sessions before the upgrade.",
        )
    yield from _receipt(world.receipt)


def _receipt(receipt: Receipt) -> Iterator[Finding]:
    """Turn what the reader noticed into findings, so that nothing unreadable is passed over in silence."""
    for problem in receipt.problems:
        yield Finding.of_problem(problem)
    for skipped in receipt.skipped:
        yield Finding(
            code="not-read",
            severity="warning",
            where=skipped.where,
            sentence=f"{skipped.what} was not read: {skipped.why}.",
            why="What it holds is missing from everything shown here.",
        )


def check_retention(session: Session, now: datetime) -> Iterator[Finding]:
    """Yield whether retention has taken or will take the session's payloads."""
    for run in session.runs:
        setting = _retention(run.record.attributes)
        if run.purged:
            yield Finding(
                code="purged",
                severity="info",
                where=run.run_id,
                sentence="Retention has deleted the run's payloads and its stream.",
                why="Names, times and attempts are left. "
                + (
                    "The user's first message is still there, in the $eve.title attribute."
                    if run.record.attribute("$eve.title")
                    else ""
                ),
                run_id=run.run_id,
                session_id=session.id,
                evidence=(Evidence(kind="record", id=run.run_id, run_id=run.run_id, path="$.expiredAt"),),
            )
        elif setting is not None and run.ended_at is None:
            yield Finding(
                code="will-be-purged",
                severity="info",
                where=run.run_id,
                sentence=f"Retention of this session is {setting}: its payloads are deleted "
                + ("as soon as it ends." if setting == "0" else f"{setting} after it ends."),
                why="Afterwards inputs, outputs and the stream cannot be read any more.",
                fix="Export the session before it ends if it is needed.",
                run_id=run.run_id,
                session_id=session.id,
                evidence=(Evidence(kind="attribute", id="$retention", run_id=run.run_id),),
            )


def _retention(attributes: Mapping[str, object]) -> str | None:
    value = attributes.get("$retention")
    return str(value) if isinstance(value, (str, int)) and str(value) != "default" else None


def check_stream(session: Session) -> Iterator[Finding]:
    """Yield disagreements between the session stream and the log."""
    for problem in session.problems:
        yield Finding.of_problem(problem, session_id=session.id)
    for turn in session.turns:
        ended = any(e.type in ("turn.completed", "session.waiting") for e in turn.stream_events)
        last = turn.turn_steps[-1] if turn.turn_steps else None
        if ended and last is not None and not last.committed and not turn.committed:
            yield Finding(
                code="stream-ahead",
                severity="warning",
                where=last.step_id,
                sentence=f"The stream says that {turn.id} is over, and its last step is not committed.",
                why="Clients saw the answer; the step runs again, and they will see it again. Only "
                "step_completed in "
                "the log is a commit.",
                fix="Do not act on turn.completed alone: wait for the next message to be taken.",
                run_id=last.run_id,
                session_id=session.id,
            )
    twice = [step for step in session.steps if step.kind == "turn" and len(step.attempts) > 1]
    repeated = sum(1 for step in twice for a in step.attempts[:-1] if a.stream_events)
    if repeated:
        yield Finding(
            code="stream-repeats",
            severity="info",
            where=twice[0].step_id,
            sentence=f"{count(repeated, 'attempt')} left events on the stream that a later attempt "
            "repeats under new "
            "ids.",
            why="Readers that join by meta.id see both; join by turnId, stepIndex and sequence instead.",
            run_id=twice[0].run_id,
            session_id=session.id,
        )
