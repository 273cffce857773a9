"""The notebook front end: explorer, crash lab, attempt diff, why, lessons, tables.

Anything that names a session will do: a source, journal or session, or a run, turn, step, attempt or call.
The widgets need ``eve-replay[notebook]``; ``why`` and ``table`` do not.
"""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from eve_replay.errors import EveReplayError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, tzinfo
    from os import PathLike
    from pathlib import Path

    from eve_replay.codec import KeyRing
    from eve_replay.guidance import Report
    from eve_replay.journal import Journal, Session, Step, Turn
    from eve_replay.journal.effects.policy import EffectsLike
    from eve_replay.journal.ledger.model import LedgerLike
    from eve_replay.journal.targets import Target
    from eve_replay.notebook.classroom import Desk
    from eve_replay.notebook.explorer_widget import Condition, ExplorerWidget
    from eve_replay.notebook.recheck import Recheck
    from eve_replay.notebook.side import SidePage
    from eve_replay.notebook.tables import Rows
    from eve_replay.notebook.widgets import JournalWidget
    from eve_replay.recovery import Question
    from eve_replay.views.stepping.moment import Moment
    from eve_replay.workshop.task import Task

__all__ = [
    "attempt_diff",
    "check_again",
    "crash_lab",
    "explore",
    "lesson",
    "postmortem",
    "run_until",
    "side_by_side",
    "table",
    "why",
]


def explore(
    target: Target,
    session: str | Session | Journal | None = None,
    *,
    at: str | None = None,
    effects: EffectsLike = None,
    ledger: LedgerLike | None = None,
    now: datetime | None = None,
    live: bool = False,
    keys: KeyRing | None = None,
    reveal: bool = False,
    language: str | None = None,
) -> ExplorerWidget:
    """Return the explorer of a session: tree, timeline and inspector under one cursor.

    It works both ways: ``w.selected`` is the object under the cursor, ``w.select(x)`` moves it,
    ``w.on_select(f)`` hears of it, ``w.break_on(condition)`` makes its keys stop where a condition fits.

    Args:
        target: a source, journal, session, run, turn, step, attempt or tool call; it opens there.
        session: id of the session, when the target holds several; the last conversation otherwise.
        at: where to open: the id of an event, chunk, run, turn, step or call, or the end of one; what the
            page's "copy link" wrote.
        effects: what the user knows of their tools: an effects policy, its TOML file, or a dict.
        ledger: what really happened outside: a file, rows, a data frame or a database connection. Its counts
            count in every tab, and it is drawn as a lane.
        now: the instant that ``why`` reckons from, with a time zone; the clock's by default.
        live: follow a local folder or a Postgres database: new events arrive while the cell stands there,
            until ``close()``. The target must be a journal or a source.
        keys: keys for encrypted payloads, when the target is a source.
        reveal: show what looks like a secret instead of hiding it; a saved page then holds it too.
        language: ``en`` or ``zh``; the lesson's when one is open, else English.

    Raises:
        EveReplayError: there is no session, it cannot be followed, or the notebook extra is not installed.

    Example::

        explore("sample:crash-in-tool", effects={"charge_card": "keyed:call-id"})
    """
    _need_widgets()
    from eve_replay.notebook.language import spoken
    from eve_replay.notebook.opening import explorer_widget

    return explorer_widget(
        target,
        session,
        at=at,
        effects=effects,
        ledger=ledger,
        now=now,
        live=live,
        keys=keys,
        reveal=reveal,
        language=spoken(language),
    )


def run_until(
    target: Target,
    condition: Condition,
    *,
    session: str | Session | Journal | None = None,
    after: Moment | int | None = None,
    backwards: bool = False,
    effects: EffectsLike = None,
    ledger: LedgerLike | None = None,
    now: datetime | None = None,
    keys: KeyRing | None = None,
) -> ExplorerWidget:
    """Stop at the first moment that a condition fits, and return the explorer open there.

    ``n`` goes on to the next hit, ``b`` back to the one before; ``w.moment`` is the moment itself. A
    condition that looks at names decodes nothing; one that asks ``m.state`` decodes the states it comes to.

    Args:
        target: a source, journal or session, or a part of one: the whole session is meant.
        condition: takes a ``Moment`` and says whether to stop.
        session: id of the session, when the target holds several; the last conversation otherwise.
        after: begin behind this moment (before it, if ``backwards``): a Moment or its number.
        backwards: look from the end, or from ``after``, to the beginning.
        effects: what the user knows of their tools.
        ledger: what really happened outside.
        now: the instant to reckon from, with a time zone; the clock's by default.
        keys: keys for encrypted payloads, when the target is a source.

    Raises:
        NotFound: no moment fits.
        WrongUse: the condition itself failed; the message says where.

    Example::

        run_until(session, lambda m: m.tool == "charge_card" and m.state.at("$.cart.total") > 100)
    """
    _need_widgets()
    from eve_replay.notebook.opening import stopped_widget

    return stopped_widget(
        target,
        condition,
        session,
        after=after,
        backwards=backwards,
        effects=effects,
        ledger=ledger,
        now=now,
        keys=keys,
    )


