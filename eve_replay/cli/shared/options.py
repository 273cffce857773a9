"""The options every command shares, and how their texts are read."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eve_replay.errors import WrongUse

if TYPE_CHECKING:
    from eve_replay.codec.keys import KeyRing

__all__ = [
    "SOURCE_VARIABLE",
    "RenamedOption",
    "ShellCommand",
    "effects_option",
    "explain_option",
    "key_ring",
    "lease_option",
    "parse_size",
    "session_option",
    "shared_options",
]

#: Options that several commands have, each meaning one thing everywhere.
session_option = click.option("--session", metavar="SESSION", help="The session, when there are several.")
effects_option = click.option("--effects", metavar="FILE", help="Effects policy (effects.toml).")
explain_option = click.option("--explain", is_flag=True, help="List the rules that were used, one by one.")
lease_option = click.option(
    "--lease", metavar="SECONDS", type=float, default=860, show_default=True, help="Assumed lease."
)

#: Read when no SOURCE is given; without it the current folder is.
SOURCE_VARIABLE = "EVE_REPLAY_SOURCE"

_SHARED = (
    click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead."),
    click.option(
        "--color",
        "--colour",
        "color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        help="Colours: on a terminal only (auto), always or never.",
    ),
    click.option("--utc", is_flag=True, help="Show times in UTC instead of local time."),
    click.option(
        "--key",
        metavar="KEY",
        multiple=True,
        envvar="EVE_REPLAY_KEY",
        help="Run key in base64, for encrypted payloads; RUN=KEY for one run.",
    ),
    click.option(
        "--key-file",
        metavar="FILE",
        multiple=True,
        type=click.Path(dir_okay=False),
        help="File with such keys, one a line.",
    ),
    click.option(
        "--fetch-keys",
        is_flag=True,
        help="Hosted runs: ask the vendor for run keys. Every such request is written into its audit log.",
    ),
    click.option(
        "--limit",
        metavar="NAME=VALUE",
        multiple=True,
        help="What reading may cost: a payload's size (64M), or NAME=VALUE such as unpacked=8G.",
    ),
    click.option("--reveal", is_flag=True, help="Show what looks like a secret instead of hiding it."),
    click.option("--now", metavar="TIME", help="Reckon from this time instead of the clock."),
)
SHARED_NAMES = ("as_json", "color", "utc", "key", "key_file", "fetch_keys", "limit", "reveal", "now")


class RenamedOption(click.Option):
    """An option whose earlier spellings still work and are not shown: ``--runtime``, once ``--policy``."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the line of ``--help`` with the name of today alone."""
        spelt, self.opts = self.opts, self.opts[:1]
        try:
            return super().get_help_record(ctx)
        finally:
            self.opts = spelt


class ShellCommand(click.Command):
    """A command whose help shows its own options first and the shared ones apart."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write two sections of options."""
        own: list[tuple[str, str]] = []
        shared: list[tuple[str, str]] = []
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                (shared if param.name in (*SHARED_NAMES, "help") else own).append(record)
        for title, rows in (("Options", own), ("Options of every command", shared)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows, col_max=24)


def shared_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the shared options to a command function."""
    for option in reversed(_SHARED):
        function = option(function)
    return function


def parse_size(text: str) -> int:
    """Return a number of bytes from ``1000``, ``64K``, ``64M`` or ``1G`` (powers of 1024)."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)(?:i?b)?", text.strip().lower())
    if match is None or not float(match[1]):
        raise WrongUse(f"{text!r} is not a size.", hint="Write it as 64M or 1G.")
    return int(float(match[1]) * {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}[match[2]])


def _key_lines(file: str) -> list[str]:
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise WrongUse(
            f"The key file {file!r} cannot be read ({error.strerror}).", hint="Check --key-file."
        ) from None
    if len(data) == 32 and not data.isascii():
        return [base64.b64encode(data).decode()]
    lines = data.decode("utf-8", "replace").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def key_ring(keys: tuple[str, ...], files: tuple[str, ...]) -> KeyRing | None:
    """Return the keys the user gave, None when none.

    A key is base64 of 32 bytes and holds for every run, or ``RUN=KEY`` for one run. A key file holds one
    a line (``RUN KEY`` is fine too), ``#`` starts a comment, or it is the 32 bytes themselves.
    """
    texts = [*keys, *(line for file in files for line in _key_lines(file))]
    if not texts:
        return None
    from eve_replay.codec.keys import KeyRing, parse_key

    run_keys: dict[str, bytes] = {}
    default: bytes | None = None
    for text in texts:
        match = re.match(r"(wrun_\w+)\s*[=\s]\s*(\S+)\Z", text)
        if match:
            run_keys[match[1]] = parse_key(match[2])
        else:
            default = parse_key(text)
    return KeyRing(run_keys=run_keys, default=default)
