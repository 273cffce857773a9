"""``eve-replay pack``: one portable file from any source, redacted when asked."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eve_replay.cli.shared.common import Shell, echo, emit_json, finish, note, open_source, source_and
from eve_replay.cli.shared.common import command as _command
from eve_replay.cli.shared.files import written_aside
from eve_replay.cli.shared.match import match_id
from eve_replay.errors import WrongUse
from eve_replay.redaction.leaks import rules_version
from eve_replay.views.kit.text import fields, line
from eve_replay.views.kit.words import plural

if TYPE_CHECKING:
    from eve_replay.redaction.redact import Redactor
    from eve_replay.worlds.base import World
    from eve_replay.worlds.bundle.write import Packed

_LEFT_SHOWN = 8

__all__ = ["cli", "redactor_for"]

_NOUNS = ("run", "step", "event", "hook", "wait", "stream", "chunk", "mark")


@_command("pack")
@source_and("session", required=False)
@click.option(
    "-o", "--output", metavar="FILE", required=True, help="The file to write, for example x.everun."
)
@click.option("--redact", is_flag=True, help="Replace secrets, tokens, addresses and card numbers.")
@click.option("--redact-all", is_flag=True, help="Replace all text; structure, ids, sizes and times stay.")
@click.option("--drop-encrypted", is_flag=True, help="When redacting, blank payloads without a key.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def cli(
    shell: Shell,
    source: str | None,
    session: str | None,
    output: str,
    redact: bool,
    redact_all: bool,
    drop_encrypted: bool,
    force: bool,
) -> None:
    """Write one portable file from any source; every command reads it back.

    Without SESSION everything is packed; with it the runs of that session, children and handoffs included.
    All bytes are kept as they are, unless --redact or --redact-all asks for less: then stand-ins of the same
    size take the place of what is removed, ids and times stay, and `attempts`, `why` and `crash` answer as
    before. What was replaced is counted per rule. Look through a redacted file before you send it: no rule
    knows every secret.
    """
    if drop_encrypted and not (redact or redact_all):
        raise WrongUse("--drop-encrypted needs --redact or --redact-all.")
    target = Path(output).expanduser()
    if target.is_dir():
        raise WrongUse(f"{output} is a folder.", hint="Name a file, for example x.everun.")
    if target.exists() and not force:
        raise WrongUse(f"{output} is there already.", hint="Name another file, or add --force.")
    world = open_source(shell, source)
    runs = _runs_of(shell, world, session) if session else None
    redactor = (
        redactor_for(shell, world, runs, mask_all=redact_all, drop=drop_encrypted)
        if redact or redact_all
        else None
    )
    packed = _write(world, target, runs, redactor)
    size = target.stat().st_size
    if shell.json:
        emit_json(
            shell,
            "pack",
            world,
            world.receipt,
            file=str(target),
            bytes=size,
            session=session,
            counts=dict(packed.counts),
            redaction=None if redactor is None else ("all text" if redact_all else "secrets"),
            redacted=None if packed.redacted is None else dict(sorted(packed.redacted.items())),
            leftover=None if redactor is None else dict(redactor.left.most_common(100)),
            rules=None if redactor is None else rules_version(),
        )
    else:
        _tell(shell, target, size, packed, redactor)
    finish(shell, world.receipt)


def _runs_of(shell: Shell, world: World, session: str) -> list[str]:
    """Return the ids of a session's runs: its own, those it was handed to, and all below them."""
    from eve_replay.journal import Journal

    journal = Journal(world, keys=shell.keys)
    found = journal.session(match_id([each.id for each in journal.sessions], session, "session"))
    ids: set[str] = set()
    waiting = [run.run_id for run in (*found.runs, *found.children)]
    while waiting:
        run_id = waiting.pop()
        if run_id not in ids:
            ids.add(run_id)
            waiting += journal.run(run_id).children
    return sorted(ids)


def redactor_for(
    shell: Shell, world: World, runs: list[str] | None, *, mask_all: bool, drop: bool
) -> Redactor:
    """Return what replaces: it has read everything once, so that every copy of a secret is found."""
    from eve_replay.redaction.redact import Redactor
    from eve_replay.worlds.bundle.write import find_secrets_in

    salt = secrets.token_bytes(32)

    def make(literals: set[str], deltas: dict[str, str]) -> Redactor:
        return Redactor(
            salt,
            mask_all=mask_all,
            drop_encrypted=drop,
            keys=shell.keys,
            limit=shell.limit,
            literals=literals,
            deltas=deltas,
        )

    first = make(set(), {})
    return make(find_secrets_in(world, first, runs=runs), first.deltas)  # the second keeps its own counts


def _write(world: World, target: Path, runs: list[str] | None, redactor: Redactor | None) -> Packed:
    """Write beside the target first, so that a failure leaves no half file under its name."""
    from eve_replay.worlds.bundle.write import write_bundle

    with written_aside(target, force=True) as file:
        return write_bundle(world, file, runs=runs, redactor=redactor)


def _tell(shell: Shell, target: Path, size: int, packed: Packed, redactor: Redactor | None) -> None:
    holds = ", ".join(plural(packed.counts[noun], noun) for noun in _NOUNS if packed.counts[noun])
    echo(shell, [line((str(target), "strong"), (f"  {size:,} bytes", "muted"))])
    rows: list[tuple[str, str]] = [("holds", holds or "nothing")]
    if packed.redacted is not None:
        said = [f"{rule} {count:,}" for rule, count in sorted(packed.redacted.items())]
        rows.append(("replaced", ", ".join(said) or "nothing"))
    echo(shell, fields(rows, width=shell.width))
    if packed.redacted is not None:
        if redactor is not None and redactor.left:
            left = redactor.left.most_common(_LEFT_SHOWN)
            some = ", ".join(f"{run} {plural(count, 'time')}" for run, count in left)
            more = len(redactor.left) - len(left)
            note(shell, f"Still looks like a secret: {some}{f', and {more} more' if more else ''}.")
        note(
            shell,
            f"Rules: {rules_version()}. Look through it before you send it: no rule knows every secret.",
        )
