"""``probe``: what a source is, whose layout it has, how many runs it holds, or what is missing to read it.

A store that is not known is named as what it is, never as an empty one, and the way that works for every
world is said with its commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eve_replay.errors import EveReplayError, SourceUnreadable, UnknownSource
from eve_replay.worlds.base import World
from eve_replay.worlds.fingerprint import address_kind, file_kind
from eve_replay.worlds.layouts.library import layouts, split_layout
from eve_replay.worlds.registry import guesses, open_world
from eve_replay.worlds.sources import public_source
from eve_replay.worlds.wayout import way_out

__all__ = ["Probe", "probe"]

#: Kind of world -> who writes it, where no layout says so.
_WRITERS = {
    "local": "the local world of eve and the Workflow SDK",
    "sample": "a recording of this package",
    "bundle": "eve-replay pack",
    "export": "workflow inspect --json",
    "pgdump": "@workflow/world-postgres",
    "postgres": "@workflow/world-postgres",
    "hosted": "the hosted store",
    "remote": "the local world of eve and the Workflow SDK",
    "mongo": "@workflow-worlds/mongodb",
    "dump": "eve-replay dump",
}
_LOCAL = ("local", "sample", "remote")
_READ_AS = {
    "local": "a data folder",
    "sample": "a data folder",
    "bundle": "a bundle of runs",
    "export": "exported JSON",
    "pgdump": "a dump of PostgreSQL",
    "postgres": "a PostgreSQL database",
    "sqlite": "an SQLite database",
    "mysql": "a MySQL or MariaDB database",
    "sqldump": "a dump of SQL",
    "redis": "Redis",
    "hosted": "the hosted store",
    "remote": "a data folder elsewhere",
    "mongo": "MongoDB documents",
    "libsql": "a libSQL database",
    "dynamodb": "a DynamoDB table",
    "firestore": "a Firestore database",
    "surrealdb": "a SurrealDB database",
    "nats": "NATS JetStream",
    "cloudflare": "Durable Objects of the local simulator",
}
_VERSIONS = ("versionTxt", "version", "columns", "specVersion")


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What a source is.

    Attributes:
        kind: the kind of world that reads it, or what it is when none does.
        layout: the layout of its records, empty when unknown.
        version: what it says of its version, empty when nothing.
        runs: how many runs it holds, None when that is unknown.
        readable: whether it can be opened as it is here.
        missing: what is missing to open it: a package, a password, a layout; empty when nothing is.
        sentence: all of it in one sentence.
        hint: what to do, empty when it is readable.
        status: ``recorded`` or ``untested``, how the layout was checked.
    """

    kind: str
    layout: str = ""
    version: str = ""
    runs: int | None = None
    readable: bool = False
    missing: str = ""
    sentence: str
    hint: str = ""
    status: str = ""


def probe(source: str, **options: Any) -> Probe:
    """Return what a source is, without reading more than its list of runs.

    Args:
        source: a path or an address, as ``open_world`` takes it.
        **options: as ``open_world``.
    """
    try:
        world = open_world(source, **options)
    except (UnknownSource, SourceUnreadable) as error:
        return _unreadable(source, error)
    with closing(world):
        return _readable(source, world)


def _readable(source: str, world: World) -> Probe:
    count, torn = _count(world)
    about: Mapping[str, object] = world.about
    layout = _layout_of(world.kind, about)
    writer = str(about.get("writer") or _WRITERS.get(world.kind, world.kind))
    version = next((f"{about[name]}" for name in _VERSIONS if about.get(name)), "")
    known = next((each for each in layouts() if each.name == layout), None)
    own = str(about.get("layoutStatus") or "")
    status = own or (known.status if known is not None else "recorded")
    holds = "an unknown number of runs" if count is None else _plural(count, "run")
    said = [f"{_READ_AS.get(world.kind, world.kind)}, layout of {writer}, {holds}"]
    if status == "untested" and known is None and not about.get("writer"):
        said.append("the layout is one of your own")
    elif status == "untested":
        said.append("the layout was taken from the writer's source and tried on no recording of it: untested")
    problems = [problem for problem in world.receipt.problems if problem.severity == "error"]
    if torn:
        said.append(f"the list of runs ends early: {torn}")
    elif problems:
        said.append(f"with {_plural(len(problems), 'problem')}: {problems[0].message.rstrip('.')}")
    return Probe(
        kind=world.kind,
        layout=layout,
        version=version,
        runs=count,
        readable=True,
        missing="; ".join(problem.message for problem in problems),
        sentence=f"{'; '.join(said)[:1].upper()}{'; '.join(said)[1:]}.",
        hint=f"eve-replay runs '{public_source(source)}'",
        status=status,
    )


def _layout_of(kind: str, about: Mapping[str, object]) -> str:
    own = str(about.get("layout") or "")
    if kind in _LOCAL:
        return f"world-local {own}".rstrip()
    if own:
        return own
    if kind in ("postgres", "pgdump"):
        return f"world-postgres {about.get('columns') or ''}".rstrip()
    return "mongodb" if kind == "mongo" else kind


def _count(world: World) -> tuple[int | None, str]:
    try:
        counter = getattr(world, "count_runs", None)
        return (int(counter()), "") if callable(counter) else (sum(1 for _ in world.runs()), "")
    except EveReplayError as error:
        return None, error.message


def _unreadable(source: str, error: EveReplayError) -> Probe:
    bare, _ = split_layout(source)
    address = address_kind(bare)
    if address is not None:
        what, extra = address
        lacking = _lacking(error)
        return Probe(
            kind=what.removeprefix("a ").removeprefix("an "),
            missing=lacking or error.message,
            sentence=error.message
            if extra
            else f"{what[:1].upper()}{what[1:]}: nothing here reads it directly.",
            hint=error.hint or way_out(),
        )
    guess = next((each for each in guesses(bare) if each.sure >= 0.5), None)
    path = Path(bare).expanduser()
    kind = guess.kind if guess is not None else (file_kind(path) if path.is_file() else "")
    sentence = error.message
    if guess is None and kind and not _says(sentence, kind):
        sentence = f"{public_source(bare)} is {kind}. {sentence}"
    return Probe(
        kind=kind or "unknown",
        missing=_lacking(error) or ("layout" if "no layout is known" in error.message else error.message),
        sentence=sentence,
        hint=error.hint,
    )


def _says(sentence: str, kind: str) -> bool:
    return kind.split(" ", 1)[-1].lower() in sentence.lower()


def _lacking(error: EveReplayError) -> str:
    """Return the install line in a hint, empty when nothing has to be installed."""
    _, found, rest = error.hint.partition("pip install ")
    return f"pip install {rest.rstrip('.')}" if found else ""


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
