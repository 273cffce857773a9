"""The notebook front end: explorer, crash lab, attempt diff, lessons, tables. Needs ``eve-replay[notebook]``.

Anything that names a session will do: a session, a journal, a source, or a turn, step or attempt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eve_replay.errors import EveReplayError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from eve_replay.notebook.classroom import Desk
    from eve_replay.notebook.tables import Rows
    from eve_replay.notebook.widgets import JournalWidget
    from eve_replay.workshop.task import Task

__all__ = ["attempt_diff", "crash_lab", "explore", "lesson", "table"]


def explore(
    target: Any, session: Any = None, *, live: bool = False, now: datetime | None = None, **options: Any
) -> JournalWidget:
    """Return the explorer of a session: tree, timeline and inspector under one cursor.

    Args:
        target: a source, journal, session, turn, step or attempt; it opens at what it was given.
        session: id of the session, when the target holds several; the last one otherwise. For a turn, step or
            attempt its session or journal; without it the variables of the notebook are looked through.
        live: follow a local folder or a Postgres database: new events arrive while the cell stands there,
            until ``close()``. The target must be a journal or a source.
        now: the instant that ``why`` reckons from, with a time zone; the clock's by default.
        **options: ``effects`` (effects policy), and options of ``open_world``.

    Raises:
        EveReplayError: there is no session, it cannot be followed, or the notebook extra is not installed.
    """
    from eve_replay.notebook.opening import explorer_widget

    return explorer_widget(_checked(target), session, live=live, now=now, **options)


def crash_lab(
    target: Any, turn: str | None = None, *, predict: bool = False, **options: Any
) -> JournalWidget:
    """Return the crash lab of a turn: a crash line to move, and what a crash there would do.

    Args:
        target: a source, journal, session, turn, step or attempt.
        turn: ``turn_0`` and so on; the last turn of the session otherwise.
        predict: hide each answer until the person has guessed.
        **options: ``session``, ``effects``, and options of ``open_world``.

    Raises:
        EveReplayError: there is no such turn, or the notebook extra is not installed.
    """
    from eve_replay.notebook.opening import lab_widget

    return lab_widget(_checked(target), turn, predict=predict, **options)


def attempt_diff(target: Any, first: int = 1, second: int | None = None, **options: Any) -> JournalWidget:
    """Return two attempts of a step side by side, duplicate effects on top.

    Args:
        target: a step or attempt, or a source, journal, session or turn: then its first step that ran again.
        first: number of one attempt.
        second: number of the other, the last one without it.
        **options: ``step`` (id), ``session``, ``effects``, and options of ``open_world``.

    Raises:
        EveReplayError: no step ran more than once, or the notebook extra is not installed.
    """
    from eve_replay.notebook.opening import diff_widget

    return diff_widget(_checked(target), first, second, **options)


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
    from eve_replay.notebook.classroom import desk

    return desk(_checked(number), language, folder, now=now)


def table(rows: Sequence[Mapping[str, Any] | Sequence[Any]], *columns: str, turned: bool = False) -> Rows:
    """Return rows as a table to look at. It needs no pandas.

    Args:
        rows: dicts, one per row (a ledger, say), or lists: a grid whose rows and columns are numbered from 0.
        *columns: which keys to show, in order; all there are without any.
        turned: keys become rows, and rows become columns numbered from 0.
    """
    from eve_replay.notebook.tables import Rows

    return Rows(rows, columns, turned=turned)


def _checked(target: Any) -> Any:
    try:
        import anywidget  # noqa: F401  # only whether it is there
    except ImportError as error:
        raise EveReplayError(
            f"Notebook widgets need anywidget ({error}).", hint="pip install 'eve-replay[notebook]'."
        ) from error
    return target
