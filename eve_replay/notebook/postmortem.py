"""A post-mortem as a notebook that a team can discuss and archive, or as Markdown for a ticket.

The notebook holds its pictures as they were: widgets in their saved form, which step without Python. Its last
cell looks again at the newest journal.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from os import PathLike
from pathlib import Path
from pprint import pformat
from tempfile import TemporaryDirectory
from typing import Any

from eve_replay.codec import KeyRing
from eve_replay.errors import WrongUse
from eve_replay.guidance.why import why
from eve_replay.journal import Journal, Session
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.joined import journal_of
from eve_replay.journal.ledger.model import Ledger, LedgerLike
from eve_replay.journal.targets import Target, locate
from eve_replay.notebook.clock import clock_at
from eve_replay.notebook.recheck import facts_of
from eve_replay.report.blocks import Block, to_markdown
from eve_replay.report.incident import Incident
from eve_replay.times import iso
from eve_replay.views.session.explorer import Explorer
from eve_replay.worlds.base import World

__all__ = ["write_postmortem"]

_KINDS = (".ipynb", ".md")
#: Lines of a ledger that is no file which may stand in a cell.
_LINES = 200


def write_postmortem(
    target: Target,
    path: str | PathLike[str],
    *,
    session: str | Session | Journal | None,
    effects: EffectsLike,
    ledger: LedgerLike | None,
    redact: bool,
    now: datetime | None,
    keys: KeyRing | None,
    force: bool,
) -> Path:
    """Write it, aside and then under its name, and return the path. Raises NotFound, WrongUse."""
    place = Path(path)
    if place.suffix not in _KINDS:
        raise WrongUse(f"{place.name} is neither a notebook nor Markdown.", hint="End it with .ipynb or .md.")
    if place.exists() and not force:
        raise WrongUse(f"{place} exists.", hint="Give another name, or force=True to overwrite it.")
    located = locate(target, session=session, several="last", keys=keys)
    book = None if ledger is None else Ledger.load(ledger)
    when = clock_at(now)()
    found = located.session
    journal = located.journal or journal_of(found)
    source = _source(target, journal)
    if not redact:
        text = _written(place, found, source, effects, book, when, ledger=ledger)
    else:
        if journal is None:
            raise WrongUse(
                "The journal of this session is not at hand any more.", hint="Give the source itself."
            )
        with _redacted(journal.world, found, keys) as copy:
            hidden = Ledger.from_rows(_plain(book), origin=book.origin) if book is not None else None
            one = copy.session(found.id)
            text = _written(place, one, "", effects, hidden, when, redacted=True)
    part = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8", errors="backslashreplace")
        part.replace(place)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise WrongUse(f"{place} cannot be written: {error.strerror or error}.") from None
    return place


def _written(
    place: Path,
    session: Session,
    source: str,
    effects: EffectsLike,
    book: Ledger | None,
    now: datetime,
    *,
    ledger: LedgerLike | None = None,
    redacted: bool = False,
) -> str:
    report = why(session, effects=effects, ledger=book, now=now)
    incident = Incident(
        view=Explorer(session, effects, book),
        report=report,
        now=now,
        source=source if not redacted else "",
        redacted=redacted,
        ledger=book.origin if book is not None else "",
    )
    if place.suffix == ".md":
        return to_markdown(incident.blocks())
    lines: object = str(Path(ledger).resolve()) if isinstance(ledger, str | PathLike) else None
    if lines is None and book is not None and len(book.entries) <= _LINES:
        lines = _plain(book)
    known = effects if isinstance(effects, str | dict) else None
    cells = _cells(incident, source, known, lines)
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook = {
        "cells": [{**cell, "id": f"cell-{n}"} for n, cell in enumerate(cells)],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1)


def _cells(
    incident: Incident,
    source: str,
    effects: object,
    ledger: object,
) -> Iterator[dict[str, Any]]:
    from eve_replay.notebook.opening import diff_widget, explorer_widget

    view = incident.view
    session = view.session
    yield _text(incident.head())
    yield _text(incident.plan())
    where = f'os.environ.get("EVE_REPLAY_SOURCE") or {source!r}'
    yield _code(
        "import os\n\nimport eve_replay as er\nfrom eve_replay.notebook import check_again\n\n"
        f"SOURCE = {where}  # where the journal is now\n"
        f"SESSION = {session.id!r}\nEFFECTS = {effects!r}  # what is known of the tools\n"
        f"# what really happened outside: a file, or its lines\n"
        f"LEDGER = {pformat(ledger, width=100, sort_dicts=False)}"
    )
    yield _text(incident.timeline())
    shown = explorer_widget(
        session,
        None,
        effects=view.policy,
        ledger=view.ledger,
        now=incident.now,
        live=False,
        keys=None,
    )
    yield _code(_when_there("er.explore(SOURCE, SESSION, effects=EFFECTS, ledger=LEDGER)"), shown)
    yield _text(incident.attempts())
    if session.repeated:
        pair = diff_widget(
            session,
            1,
            None,
            session=None,
            step=None,
            effects=view.policy,
            ledger=view.ledger,
            keys=None,
        )
        yield _code(
            _when_there("er.attempt_diff(SOURCE, session=SESSION, effects=EFFECTS, ledger=LEDGER)"), pair
        )
    yield _text(incident.outside())
    yield _text(incident.evidence())
    yield {
        "cell_type": "markdown",
        "metadata": {},
        "source": "## Is it over?\n\nThe next cell looks at the newest journal. It is red while something "
        "is open, or when something happened since. What people did outside no journal tells: write it "
        "into `settled`.",
    }
    facts = pformat(facts_of(incident.report, incident.now), width=100, sort_dicts=False)
    yield _code(
        "settled = []  # tools, or words of a step above, that somebody has taken care of\n"
        f"then = {facts}\n"
        "check_again(SOURCE, SESSION, then=then, settled=settled, effects=EFFECTS, ledger=LEDGER)"
    )


def _when_there(call: str) -> str:
    return f"if SOURCE:\n    display({call})"


def _text(blocks: Iterable[Block]) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": to_markdown(blocks).strip()}


def _code(source: str, shown: Any = None) -> dict[str, Any]:
    outputs: list[dict[str, object]] = []
    if shown is not None:
        data = {"text/plain": repr(shown), "text/html": shown.to_html()}
        outputs.append({"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": 1})
        shown.close()
    count = 1 if outputs else None
    return {
        "cell_type": "code",
        "metadata": {},
        "execution_count": count,
        "outputs": outputs,
        "source": source,
    }


def _source(target: Target, journal: Journal | None) -> str:
    """Return where the journal can be opened again, empty when nobody can tell."""
    if isinstance(target, str | PathLike):
        text = str(target)
    else:
        text = journal.world.label if journal is not None else ""
        if not text.startswith("sample:") and not Path(text).exists():
            return ""
    return str(Path(text).resolve()) if text and Path(text).exists() else text


def _plain(book: Ledger) -> list[Mapping[str, object]]:
    """Return the lines of a ledger without what only the outside knows: names, times and ids are left."""
    names = ("effect", "key", "call_id", "session_id", "run_id", "step_id", "attempt")
    rows: list[Mapping[str, object]] = []
    for entry in book.entries:
        row = {name: value for name in names if (value := getattr(entry, name)) is not None}
        row |= {} if entry.at is None else {"at": iso(entry.at)}
        rows += [row] * min(max(entry.times, 0), _LINES)
    return rows


@contextmanager
def _redacted(world: World, session: Session, keys: KeyRing | None) -> Iterator[Journal]:
    """Give a copy of the session's runs without secrets, in a file that is gone afterwards."""
    from eve_replay.redaction.redact import Redactor
    from eve_replay.worlds.bundle.write import find_secrets_in, write_bundle
    from eve_replay.worlds.registry import open_world

    salt = secrets.token_bytes(32)
    runs = [run.run_id for run in session.all_runs]
    first = Redactor(salt, drop_encrypted=True, keys=keys)
    found = find_secrets_in(world, first, runs=runs)
    second = Redactor(salt, drop_encrypted=True, keys=keys, literals=found, deltas=first.deltas)
    with TemporaryDirectory(prefix="eve-replay-") as folder:
        file = Path(folder) / "redacted.everun"
        with file.open("xb") as out:
            write_bundle(world, out, runs=runs, redactor=second)
        copy = open_world(str(file))
        try:
            yield Journal(copy)
        finally:
            copy.close()
