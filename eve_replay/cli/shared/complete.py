"""What can be typed next: samples, files, ids, turns, tools, strategies, runtimes, statuses.

Asked by the shell on every TAB, so it answers within a fifth of a second or not at all: only folders and
bundles of this machine are looked into, names before records, and what takes longer is given up.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from eve_replay.cli.shared.options import SOURCE_VARIABLE

__all__ = ["completed"]

#: Seconds of processor time that looking into a journal may take.
_PATIENCE = 0.15
#: The most ids that are offered at once.
_MOST = 200

Words = Iterable[str | tuple[str, str]]


if TYPE_CHECKING:
    _Texts = click.ParamType[str]
else:
    _Texts = click.ParamType  # takes no parameter before click 8.3


class _Word(_Texts):
    """A text whose values are known to somebody."""

    name = "text"

    def __init__(self, known: Callable[[click.Context, str], Words | None]) -> None:
        self.known = known

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text as it is."""
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return what fits; None of the function means a file."""
        found: Words | None = ()
        with suppress(Exception), _within(_PATIENCE):  # a TAB never shows an error
            found = self.known(ctx, incomplete)
            found = None if found is None else list(found)
        if found is None:
            return [CompletionItem(incomplete, type="file")]
        pairs = [(each, None) if isinstance(each, str) else each for each in found]
        return [CompletionItem(word, help=text) for word, text in pairs if word.startswith(incomplete)]


def completed(command: click.Command) -> click.Command:
    """Give the options and words of a command what completes them, by their spelling."""
    for param in command.params:
        name = param.opts[-1] if isinstance(param, click.Option) else param.name
        known = _KNOWN.get(name or "")
        if known is not None and isinstance(param.type, type(click.STRING)):
            param.type = _Word(known)
    return command


# -- sources ------------------------------------------------------------------------------------


def _sources(ctx: click.Context, incomplete: str) -> Words | None:
    if incomplete.startswith("sample:") or not incomplete or "sample:".startswith(incomplete):
        from eve_replay.samples import names

        samples = [f"sample:{name}" for name in names()]
        here = [] if incomplete else sorted(path.name + "/" for path in Path().iterdir() if path.is_dir())
        return samples + [name for name in here if not name.startswith(".")]
    return None


def _source_or(known: Callable[[click.Context, str], Words]) -> Callable[[click.Context, str], Words | None]:
    """Complete ``[SOURCE] WORD``: the first word may be either."""

    def words(ctx: click.Context, incomplete: str) -> Words | None:
        given = [word for name, word in ctx.params.items() if name.startswith("words")]
        first = not any(given) and not ctx.params.get("read")
        if first and ("/" in incomplete or incomplete.startswith((".", "~", "sample:"))):
            return _sources(ctx, incomplete)
        ids: list[str | tuple[str, str]] = []
        with suppress(Exception):  # without a source before it, the current folder need not be one
            ids = [*known(ctx, incomplete)]
        if not first:
            return ids
        sources = _sources(ctx, incomplete)
        if sources is None and not any(_word(each).startswith(incomplete) for each in ids):
            return None
        return [*ids, *(sources or ())]

    return words


def _word(known: str | tuple[str, str]) -> str:
    return known if isinstance(known, str) else known[0]


def _source_of(ctx: click.Context) -> str:
    """Return the source that has been typed, or the one that is read without."""
    for name in ("read", "read_from", "source"):
        if ctx.params.get(name):
            return str(ctx.params[name])
    for name, words in ctx.params.items():
        if name.startswith("words") and words:
            return str(words[0])
    if ctx.args:  # while the value of an option is missing, the words are not given out yet
        return str(ctx.args[0])
    return os.environ.get(SOURCE_VARIABLE) or "."


def _journal(ctx: click.Context) -> Any:
    """Return the journal of a source of this machine. Raises for every other: a TAB asks no database."""
    from eve_replay.journal import Journal
    from eve_replay.worlds.registry import open_world

    where = _source_of(ctx)
    if "://" in where:
        raise click.UsageError("not on this machine")
    return Journal(open_world(where))


# -- what a journal holds ------------------------------------------------------------------------------------


def _runs(ctx: click.Context, incomplete: str) -> Words:
    return list(_journal(ctx).run_ids)[-_MOST:]


def _sessions(ctx: click.Context, incomplete: str) -> Words:
    journal = _journal(ctx)
    if journal.by_name:
        return list(journal.run_ids)[-_MOST:]
    return [(head.id, head.status) for head in journal.heads][-_MOST:]


def _session(ctx: click.Context) -> Any:
    """Return the session that is meant, or the only one."""
    journal = _journal(ctx)
    wanted = ctx.params.get("session")
    if wanted is None and len(journal.heads) > 1:
        raise click.UsageError("which one?")
    return journal.session(wanted)


def _turns(ctx: click.Context, incomplete: str) -> Words:
    return [(turn.id, turn.status) for turn in _session(ctx).turns]


def _steps(ctx: click.Context, incomplete: str) -> Words:
    journal = _journal(ctx)
    world = journal.world
    runs = [ctx.params["run"]] if ctx.params.get("run") else list(journal.run_ids)[-20:]
    return [(step.step_id, step.status) for run in runs for step in world.steps(run)][:_MOST]


def _tools(ctx: click.Context) -> list[str]:
    calls = (call.name for step in _session(ctx).steps for call in step.tool_calls)
    return list(dict.fromkeys(calls))


def _strategies(ctx: click.Context, incomplete: str) -> Words:
    from eve_replay.recovery.strategies import STRATEGIES

    tool, equals, _ = incomplete.partition("=")
    if equals:
        return [f"{tool}={name}" for name in STRATEGIES]
    tools: list[str] = []
    with suppress(Exception):
        tools = _tools(ctx)
    return [f"{name}=" for name in (*tools, "*")]


# -- words of the house ------------------------------------------------------------------------------------


def _runtimes(ctx: click.Context, incomplete: str) -> Words:
    from eve_replay.recovery.runtimes.registry import runtimes

    return list(runtimes())


def _environments(ctx: click.Context, incomplete: str) -> Words:
    from eve_replay.recovery.environment import ENVIRONMENTS

    return list(ENVIRONMENTS)


def _statuses(ctx: click.Context, incomplete: str) -> Words:
    return ("pending", "running", "completed", "failed", "cancelled")


def _event_types(ctx: click.Context, incomplete: str) -> Words:
    from eve_replay.checks.log import EVENT_TYPES

    return sorted(EVENT_TYPES)


def _files(ctx: click.Context, incomplete: str) -> Words | None:
    return None


#: By the option, or the name of the word.
_KNOWN: Mapping[str, Callable[[click.Context, str], Words | None]] = {
    "source": _sources,
    "--read": _sources,
    "--with": _sources,
    "words_session": _source_or(_sessions),
    "words_run": _source_or(_runs),
    "words_turn": _source_or(_turns),
    "words_step": _source_or(_steps),
    "words": _source_or(_steps),
    "--session": _sessions,
    "--run": _runs,
    "--turn": _turns,
    "--step": _steps,
    "--strategy": _strategies,
    "--runtime": _runtimes,
    "--policy": _runtimes,
    "--environment": _environments,
    "--status": _statuses,
    "--type": _event_types,
    "--effects": _files,
    "--ledger": _files,
    "--output": _files,
}


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise TimeoutError inside when it takes more processor time, where the system can tell."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
