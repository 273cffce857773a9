"""The layouts in this package, those of the user, and which of them fits what a store holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from eve_replay.errors import WrongUse
from eve_replay.worlds.layouts.model import NEEDED, Layout
from eve_replay.worlds.layouts.parse import parse_layout

__all__ = ["Fit", "fits_keys", "fits_tables", "given_layout", "layout_text", "layouts", "split_layout"]

_FOLDER = "known"
_OPTION = "layout="


@cache
def layouts() -> tuple[Layout, ...]:
    """Return the layouts of this package, by name."""
    folder = resources.files(__package__) / _FOLDER
    files = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".toml")), key=lambda e: e.name
    )
    return tuple(parse_layout(file.read_text("utf-8"), file.name) for file in files)


def layout_text(name: str) -> str:
    """Return the TOML of a layout of this package, empty when there is none of the name."""
    for layout in layouts():
        if layout.name == name:
            return (resources.files(__package__) / _FOLDER / layout.origin).read_text("utf-8")
    return ""


def given_layout(name: str) -> Layout:
    """Return the layout a person named: one of the package, or a TOML file.

    Raises:
        WrongUse: there is neither; the message lists those of the package.
    """
    for layout in layouts():
        if layout.name == name:
            return layout
    path = Path(name).expanduser()
    try:
        return parse_layout(path.read_text("utf-8"), str(path))
    except OSError as error:
        names = ", ".join(layout.name for layout in layouts())
        raise WrongUse(
            f"There is no layout {name}: no such file ({error.strerror or error}), none of the package.",
            hint=f"Known are {names}.",
        ) from None
    except UnicodeDecodeError:
        raise WrongUse(f"{name} is no text: a layout is a TOML file.") from None


def split_layout(source: str) -> tuple[str, str]:
    """Return a source without its ``?layout=NAME``, and the name, empty when it has none."""
    head, mark, query = source.partition("?")
    if not mark or _OPTION not in query:
        return source, ""
    kept: list[str] = []
    name = ""
    for item in query.split("&"):
        if item.startswith(_OPTION):
            name = item.removeprefix(_OPTION)
        else:
            kept.append(item)
    return head + (f"?{'&'.join(kept)}" if kept else ""), name


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How well a layout fits a store.

    Attributes:
        layout: the layout.
        score: columns (or keys) of it that are there.
        gaps: what is not there, in words.
    """

    layout: Layout
    score: int
    gaps: tuple[str, ...] = ()


def fits_tables(
    tables: Mapping[str, Iterable[str]], known: Iterable[Layout] | None = None, *, reader: str = "tables"
) -> list[Fit]:
    """Return the layouts that fit these tables and columns, the best first.

    A layout fits when its runs or its events are there with every column it needs, and no table that is
    there lacks one: a table that is missing altogether is a gap, which is told where it matters.
    """
    there = {name: frozenset(columns) for name, columns in tables.items()}
    found: list[Fit] = []
    for layout in layouts() if known is None else known:
        if layout.reader != reader:
            continue
        fit = _fit(layout, there)
        if fit is not None:
            found.append(fit)
    return sorted(found, key=lambda fit: (len(fit.gaps), -fit.score, fit.layout.name))


def _fit(layout: Layout, there: Mapping[str, frozenset[str]]) -> Fit | None:
    told = [table for table in layout.telling if there.get(table)]
    if layout.telling and not told:
        return None
    if any(not layout.telling[table] <= there[table] for table in told):
        return None
    score, gaps, seen = 0, [], set()
    for name, part in layout.parts.items():
        columns = there.get(part.table)
        if columns is None:
            if name in NEEDED:
                gaps.append(f"no {part.table}")
            continue
        wanted = part.columns()
        # An empty collection has no columns to look at.
        if columns and not wanted <= columns:
            if name in NEEDED:
                return None
            continue
        seen.add(name)
        score += len(wanted)
    return Fit(layout=layout, score=score, gaps=tuple(gaps)) if seen & {"runs", "events"} else None


def fits_keys(keys: Iterable[str], known: Iterable[Layout] | None = None) -> list[tuple[Layout, str]]:
    """Return the layouts of keys whose list of runs is there, each with the prefix it was found under."""
    found: list[tuple[Layout, str]] = []
    names = sorted(set(keys))
    for layout in layouts() if known is None else known:
        if layout.reader != "keys":
            continue
        runs = layout.parts["runs"]
        end = (runs.index or runs.key.partition("{runId}")[0]).removeprefix("{prefix}")
        for name in names:
            if runs.index and name.endswith(end):
                found.append((layout, name.removesuffix(end)))
            elif not runs.index and end in name:
                found.append((layout, name.partition(end)[0]))
                break
    return found
