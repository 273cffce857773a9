"""Which world lies in a Redis database: told by its keys, whatever their prefix."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import Wrap
from eve_replay.worlds.layouts.access import KeyAccess
from eve_replay.worlds.layouts.draft_keys import shapes_of
from eve_replay.worlds.layouts.library import given_layout, layouts
from eve_replay.worlds.layouts.model import Layout
from eve_replay.worlds.layouts.unknown import UnknownLayout
from eve_replay.worlds.layouts.world import LayoutWorld
from eve_replay.worlds.redis.store import KeyStore
from eve_replay.worlds.redis.world import RedisWorld
from eve_replay.worlds.wayout import way_out

__all__ = ["key_shapes", "world_of_keys"]

#: The list of runs of @workflow-worlds/redis, which has a reader of its own.
_OWN = ":runs:idx:all"
_SAMPLE = 20_000
_ID = re.compile(
    r"(?<![A-Za-z])[A-Za-z]{2,8}_[0-9A-HJKMNP-TV-Z]{26}(?:_[a-z]+)?|[0-9a-f]{8}-[0-9a-f-]{27}|\d{6,}"
)


def world_of_keys(store: KeyStore, *, prefix: str | None, wrap: Wrap, given: str | None) -> World:
    """Return the world in a store of keys.

    Args:
        store: the keys.
        prefix: the prefix of the world's keys, None looks for it.
        wrap: makes the payloads.
        given: a layout somebody named.

    Raises:
        SourceUnreadable: no layout fits; the message says which keys there are.
    """
    receipt = Receipt()
    known = [given_layout(given)] if given else list(layouts())
    if given and known[0].reader != "keys":
        raise SourceUnreadable(
            f"The layout {known[0].name} reads {known[0].reader}, and {store.label} holds keys.",
            hint='Give a layout whose reader is "keys".',
        )
    found = _known(store, known, own=not given)
    if given and not found and (prefix or known[0].prefix):
        found = [(known[0], prefix or known[0].prefix)]
    if prefix is not None:
        # A prefix may be given with or without the colon that ends it.
        found = [(layout, name) for layout, name in found if name.rstrip(":") == prefix.rstrip(":")]
    if not found:
        raise _unknown(store, prefix)
    found.sort(key=lambda each: (each[1].rstrip(":") != "workflow", each[1], each[0] is not None))
    layout, chosen = found[0]
    shown = chosen.rstrip(":")
    world: World
    if layout is None:
        world = RedisWorld(store, prefix=chosen, wrap=wrap)
    else:
        access = KeyAccess(store, layout, chosen, receipt)
        world = LayoutWorld(access, layout, kind="redis", wrap=wrap, receipt=receipt, about={"prefix": shown})
    if len(found) > 1:
        names = ", ".join(dict.fromkeys(name.rstrip(":") for _, name in found))
        world.receipt.problem(
            "warning",
            "several-prefixes",
            store.label,
            f"Several worlds lie here: {names}; {shown} is shown.",
            "Add ?prefix=NAME to the address for another one.",
        )
    return world


def _known(store: KeyStore, known: Iterable[Layout], *, own: bool) -> list[tuple[Layout | None, str]]:
    """Return the worlds whose list of runs is there, each with its prefix; None is @workflow-worlds/redis."""
    found: list[tuple[Layout | None, str]] = []
    if own:
        found += [(None, key.removesuffix(_OWN)) for key in _ends(store, _OWN)]
    for layout in known:
        if layout.reader != "keys":
            continue
        runs = layout.parts["runs"]
        if runs.index:
            end = runs.index.removeprefix("{prefix}")
            found += [(layout, key.removesuffix(end)) for key in _ends(store, end)]
        elif layout.prefix and next(iter(store.find(layout.prefix + "*")), None) is not None:
            found.append((layout, layout.prefix))
    return found


def _ends(store: KeyStore, end: str) -> list[str]:
    usual = f"workflow{end}" if end.startswith(":") else f"workflow:{end}"
    if next(iter(store.sorted_members(usual)), None) is not None:
        return [usual]
    return sorted(store.find(f"*{end}"))


def key_shapes(store: KeyStore) -> tuple[int, list[str]]:
    """Return how many keys there are (of the first ones), and their patterns, the most frequent first."""
    keys = list(islice(store.find("*"), _SAMPLE))
    shapes = Counter(_ID.sub("*", key) for key in keys)
    return len(keys), [shape for shape, _ in shapes.most_common()]


def _unknown(store: KeyStore, prefix: str | None) -> SourceUnreadable:
    count, shapes = key_shapes(store)
    if not count:
        return SourceUnreadable(
            f"{store.label} holds no key at all.",
            hint="Check the number of the database, redis://HOST:PORT/NUMBER.",
        )
    many = f"{count}{'+' if count == _SAMPLE else ''} key{'s' if count > 1 else ''}"
    shown = ", ".join(shapes[:6])
    if prefix is not None:
        return SourceUnreadable(
            f"{store.label} holds {many} ({shown}), and no list of runs of a known world under {prefix}.",
            hint="Check the key prefix with ?prefix=NAME, and the number of the database. " + way_out(),
        )
    return UnknownLayout(
        f"{store.label} is Redis with {many} ({shown}); no layout is known for them.",
        hint="If runs are in another database, give its number: redis://HOST:PORT/NUMBER. "
        + way_out(store.label, describe=True),
        tables=dict.fromkeys(shapes, ()),
        reader="keys",
        shapes=shapes_of(store),
    )
