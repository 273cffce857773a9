"""The toolkit every command is made with.

A command is one module with a function named ``cli``::

    from eve_replay.cli.shared.common import Shell, command, echo_table, emit_json, finish
    from eve_replay.cli.shared.common import open_source, source_argument

    @command("turns")                       # adds --json --color --utc --key --key-file --limit --now
    @source_argument                        # adds [SOURCE] and -s/--read SOURCE, gives ``source: str | None``
    @click.option("--session", help="Only this session.")
    def cli(shell: Shell, source: str | None, session: str | None) -> None:
        \"\"\"List the turns of a session.\"\"\"         # the help text; the first line is the short help
        world = open_source(shell, source)
        if shell.json:
            emit_json(shell, "turns", world, world.receipt, turns=[...])
        else:
            echo_table(shell, Table(...))   # or echo(shell, lines) with lines from views/text.py
        finish(shell, world.receipt)        # exit code 1 and a note on stderr when something was not right

Commands that take an id use ``@source_and("run")``: ``[SOURCE] RUN`` in either the two-word or the
one-word form, giving ``source`` and ``run``; with ``option="What --run does."`` it may also be given as
``--run``. Options that several commands have stand in ``shared/options.py``. ``match_id`` of
``shared/match.py`` resolves abbreviated ids.

Rules: raise errors of ``eve_replay.errors`` (or ``click.UsageError``) and never exit or print a
traceback; draw only lines of toned spans, which are made safe here; show times through ``shell.zone``
and put ``eve_replay.times.iso`` into JSON; take "now" from ``shell.now``. A command that found problems
of its own (``doctor``, ``why``) calls ``finish(shell, receipt, problems=True)``.
"""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from eve_replay.cli.shared.complete import completed
from eve_replay.cli.shared.errors import reader_left
from eve_replay.cli.shared.json import taking
from eve_replay.cli.shared.options import (
    SHARED_NAMES,
    SOURCE_VARIABLE,
    ShellCommand,
    key_ring,
    shared_options,
)
from eve_replay.errors import WrongUse
from eve_replay.limits import Limits, begun, parse_limit
from eve_replay.problems import Receipt
from eve_replay.redaction.veil import know, unveil, without_known
from eve_replay.times import parse_time
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.table import Table, table_lines
from eve_replay.views.kit.text import Line, Span, line, paragraph
from eve_replay.views.kit.tone import TONES, Tone
from eve_replay.views.kit.words import zone_name
from eve_replay.worlds.layouts.library import split_layout
from eve_replay.worlds.sources import public_source

if TYPE_CHECKING:
    from eve_replay.codec.keys import KeyRing
    from eve_replay.journal import Journal
    from eve_replay.worlds.base import World

__all__ = [
    "Shell",
    "command",
    "echo",
    "echo_table",
    "emit_json",
    "finish",
    "next_words",
    "note",
    "open_journal",
    "open_source",
    "say_zone",
    "source_and",
    "source_argument",
]

#: Where the hosted store's token may be, as the vendor's tools name it.
TOKEN_VARIABLES = ("VERCEL_TOKEN", "WORKFLOW_VERCEL_AUTH_TOKEN")
#: Hosts, beside the vendor's own, that may be sent the token: names with spaces or commas between them.
TOKEN_HOSTS_VARIABLE = "EVE_REPLAY_TOKEN_HOSTS"
_HOSTED = ("vercel://", "http://", "https://")


@dataclass(slots=True, kw_only=True)
class Shell:
    """What a command knows about its caller.

    Attributes:
        json: one JSON document is wanted, nothing else on stdout.
        colour: ANSI colours may be written.
        ascii_only: stdout cannot show more than ASCII.
        width: cells per line.
        zone: time zone of shown times, None for the machine's own.
        now: the instant to reckon from, in UTC.
        keys: decryption keys, None when none were given.
        limit: what reading may cost, spent by all sources of the command together.
        fetch_keys: the vendor's audited key route may be asked (hosted runs).
        exit_code: what the program will return; ``finish`` sets it.
    """

    json: bool = False
    colour: bool = False
    ascii_only: bool = False
    width: int = 80
    zone: tzinfo | None = None
    now: datetime
    keys: KeyRing | None = None
    limit: Limits = field(default_factory=lambda: begun(None))
    fetch_keys: bool = False
    exit_code: int = 0


def _shell(
    *,
    as_json: bool,
    color: str,
    utc: bool,
    now: str | None,
    key: tuple[str, ...],
    key_file: tuple[str, ...],
    fetch_keys: bool = False,
    limit: tuple[str, ...],
    reveal: bool = False,
) -> Shell:
    unveil(on=reveal or (as_json and not taking()))  # a document that is printed is for programs: exact
    know(*(each.rpartition("=")[2] if "=" in each.rstrip("=") else each for each in key))
    instant = parse_time(now) if now else datetime.now(UTC)
    if instant is None:
        raise WrongUse(f"{now!r} is not a time.", hint="Write it as 2026-11-30T09:05:32Z.")
    auto = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    return Shell(
        json=as_json,
        colour=color == "always" or (color == "auto" and auto),
        ascii_only=not encoding.startswith("utf"),
        width=min(max(shutil.get_terminal_size((80, 24)).columns, 40), 200),
        zone=UTC if utc else None,
        now=instant,
        keys=key_ring(key, key_file),
        limit=parse_limit(limit) or begun(None),
        fetch_keys=fetch_keys,
    )


