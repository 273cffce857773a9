"""What the services share: the query of an address, and a world read with the layout that fits."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from eve_replay.errors import SourceUnreadable
from eve_replay.problems import Receipt
from eve_replay.worlds.export.entities import Wrap, text_option
from eve_replay.worlds.layouts.access import TableAccess
from eve_replay.worlds.layouts.choose import choose
from eve_replay.worlds.layouts.tables import TableStore
from eve_replay.worlds.layouts.world import LayoutWorld
from eve_replay.worlds.sources import public_source

__all__ = ["client_of", "layout_world", "query_of", "said"]

_LONGEST = 240


def client_of(module: str, *, what: str, extra: str, package: str) -> Any:
    """Return a client's module.

    Raises:
        SourceUnreadable: it is not installed; the hint is the line that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise SourceUnreadable(
            f"Reading {what} needs the package {package}, which is not installed here.",
            hint=f"pip install 'eve-replay[{extra}]'.",
        ) from error


def query_of(source: str) -> dict[str, str]:
    """Return the parameters behind the ``?`` of an address."""
    return {name: values[-1] for name, values in parse_qs(urlsplit(source).query).items()}


def said(error: BaseException) -> str:
    """Return what a client's error says, on one line, without its address lists and traces."""
    return " ".join(str(error).split())[:_LONGEST].rstrip(".") or type(error).__name__


def layout_world(
    store: TableStore,
    *,
    kind: str,
    what: str,
    options: Mapping[str, object],
    reader: str = "documents",
    receipt: Receipt | None = None,
) -> LayoutWorld:
    """Return the world in a store, read with the layout a person named or the one that fits.

    The store is closed when no layout fits.

    Raises:
        UnknownLayout: no layout fits; the message says what the store holds.
    """
    try:
        layout = choose(
            store.tables,
            given=text_option(options, "layout"),
            what=what,
            label=public_source(store.label),
            reader=reader,
            sample=store.sample,
        )
    except BaseException:
        store.close()
        raise
    return LayoutWorld(TableAccess(store), layout, kind=kind, wrap=Wrap.of(options), receipt=receipt)
