"""Tells a running IPython how to show the public objects. Loaded only inside IPython, imports nothing of it.

The objects live in layers that know nothing of views, so they have no display methods of their own: IPython
is told by class name, and the views are imported when the first object is shown.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["register"]

#: Module and class (or a base of it) of everything that has a portrait (``views/session/reprs.py``).
SHOWN: tuple[tuple[str, str], ...] = (
    ("eve_replay.brief", "Brief"),
    ("eve_replay.journal.facade", "LazySequence"),
    ("eve_replay.journal.facade", "Journal"),
    ("eve_replay.journal.model", "Session"),
    ("eve_replay.journal.model", "Turn"),
    ("eve_replay.journal.model", "Step"),
    ("eve_replay.journal.model", "Attempt"),
    ("eve_replay.codec.payload", "Payload"),
    ("eve_replay.diff.attempts", "AttemptDiff"),
    ("eve_replay.views.diffs.diff", "DiffView"),
    ("eve_replay.views.diffs.attempts", "AttemptDiffView"),
    ("eve_replay.recovery.result", "Simulation"),
    ("eve_replay.recovery.matrix", "Matrix"),
    ("eve_replay.checks.finding", "Verdict"),
    ("eve_replay.checks.finding", "Finding"),
    ("eve_replay.guidance.why", "Report"),
    ("eve_replay.worlds.local.world", "LocalWorld"),
    ("eve_replay.worlds.memory", "MemoryWorld"),
    ("eve_replay.worlds.combined", "CombinedWorld"),
    ("eve_replay.worlds.postgres.world", "PostgresWorld"),
    ("eve_replay.worlds.pgdump.world", "PgDumpWorld"),
    ("eve_replay.worlds.export.world", "ExportWorld"),
    ("eve_replay.worlds.export.dump", "DumpWorld"),
    ("eve_replay.worlds.mongo.world", "MongoWorld"),
    ("eve_replay.worlds.redis.world", "RedisWorld"),
    ("eve_replay.worlds.hosted.world", "HostedWorld"),
)
#: What shows itself as a widget where there is one, and as text otherwise.
BUNDLED: tuple[tuple[str, str], ...] = (("eve_replay.workshop.verdict", "Verdict"),)


def register() -> None:
    """Register with the running IPython, if there is one. Called when the package is imported."""
    module = sys.modules.get("IPython")
    shell: Any = module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None
    if shell is None:
        return
    html = shell.display_formatter.formatters["text/html"]
    text = shell.display_formatter.formatters["text/plain"]
    for home, name in SHOWN:
        html.for_type_by_name(home, name, _html)
        text.for_type_by_name(home, name, _text)
    bundle = shell.display_formatter.mimebundle_formatter
    for home, name in BUNDLED:
        bundle.for_type_by_name(home, name, _bundle)


def _html(thing: object) -> str:
    from eve_replay.notebook.language import spoken
    from eve_replay.views.kit.html import html_of, lines_html

    language = spoken(None)
    if language == "en":
        return html_of(thing)
    from eve_replay.views.session.spoken import spoken_portrait

    return lines_html(spoken_portrait(thing, language), label=type(thing).__name__)


def _bundle(thing: Any, **options: Any) -> Any:
    try:
        from eve_replay.notebook.classroom import verdict_widget
    except ImportError:  # without the notebook extra it is text
        return None
    return verdict_widget(thing)._repr_mimebundle_(**options)


def _text(thing: object, printer: Any, cycle: bool) -> None:
    from eve_replay.views.kit.html import text_of

    # In a list or a dict a line each: a portrait there is a wall.
    inside = len(getattr(printer, "stack", ())) > 1
    printer.text(type(thing).__name__ if cycle else repr(thing) if inside else text_of(thing))
