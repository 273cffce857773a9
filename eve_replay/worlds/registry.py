"""``open_world``: recognises what it is given and opens it, or says why nothing could.

Worlds of this package are tried first, without importing those that cannot be meant. Others can be added by
an entry point in the group ``eve_replay.worlds`` (a name and ``module:opener``); it is consulted only when no
built-in world recognises the source.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from eve_replay.errors import EveReplayError, SourceUnreadable, UnknownSource, WrongUse
from eve_replay.limits import LimitsLike, begun
from eve_replay.worlds.base import Opener, World, WorldSource
from eve_replay.worlds.fingerprint import address_kind, file_kind
from eve_replay.worlds.layouts.library import split_layout
from eve_replay.worlds.sources import public_error_text, public_source, unescaped_login
from eve_replay.worlds.wayout import way_out

if TYPE_CHECKING:
    from eve_replay.codec.keys import KeyRing

__all__ = ["BUILTIN", "ENTRY_POINT_GROUP", "Guess", "guesses", "kinds", "open_world"]

ENTRY_POINT_GROUP = "eve_replay.worlds"

#: Kind -> where its opener is. A module that is not there (an extra left out) is passed over.
BUILTIN: dict[str, str] = {
    "local": "eve_replay.worlds.local.opener:opener",
    "sample": "eve_replay.samples:opener",
    "bundle": "eve_replay.worlds.bundle.opener:opener",
    "export": "eve_replay.worlds.export.opener:opener",
    "flue": "eve_replay.worlds.flue.opener:opener",
    "sqlite": "eve_replay.worlds.sqlite.opener:opener",
    "cloudflare": "eve_replay.worlds.cloudflare.opener:opener",
    "pgdump": "eve_replay.worlds.pgdump.world:opener",
    "postgres": "eve_replay.worlds.postgres.opener:opener",
    "sqldump": "eve_replay.worlds.sqldump.opener:opener",
    "mysql": "eve_replay.worlds.mysql.opener:opener",
    "mongo": "eve_replay.worlds.mongo.world:opener",
    "redis": "eve_replay.worlds.redis.opener:opener",
    "libsql": "eve_replay.worlds.services.libsql:opener",
    "dynamodb": "eve_replay.worlds.services.dynamodb:opener",
    "firestore": "eve_replay.worlds.services.firestore:opener",
    "surrealdb": "eve_replay.worlds.services.surreal:opener",
    "nats": "eve_replay.worlds.services.nats:opener",
    "hosted": "eve_replay.worlds.hosted.opener:opener",
    "remote": "eve_replay.worlds.remote:opener",
}

#: What a file is that other errors explain better: they know what was looked for in it.
_PLAIN = (
    "JSON",
    "a zip archive",
    "a gzip file",
    "an xz file",
    "a bzip2 file",
    "a zstd file",
    "an empty file",
)
_SURE = 0.5
_CERTAIN = 0.9


@dataclass(frozen=True, slots=True)
class Guess:
    """One world's answer to a source."""

    kind: str
    sure: float
    opener: Opener


def open_world(
    source: WorldSource,
    *,
    kind: str | None = None,
    keys: KeyRing | None = None,
    limit: LimitsLike = None,
    **options: object,
) -> World:
    """Open a store of runs.

    Args:
        source: a path, ``postgres://...``, ``redis://...``, ``https://...``, an export or bundle file,
            ``sample:<name>``; several joined by `` + `` or a list of them; or a world, returned as it is.
        kind: the world to use when the guess would be wrong, for example ``local``.
        keys: keys for encrypted payloads.
        limit: what reading may cost: :class:`~eve_replay.limits.Limits`, a mapping of its names, or a
            number of bytes that a payload may open to.
        **options: what the kind of world takes: ``token``, ``timeout``, ``schema``, ``layout``,
            ``storage_options`` ...; worlds of other packages have their own.

    Raises:
        UnknownSource: nothing recognises the source, or it is not what it looks like.
        SourceUnreadable: it is recognised but cannot be read.
        WrongUse: the source is empty or of the wrong type, or there is no such kind.

    Example::

        with contextlib.closing(open_world("~/my-agent")) as world:
            for run in world.runs(): ...
    """
    limit = begun(limit)
    if isinstance(source, (list, tuple)):
        parts = [open_world(part, kind=kind, keys=keys, limit=limit, **options) for part in source]
        return _open_several(parts)
    if isinstance(source, PathLike):
        source = source.__fspath__()
    elif isinstance(source, World):
        return source
    if not isinstance(source, str):
        raise WrongUse(f"A source is a path or an address, not {type(source).__name__}.")
    if not source.strip():
        raise WrongUse("The source is empty.", hint="Give a project folder, a data folder or an address.")
    options |= {"keys": keys, "limit": limit}
    options = {name: value for name, value in options.items() if value is not None}
    try:
        return _open_one(source, kind, options)
    except EveReplayError as error:
        # Whoever wrote the message, a plugin included: it must not repeat the password in the source.
        error.message = public_error_text(error.message, source)
        error.hint = public_error_text(error.hint, source)
        error.args = (error.message,)
        raise