def crash_lab(
    target: Target,
    turn: str | int | Turn | None = None,
    *,
    session: str | Session | Journal | None = None,
    question: Question | None = None,
    effects: EffectsLike = None,
    predict: bool = False,
    few: bool = False,
    keys: KeyRing | None = None,
    language: str | None = None,
) -> JournalWidget:
    """Return the crash lab of a turn: a crash line to move, and what a crash there would do.

    Args:
        target: a source, journal, session, run, turn, step, attempt or tool call.
        turn: ``"turn_0"``, ``0`` or a Turn; the target's own, or the last turn of the session.
        session: id of the session, when the target holds several; the last conversation otherwise.
        question: what is assumed at first; each part can be changed in the widget.
        effects: what the user knows of their tools.
        predict: hide each answer until the person has guessed.
        few: show few controls, as a lesson does: what the model gives, and whether to guess.
        keys: keys for encrypted payloads, when the target is a source.
        language: ``en`` or ``zh``; the lesson's when one is open, else English.

    Raises:
        EveReplayError: there is no such turn, or the notebook extra is not installed.
    """
    _need_widgets()
    from eve_replay.notebook.language import spoken
    from eve_replay.notebook.opening import lab_widget

    return lab_widget(
        target,
        turn,
        session=session,
        question=question,
        effects=effects,
        predict=predict,
        few=few,
        keys=keys,
        language=spoken(language),
    )


def attempt_diff(
    target: Target,
    first: int = 1,
    second: int | None = None,
    *,
    session: str | Session | Journal | None = None,
    step: str | Step | None = None,
    effects: EffectsLike = None,
    ledger: LedgerLike | None = None,
    keys: KeyRing | None = None,
    language: str | None = None,
) -> JournalWidget:
    """Return two attempts of a step side by side, duplicate effects on top.

    Args:
        target: a step, attempt or tool call, or what holds one: then its first step that ran again.
        first: number of one attempt, from 1.
        second: number of the other, the last one without it.
        session: id of the session, when the target holds several; the last conversation otherwise.
        step: the step, or the end of its id, when the target holds several.
        effects: what the user knows of their tools.
        ledger: what really happened outside; its counts count.
        keys: keys for encrypted payloads, when the target is a source.
        language: ``en`` or ``zh``; the lesson's when one is open, else English.

    Raises:
        EveReplayError: no step ran more than once, or the notebook extra is not installed.
    """
    _need_widgets()
    from eve_replay.notebook.language import spoken
    from eve_replay.notebook.opening import diff_widget

    return diff_widget(
        target,
        first,
        second,
        session=session,
        step=step,
        effects=effects,
        ledger=ledger,
        keys=keys,
        language=spoken(language),
    )


def side_by_side(
    target: Target,
    turn: str | int | Turn | None = None,
    *,
    session: str | Session | None = None,
    runtimes: Sequence[str] = ("eve", "flue"),
    effects: EffectsLike = None,
    all_points: bool = False,
) -> SidePage:
    """Return one recorded turn under several runtimes' rules, as a table that a notebook shows.

    Args:
        target: a source, journal or session, or a part of one.
        turn: the turn (or submission), where there are several.
        session: id of the session, when the target holds several.
        runtimes: whose rules.
        effects: what the user knows of their tools.
        all_points: a row for every crash point, also where nothing changes from one to the next.

    Raises:
        NotFound, WrongUse: as ``eve_replay.matrix``.

    Example::

        side_by_side("sample:flue-durable-end", runtimes=["eve", "flue"])
    """
    from eve_replay.notebook.side import SidePage
    from eve_replay.recovery.side_by_side import side_by_side as compared

    found = compared(target, turn, session=session, runtimes=runtimes, effects=effects)
    return SidePage(found, all_points=all_points)


def why(
    target: Target,
    *,
    session: str | Session | Journal | None = None,
    question: Question | None = None,
    effects: EffectsLike = None,
    ledger: LedgerLike | None = None,
    now: datetime | None = None,
    eve: str | None = None,
    zone: tzinfo = UTC,
) -> Report:
    """Return the post-mortem of a session: what happened, what is open, and the next safe step.

    Args:
        target: a source, journal or session, or a part of a session: the whole session is meant.
        session: id of the session, when the target holds several.
        question: what is assumed; ``lease_seconds`` of it is the lease of inline starts.
        effects: what the user knows of their tools.
        ledger: what really happened outside: a file, rows, a data frame or a database connection.
        now: the instant that "overdue" is reckoned from, with a time zone; the clock's by default.
        eve: the version that is to open the journal; with it other versions' sessions are called stranded.
        zone: zone of clock times in sentences.

    Raises:
        NotFound: there is no such session.
        WrongUse: an argument of another kind, or several sessions and none named.

    Example::

        for verdict in why("sample:crash-in-tool").verdicts:
            print(verdict.sentence)
    """
    from eve_replay.guidance.why import why as why_at
    from eve_replay.notebook.clock import clock_at

    return why_at(
        target,
        session=session,
        question=question,
        effects=effects,
        ledger=ledger,
        now=clock_at(now)(),
        eve=eve,
        zone=zone,
    )


