"""What else there is to do: half-written commits, parks, versions, runs that nothing wakes, failed turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from eve_replay.checks.finding import Verdict
from eve_replay.checks.phrases import GRACE, Voice, listed
from eve_replay.checks.wedged import Wedge
from eve_replay.guidance.plan import commands
from eve_replay.guidance.plan.coming import Ahead
from eve_replay.guidance.plan.model import About, Place, PlanStep
from eve_replay.guidance.plan.naming import call_text
from eve_replay.guidance.runtime_words import start_words
from eve_replay.ids import short_id
from eve_replay.journal.effects.build import Effect
from eve_replay.journal.frameworks.workflow.messages import recorded_answer
from eve_replay.journal.model import Park, Session
from eve_replay.journal.settled import between_steps
from eve_replay.redaction.veil import glimpse

__all__ = ["open_steps", "park_steps", "state_steps", "wedge_steps"]


def wedge_steps(
    session: Session, wedges: Iterable[Wedge], effects: Sequence[Effect], place: Place
) -> Iterator[PlanStep]:
    """Yield what to do about half-written commits: stop what goes on first, then the way out."""
    for wedge in wedges:
        about = (About(session_id=session.id, run_id=wedge.run.run_id, step_id=_step(wedge)),)
        name = f"{wedge.what} ({short_id(wedge.subject)})"
        endless = wedge.consequence in ("repeats", "multiplies")
        if endless:
            inside = [call_text(e) for e in effects if e.step_id == wedge.subject and e.protection.acts]
            again = f" Each time {listed(dict.fromkeys(inside))} may act again." if inside else ""
            multiplies = wedge.consequence == "multiplies"
            what = "starts one more child run" if multiplies else "runs again"
            yield PlanStep(
                kind="act-now",
                does="stop-server",
                sentence=f"Stop every server on this store, and start none before the repair: {name} "
                f"{what} at every wake-up and can never commit ({wedge.code}).{again}",
                about=about,
                group=0,
            )
        if wedge.consequence == "needs-message":
            yield PlanStep(
                kind="act-now",
                does="send",
                sentence=f"Send the session a message: {name} is half written ({wedge.code}), and a "
                "message was seen to wake it up.",
                about=about,
                commands=(commands.send(place, session.id, "Please go on."),),
            )
        elif wedge.consequence == "unsent":
            yield PlanStep(
                kind="act-now",
                does="send",
                sentence=f"{wedge.repair} It does not go on by itself: {wedge.missing}.",
                about=about,
            )
        elif wedge.consequence == "fails":
            yield PlanStep(
                kind="act-now",
                does="send",
                sentence="Create the session again: this one cannot be continued. What its tools have "
                f"done so far stays{_acted(effects)}.",
                about=about,
            )
        elif wedge.consequence in ("repeats", "multiplies", "hangs"):
            yield _way_out(session, wedge, name, about, place, endless)


def _way_out(
    session: Session, wedge: Wedge, name: str, about: tuple[About, ...], place: Place, endless: bool
) -> PlanStep:
    # Where one lock is the whole repair it is named; the other repairs take more than one file.
    wanted = {"C1a": ".created", "F1": ".terminal"}.get(wedge.code, "")
    marks = [e.id for e in wedge.evidence if e.kind == "mark" and wanted and e.id.endswith(wanted)]
    path = marks[0] if len(marks) == 1 else ""
    command = commands.unlock(place, path, wedge.subject) if path and wedge.repair else None
    once = " What acts in it acts once more then: look that up first." if wedge.code == "F1" else ""
    repair = f"Then, on a copy: {wedge.repair}.{once}" if wedge.repair else "No repair was seen to work."
    named = name[:1].upper() + name[1:] if name.startswith(("a ", "an ", "the ")) else name
    begin = "" if endless else f"{named} hangs for good ({wedge.code}): {wedge.missing}. "
    eve = session.kind != "workflow"
    instead = " Or retire the session once a server is up." if eve and not endless else ""
    extra = (commands.reset(place, session.id),) if eve and not endless else ()
    return PlanStep(
        kind="act-now",
        does="repair",
        sentence=f"{begin}{repair}{instead}",
        about=about,
        commands=(*((command,) if command is not None else ()), *extra),
        group=0 if endless else 4,
    )


def _step(wedge: Wedge) -> str:
    return wedge.subject if wedge.subject.startswith("step_") else ""


def _acted(effects: Sequence[Effect]) -> str:
    names = [call_text(e) for e in effects if e.protection.acts and e.executions.max != 0][:4]
    return f" ({listed(dict.fromkeys(names))})" if names else ""


def park_steps(session: Session, voice: Voice, place: Place, ahead: Ahead | None) -> Iterator[PlanStep]:
    """Yield what a person, a clock or a task has to do to release what is parked."""
    dead = ahead is not None and ahead.sim.outcome in ("hangs", "fails")
    for park in session.parks:
        if not park.open or park.lost or recorded_answer(session.messages, park.request_id) is not None:
            continue
        about = (
            About(
                session_id=session.id,
                run_id=park.run_id,
                tool=park.tool or "",
                call_id=park.call_id or "",
                step_id=park.step_id or "",
            ),
        )
        if park.kind in ("approval", "question"):
            if dead:
                continue  # an answer to a session that cannot go on does nothing
            yield _ask(session, park, about, voice, place)
        elif park.kind == "sign-in":
            yield _step_of("act-now", f"Complete the sign-in{_asked(park)}.", about)
        elif park.kind == "timer" and park.due is not None and voice.now - park.due <= GRACE:
            yield PlanStep(
                kind="wait",
                does="wait",
                sentence=f"A durable sleep ends by itself {voice.at(park.due)}, when a server is up.",
                about=about,
                deadline=park.due if park.due > voice.now else None,
            )
        elif park.kind == "tasks":
            yield _step_of(
                "wait", f"It waits for {park.of_whom or 'its tasks'}: look at what they do.", about
            )
        elif park.kind == "webhook" and not _unsure(session, park):
            yield _step_of("wait", "It waits for a delivery to its hook.", about)


def _unsure(session: Session, park: Park) -> bool:
    """Whether the log does not say that the code has come to wait for its hook."""
    return any(r.run_id == park.run_id and between_steps(r) is not None for r in session.runs)


def _step_of(kind: str, sentence: str, about: tuple[About, ...]) -> PlanStep:
    if kind == "wait":
        return PlanStep(kind="wait", does="wait", sentence=sentence, about=about)
    return PlanStep(kind="act-now", does="answer", sentence=sentence, about=about)


def _asked(park: Park) -> str:
    return f': "{" ".join(park.asked.split())[:120]}"' if park.asked else ""


def _ask(session: Session, park: Park, about: tuple[About, ...], voice: Voice, place: Place) -> PlanStep:
    request = commands.request_of(session, park)
    action = request.get("action")
    given = action.get("input") if isinstance(action, dict) else None
    call = (
        f"{park.tool}({glimpse(given, 72)})" if park.tool and given is not None else park.tool or "The turn"
    )
    choices = commands.answers(place, session, park)
    names = [each.words.removeprefix("answer ") for each in choices]
    how = f" with {listed(names, 'or')}" if names else " with a text of your own"
    if park.kind == "approval":
        what = f"Decide on {call}: it waits for an approval {voice.since(park.since)}."
        after = " It acts when it is approved, and again if the process dies before its step is committed."
    else:
        what = f"Answer the question of {call}{_asked(park)}, open {voice.since(park.since)}."
        after = ""
    return PlanStep(
        kind="act-now",
        does="answer",
        sentence=f"{what} Answer request {park.request_id}{how}.{after}",
        certainty=park.certainty,
        about=about,
        commands=choices,
    )


def open_steps(
    session: Session, ahead: Ahead, bare: bool, effects: Sequence[Effect], voice: Voice
) -> Iterator[PlanStep]:
    """Yield what is left to say of work that goes on: it is safe to start, or only to be waited for.

    Args:
        session: the session.
        ahead: what lies ahead.
        bare: whether something unprotected runs again: then the steps about that say when to start.
        effects: the session's, to say what a start repeats behind a key.
        voice: now and zone.
    """
    sim = ahead.sim
    if bare or sim.outcome in ("nothing-open", "needs-person", "needs-message", "hangs", "fails"):
        return
    about = (About(session_id=session.id),)
    again = [s for s in sim.steps if s.verdict == "re-executed"]
    first = [e for e in sim.effects if e.before.max == 0 and e.after.max != 0]
    kept = [e for e in sim.effects if e.before.max != 0 and e.after.max != 0]
    told = "Nothing that has acted unprotected runs again."
    if kept:
        told = f"{listed(dict.fromkeys(e.tool for e in kept))} runs again, behind a key or as a reader."
    if first:
        told += f" {listed(dict.fromkeys(e.tool for e in first))} runs for the first time."
    unseen = any(s.function == "turnStep" for s in again) and not kept and not first
    certainty = "implied"
    if unseen:
        certainty = "unknown"
        told = (
            "The journal shows no call in the step that runs again; one of its last moments need not have "
            "reached the stream."
        )
    at = sim.earliest if sim.earliest is not None and sim.earliest > voice.now else None
    if at is not None and ahead.itself:
        yield PlanStep(
            kind="wait",
            does="wait",
            sentence=f"If its process died, the work goes on by itself {voice.at(at)}, when a server is "
            f"up. {told}",
            certainty=certainty,  # type: ignore[arg-type]
            about=about,
            deadline=at,
        )
        return
    yield PlanStep(
        kind="safe-to-start",
        does="start-server",
        sentence=f"The work goes on with {ahead.start}. {told}",
        certainty=certainty,  # type: ignore[arg-type]
        about=about,
    )


def state_steps(
    session: Session, verdicts: Iterable[Verdict], effects: Sequence[Effect], place: Place
) -> Iterator[PlanStep]:
    """Yield what single verdicts ask for that neither effects, parks nor commits tell."""
    for verdict in verdicts:
        about = (About(session_id=session.id, run_id=verdict.run_id, step_id=verdict.step_id),)
        if verdict.code == "stranded":
            own = session.eve_version or "the version that built it"
            yield PlanStep(
                kind="hold",
                does="reset",
                sentence=f"Only eve {own} can go on with this session: open the store with that version, or "
                "retire the session.",
                certainty=verdict.certainty,
                about=about,
                commands=(commands.reset(place, session.id),),
            )
        elif verdict.code == "stuck" and session.kind != "workflow":
            # Seen: a message changes nothing, the old code put back changes nothing
            # (docs/evidence/fates.md#failed-children).
            yield PlanStep(
                kind="act-now",
                does="reset",
                sentence="Nothing will wake this session, a message does not either. Look at what it has done"
                f"{_acted(effects)}, then retire it and do what is missing in a new one: a new session "
                "repeats what it is asked for again.",
                certainty=verdict.certainty,
                about=about,
                commands=(commands.reset(place, session.id),),
            )
        elif verdict.code == "stuck":
            yield PlanStep(
                kind="act-now",
                does="start-server",
                sentence=f"Nothing wakes this run by itself. {start_words(session, session.runs[-1])}: its "
                "next step runs then, and what is committed is not run again. A new run in its place would "
                f"repeat all of it{_acted(effects)}.",
                certainty=verdict.certainty,
                about=about,
            )
        elif verdict.code == "failed-turn":
            inside = [e for e in effects if e.turn_id == verdict.turn_id and e.protection.acts]
            if any(e.executions.max != 0 for e in inside):
                yield PlanStep(
                    kind="look-up",
                    does="look",
                    sentence=f"Look at what {verdict.turn_id.replace('_', ' ')} did before it failed"
                    f"{_acted(inside)}, then send its message again if it is still wanted: the same "
                    "message asks for all of it again.",
                    certainty=verdict.certainty,
                    about=about,
                )
        elif verdict.code == "two-processes":
            yield PlanStep(
                kind="act-now",
                does="look",
                sentence="Let one process work on this store: two run the same steps, and their effects, "
                "twice.",
                certainty=verdict.certainty,
                about=about,
                group=0,
            )
        elif verdict.code == "no-log":
            yield PlanStep(
                kind="look-up",
                does="look",
                sentence="Read the store where its event log can be read: without it nothing can be said "
                "of what is open.",
                certainty="unknown",
                about=about,
            )