def _open_one(source: str, kind: str | None, options: dict[str, Any]) -> World:
    if unescaped_login(source) and not _exists(source):
        raise WrongUse(
            f"The login of this address holds signs that end it: {public_source(source)}.",
            hint="Write them as %XX: @ is %40, # is %23, / is %2F, ? is %3F.",
        )
    source, layout = split_layout(source)
    if layout:
        options["layout"] = layout
    if kind is not None:
        return _opener(kind).open(source, **options)
    if " + " in source and not _exists(source):
        parts = [part.strip() for part in source.split(" + ")]
        return _open_several([open_world(part, **options) for part in parts])
    found = guesses(source)
    if found and found[0].sure >= _SURE:
        return found[0].opener.open(source, **options)
    return _try_all(source, found, options)


def guesses(source: str) -> list[Guess]:
    """Return what each kind of world thinks of a source, the surest first; a certain one ends it."""
    found: list[Guess] = []
    for guess in _ask(_builtin(), source):
        if guess.sure >= _CERTAIN:
            return [guess]  # the others need not even be imported
        if guess.sure > 0:
            found.append(guess)
    if not any(guess.sure >= _SURE for guess in found):
        found += [guess for guess in _ask(_plugins(), source) if guess.sure > 0]
    return sorted(found, key=lambda guess: -guess.sure)


def kinds() -> list[str]:
    """Return the kinds of worlds that can be opened here, built-in ones first."""
    return list(dict.fromkeys([kind for kind, _ in _builtin()] + [kind for kind, _ in _plugins()]))


def _ask(openers: Iterator[tuple[str, Opener]], source: str) -> Iterator[Guess]:
    for kind, opener in openers:
        try:
            sure = opener.recognises(source)
        except Exception:
            # ``recognises`` must not raise; a foreign world that does must not stop the others.
            sure = 0.0
        yield Guess(kind, sure, opener)


def _builtin() -> Iterator[tuple[str, Opener]]:
    for kind, place in BUILTIN.items():
        opener = _load(place)
        if opener is not None:
            yield kind, opener


def _load(place: str) -> Opener | None:
    module, _, name = place.partition(":")
    try:
        return cast("Opener | None", getattr(importlib.import_module(module), name, None))
    except ImportError:
        return None  # it needs a library of an extra that is not installed


def _plugins() -> Iterator[tuple[str, Opener]]:
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: point.name):
        try:
            yield point.name, cast(Opener, point.load())
        except Exception as error:
            yield point.name, _Broken(point.name, error)


class _Broken:
    """Stands in for a plugin that does not load, so that asking for it by name says why."""

    def __init__(self, kind: str, error: Exception) -> None:
        self.kind = kind
        self._error = error

    def recognises(self, source: str) -> float:
        """Return 0: it recognises nothing."""
        return 0.0

    def open(self, source: str, **options: object) -> World:
        """Raise."""
        raise SourceUnreadable(
            f"The world {self.kind!r} is installed but does not load: {self._error}.",
            hint="Update or remove the package that brings it.",
        )


def _opener(kind: str) -> Opener:
    if kind in BUILTIN:
        opener = _load(BUILTIN[kind])
        if opener is None:
            raise WrongUse(f"The world {kind!r} needs a package that is not installed here.")
        return opener
    for name, plugin in _plugins():
        if name == kind:
            return plugin
    raise WrongUse(f"There is no kind of world {kind!r}.", hint=f"Known are {', '.join(kinds())}.")


def _try_all(source: str, found: Sequence[Guess], options: dict[str, Any]) -> World:
    """Try the unsure ones in turn; when all refuse, say what each of them said."""
    said: list[tuple[str, EveReplayError]] = []
    for guess in found:
        try:
            return guess.opener.open(source, **options)
        except (UnknownSource, SourceUnreadable) as error:
            said.append((guess.kind, error))
    address = address_kind(source)
    if address is not None and not (said and isinstance(said[0][1], SourceUnreadable)):
        what = f"{address[0][:1].upper()}{address[0][1:]}"
        raise SourceUnreadable(
            f"{what}, and nothing here reads it directly: {public_source(source)[:200]}.", hint=way_out()
        )
    if not said:
        raise UnknownSource(
            f"{public_source(source)[:200]} is no source that is known here.",
            hint="Give a project folder, a data folder, an export file, or an address (postgres://, https://).",
        )
    what = file_kind(Path(source).expanduser()) if _exists(source) else ""
    if what and what not in _PLAIN and isinstance(said[0][1], UnknownSource):
        raise UnknownSource(
            f"{public_source(source)[:200]} is {what}, and nothing here reads runs from it.", hint=way_out()
        )
    if len(said) == 1 or isinstance(said[0][1], SourceUnreadable):
        raise said[0][1]
    first = said[0][1]
    others = "; ".join(f"{kind}: {error.message}" for kind, error in said[1:])
    raise type(first)(first.message, hint=f"{first.hint} Also asked: {others}".strip())


def _exists(source: str) -> bool:
    try:
        return Path(source).expanduser().exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _open_several(worlds: list[World]) -> World:
    from eve_replay.worlds.combined import CombinedWorld

    if not worlds:
        raise WrongUse("No source was given.")
    return worlds[0] if len(worlds) == 1 else CombinedWorld(worlds)