def postmortem(
    target: Target,
    path: str | PathLike[str],
    *,
    session: str | Session | Journal | None = None,
    effects: EffectsLike = None,
    ledger: LedgerLike | None = None,
    redact: bool = False,
    now: datetime | None = None,
    keys: KeyRing | None = None,
    force: bool = False,
) -> Path:
    """Write the post-mortem of a session: a notebook to discuss and archive, or Markdown for a ticket.

    It holds what happened, what to do, the timeline, the attempts, the ledger and the evidence. A notebook
    also has the explorer and the attempts as they were, stepping without Python, and a last cell that looks
    at the newest journal: green when nothing is open and nothing happened since, else red.

    Args:
        target: a source, journal or session, or a part of one: the whole session is meant.
        path: the file, ``incident.ipynb`` or ``incident.md``.
        session: id of the session, when the target holds several; the last conversation otherwise.
        effects: what the user knows of their tools.
        ledger: what really happened outside: a file, rows, a data frame or a database connection.
        redact: replace secrets, tokens, addresses and card numbers before anything is read; the file then
            does not say where the journal is.
        now: the instant to reckon from, with a time zone; the clock's by default.
        keys: keys for encrypted payloads, when the target is a source.
        force: write over a file that is there.

    Returns:
        The path.

    Raises:
        NotFound: there is no such session.
        WrongUse: the file exists, cannot be written, or is of another kind.
        EveReplayError: the notebook extra is not installed (Markdown needs none).

    Example::

        postmortem("sample:crash-in-tool", "incident.ipynb", ledger="payments.csv")
    """
    from pathlib import Path

    if Path(path).suffix == ".ipynb":
        _need_widgets()
    from eve_replay.notebook.postmortem import write_postmortem

    return write_postmortem(
        target,
        path,
        session=session,
        effects=effects,
        ledger=ledger,
        redact=redact,
        now=now,
        keys=keys,
        force=force,
    )


def check_again(
    target: Target,
    session: str,
    *,
    then: Mapping[str, object],
    settled: Sequence[str] = (),
    effects: EffectsLike = None,
    ledger: LedgerLike | None = None,
    now: datetime | None = None,
) -> Recheck:
    """Look at the newest journal of a post-mortem again: the last cell of its notebook.

    Args:
        target: where the journal is now; empty when nobody said.
        session: id of the session.
        then: what the post-mortem found.
        settled: words of what people have done since (a tool, a kind of step): open steps that hold one of
            them count as done.
        effects: what the user knows of their tools.
        ledger: what really happened outside, as it is now.
        now: the instant to reckon from, with a time zone; the clock's by default.
    """
    from eve_replay.notebook.recheck import check_again as look

    return look(target, session, then=then, settled=settled, effects=effects, ledger=ledger, now=now)


def lesson(
    number: str | int | Task, *, language: str = "en", folder: str = ".", now: datetime | None = None
) -> Desk:
    """Return the desk of a lesson of the workshop: its predictions, its stage and its check.

    Args:
        number: ``"04"``, ``4``, the lesson's name, or a task of your own.
        language: ``en`` or ``zh``.
        folder: where the progress is kept; the notebook's own folder.
        now: the instant that is written down for what is done, with a time zone; the clock's by default.

    Raises:
        EveReplayError: there is no such lesson or language, or the notebook extra is not installed.
    """
    _need_widgets()
    from eve_replay.notebook.classroom import desk

    return desk(number, language, folder, now=now)


def table(rows: Sequence[Mapping[str, Any] | Sequence[Any]], *columns: str, turned: bool = False) -> Rows:
    """Return rows as a table to look at. It needs no pandas.

    Args:
        rows: dicts, one per row (a ledger, say), or lists: a grid whose rows and columns are numbered from 0.
        *columns: which keys to show, in order; all there are without any.
        turned: keys become rows, and rows become columns numbered from 0.
    """
    from eve_replay.notebook.tables import Rows

    return Rows(rows, columns, turned=turned)


def _need_widgets() -> None:
    try:
        import anywidget  # noqa: F401  # only whether it is there
    except ImportError as error:
        raise EveReplayError(
            f"Notebook widgets need anywidget ({error}).", hint="pip install 'eve-replay[notebook]'."
        ) from error