def command(name: str, **settings: Any) -> Callable[[Callable[..., None]], click.Command]:
    """Return a decorator that makes a command with the shared options; it calls ``f(shell, ...)``."""

    def decorate(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def body(**values: Any) -> int:
            shared = {key: values.pop(key) for key in SHARED_NAMES}
            if "read" in values:
                _merge_source(values)
            shell = _shell(**shared)
            try:
                function(shell, **values)
            except BrokenPipeError:  # here, because click would exit with 1
                return reader_left()
            finally:
                unveil(on=False)
            return shell.exit_code

        return completed(click.command(name, cls=ShellCommand, **settings)(shared_options(body)))

    return decorate


def source_argument(function: Callable[..., None]) -> Callable[..., None]:
    """Add ``[SOURCE]`` and ``-s/--read SOURCE``; the function gets ``source: str | None``."""
    function = click.argument("source", required=False)(function)
    return _read_option(function)


def source_and(
    name: str, *, required: bool = True, option: str = ""
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add ``[SOURCE] NAME``; the function gets ``source`` and ``name``, each ``str | None``.

    One word is taken as the name, unless it plainly is a source (``sample:...``, an address, an existing
    path); then ``name`` is None and the command says what it picks or what it needs.

    Args:
        name: what the word is, such as ``turn``.
        required: the usage line shows it without brackets.
        option: help of an option ``--NAME`` that says the same; without it there is none.
    """
    metavar = name.upper() if required else f"[{name.upper()}]"

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        function = click.argument(f"words_{name}", nargs=-1, metavar=f"[SOURCE] {metavar}")(function)
        if option:
            function = click.option(f"--{name}", f"option_{name}", metavar=name.upper(), help=option)(
                function
            )
        return _read_option(function)

    return decorate


def _read_option(function: Callable[..., None]) -> Callable[..., None]:
    return click.option("-s", "--read", metavar="SOURCE", help="Where to read, instead of as first word.")(
        function
    )


def _merge_source(values: dict[str, Any]) -> None:
    read = values.pop("read")
    for key in [key for key in values if key.startswith("words_")]:
        words = list(values.pop(key))
        name = key.removeprefix("words_")
        if len(words) > (1 if read else 2):
            raise WrongUse(f"Too many words: {' '.join(words)}.", hint=f"Give a source and one {name}.")
        target = None
        if words and (read or len(words) == 2 or not _is_source(words[0])):
            target = words.pop()
        other = values.pop(f"option_{name}", None)
        if target and other and target != other:
            raise WrongUse(f"{name.upper()} was given twice.", hint="Give it once.")
        values[name] = target or other
        values["source"] = read or (words[0] if words else None)
        return
    if read and values["source"]:
        raise WrongUse("SOURCE was given twice, as a word and with --read.", hint="Give it once.")
    values["source"] = values["source"] or read


def _is_source(word: str) -> bool:
    if " + " in word and not Path(word).exists():
        return any(_is_source(part.strip()) for part in word.split(" + "))
    if word.startswith("sample:") or "://" in word:
        return True
    path = Path(split_layout(word)[0])
    if path.is_absolute() or word.startswith(("./", "../", "~")):
        return True  # no id begins so; that it does not exist is then said of the path
    return path.exists() or any(each.is_file() for each in path.parents)  # archive.zip/part


def open_source(shell: Shell, source: str | None) -> World:
    """Return the world at ``source`` (None: ``EVE_REPLAY_SOURCE``, then the current folder).

    Raises UnknownSource or SourceUnreadable, which ``main`` turns into a line and exit code 3.
    """
    from eve_replay.worlds.registry import open_world

    where = source or os.environ.get(SOURCE_VARIABLE) or "."
    parts = where.split(" + ") if " + " in where and not Path(where).exists() else [where]
    hosted = [part.strip().lower().startswith(_HOSTED) for part in parts]
    if shell.fetch_keys and not any(hosted):
        raise WrongUse("--fetch-keys is for hosted runs.", hint="Write the source as vercel://TEAM/PROJECT.")
    worlds = []
    for part, far in zip(parts, hosted, strict=True):
        options: dict[str, Any] = {"keys": shell.keys, "limit": shell.limit}
        if far:
            # The hosts, beside the vendor's own, that the user trusts with the token.
            hosts = tuple(os.environ.get(TOKEN_HOSTS_VARIABLE, "").replace(",", " ").split())
            options |= {"token": _token(), "token_hosts": hosts}
            options |= {"fetch_keys": shell.fetch_keys or None}
        worlds.append(open_world(part.strip() if len(parts) > 1 else part, **options))
    world = open_world(worlds)
    context = click.get_current_context(silent=True)
    if context is not None:
        context.call_on_close(world.close)  # a connection or a file is not left to the collector
    return world


def _token() -> str | None:
    """Return the hosted store's token. It goes into a request header and nowhere else."""
    found = next((os.environ[name] for name in TOKEN_VARIABLES if os.environ.get(name)), None)
    know(found)
    return found


def next_words(source: str | None, words: str) -> str:
    """Return ``eve-replay show RUN`` style text for a hint, with the source as the user gave it.

    An address is repeated without its password: hints end up in logs and chats.
    """
    verb, _, rest = words.partition(" ")
    shown = shlex.quote(public_source(source)) if source else ""
    return " ".join(part for part in ("eve-replay", verb, shown, rest) if part)


def say_zone(shell: Shell, when: datetime | None = None) -> None:
    """Print which zone the times of an answer are in, once, below it."""
    echo(shell, [line((f"Times are {zone_name(when or shell.now, shell.zone)}.", "muted"))])


def open_journal(shell: Shell, source: str | None) -> Journal:
    """Return the journal (sessions, turns, attempts) of the world at ``source``."""
    from eve_replay.journal import Journal

    return Journal(open_source(shell, source), keys=shell.keys)


def echo(shell: Shell, lines: Iterable[Line | str]) -> None:
    """Print lines, coloured when the terminal shows colours; every span is made safe."""
    for each in lines:
        spans = (Span(each),) if isinstance(each, str) else each
        click.echo("".join(_painted(shell, span) for span in spans).rstrip(" "), color=shell.colour)


def _painted(shell: Shell, span: Span) -> str:
    text = without_known(safe_text(span.text))
    if shell.ascii_only:
        text = text.translate(_ASCII)
    if not shell.colour or not text.strip():
        return text
    spec = TONES[span.tone]
    if spec.ansi is None and not spec.bold and not spec.dim:
        return text
    return click.style(text, fg=spec.ansi, bold=spec.bold or None, dim=spec.dim or None)


_ASCII = str.maketrans(
    {spec.sign: spec.ascii for spec in TONES.values() if len(spec.sign) == 1}
    | {"…": "~", "─": "-", "│": "|", "├": "|", "└": "`", "→": ">", "·": ".", "▾": "v", "▸": ">", "×": "x"}
)


def echo_table(shell: Shell, table: Table, *, indent: int = 0) -> None:
    """Print a table fitted to the terminal, or its ``empty`` sentence."""
    echo(shell, table_lines(table, width=shell.width, indent=indent))


def note(shell: Shell, text: str, *, tone: Tone = "muted") -> None:
    """Say a sentence on stderr, wrapped: remarks that are not part of the answer."""
    for each in paragraph(text, width=shell.width, tone=tone):
        click.echo(without_known("".join(safe_text(span.text) for span in each)), err=True)


def emit_json(
    shell: Shell,
    command: str,
    source: Journal | World | str,
    receipt: Receipt | None = None,
    /,
    **fields: object,
) -> None:
    """Print the one JSON document of a command, headed as docs/json.md has it.

    Args:
        shell: the caller.
        command: names the format.
        source: what was read: a journal says its world and its receipt.
        receipt: coverage of the load, where ``source`` is no journal.
        fields: JSON values only: tagged JSON for payload values, ``times.iso`` texts for times.
    """
    from eve_replay.cli.shared.json import put_document

    journal = cast("Journal", source) if hasattr(source, "world") else None
    world = cast("World | str", source) if journal is None else journal.world
    seen = receipt or (Receipt() if journal is None else journal.receipt)
    document = {
        "format": f"eve-replay/{command}",
        "version": 1,
        "source": public_source(world if isinstance(world, str) else world.label),
        "receipt": seen.to_json(),
        **fields,
    }
    put_document(document)


def finish(shell: Shell, receipt: Receipt | None = None, *, problems: bool = False) -> None:
    """Set the exit code from what was read; in human output say on stderr what was left out.

    Args:
        shell: the caller.
        receipt: coverage of the load; anything skipped or wrong in it makes the code 1.
        problems: the command itself found problems.
    """
    unclean = receipt is not None and not receipt.clean
    if problems or unclean:
        shell.exit_code = 1
    if not shell.json and receipt is not None:
        for problem in receipt.problems:
            if problem.code == "redacted":
                note(shell, problem.message)
    if shell.json or receipt is None or not unclean:
        return
    worst = [problem for problem in receipt.problems if problem.severity != "info"]
    for problem in worst[:3]:
        where = f"{problem.where}: " if problem.where else ""
        note(shell, f"{problem.severity}: {where}{problem.message} {problem.hint}".rstrip())
    left_out = [skipped for skipped in receipt.skipped if not any(p.where == skipped.where for p in worst)]
    for skipped in left_out[: max(0, 3 - len(worst))]:
        note(shell, f"left out: {skipped.where} ({skipped.what}): {skipped.why}")
    total = len(worst) + len(left_out)
    if total > 3:
        note(shell, f"and {total - 3} more: `eve-replay receipt` lists them all.")
