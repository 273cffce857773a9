"""The scoreboard: predictions against what really happened, for every recording with ground truth.

Three kinds of recordings are understood (``prove`` finds them by what a folder holds):

* a crash sweep (``sweep-*.ndjson``, ``baseline-*/data``, ``commits-*.ndjson``, ``points-*/<when>-<n>``),
  where the real runtime was killed right before or after single writes: each point is predicted twice,
  from the folder as it lay at the crash (*forecast*) and from the undisturbed recording plus the point
  (*simulate*);
* scenarios (``facts.json``, ``ledger.ndjson``, ``data``): the forecast for the journal as of each kill;
* recordings of a store in tables (``crash*``, ``final`` or ``end.json``, ``ledger.ndjson``): Flue;
* loose recordings (``crash``, ``data``, ``ledger.ndjson``): the forecast from the folder as it lay at each
  kill.

A case is a *hit* when outcome, attempts and every effect's count agree. It is *exact* when least and most
are the same for every effect whose tool had returned, or had not begun, when the process died.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from eve_replay.proof.case import Case, Unusable
from eve_replay.worlds.local.tree import FileTree, join

__all__ = ["Board", "Case", "Group", "Unusable", "prove"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Totals of one kind of prediction."""

    name: str
    cases: int
    hits: int
    exact: int

    def to_json(self) -> dict[str, object]:
        """Return the totals with rates."""
        return {
            "name": self.name,
            "cases": self.cases,
            "hits": self.hits,
            "exact": self.exact,
            "hitRate": round(self.hits / self.cases, 4) if self.cases else None,
            "exactRate": round(self.exact / self.cases, 4) if self.cases else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """All cases."""

    cases: tuple[Case, ...]
    unusable: tuple[Unusable, ...] = ()

    @property
    def groups(self) -> tuple[Group, ...]:
        """Totals per group, then over all."""
        names = dict.fromkeys(case.group for case in self.cases)
        rows = [_group(name, [c for c in self.cases if c.group == name]) for name in names]
        return (*rows, _group("all", self.cases)) if len(rows) > 1 else tuple(rows)

    def to_json(self) -> dict[str, object]:
        """Return, for docs/json.md, ``cases`` and ``totals``."""
        return {
            "cases": [case.to_json() for case in self.cases],
            "totals": [group.to_json() for group in self.groups],
            "unusable": [{"name": each.name, "why": each.why} for each in self.unusable],
        }


def _group(name: str, cases: Iterable[Case]) -> Group:
    found = list(cases)
    return Group(
        name=name,
        cases=len(found),
        hits=sum(case.hit for case in found),
        exact=sum(case.exact for case in found),
    )


def prove(tree: FileTree, *, progress: Callable[[str], None] | None = None) -> Board:
    """Return the scoreboard of every recording below a tree.

    Args:
        tree: a folder or an archive.
        progress: called with the name of each recording before it is read.
    """
    cases: list[Case] = []
    unusable: list[Unusable] = []
    for item in _recordings(tree, "", 0):
        if progress is not None:
            progress(item.name)
        for found in item.run():
            if isinstance(found, Unusable):
                unusable.append(found)
            else:
                cases.append(found)
    return Board(cases=tuple(cases), unusable=tuple(unusable))


@dataclass(frozen=True, slots=True)
class _Recording:
    name: str
    run: Callable[[], Iterator[Case | Unusable]]


def _recordings(tree: FileTree, base: str, depth: int) -> Iterator[_Recording]:
    from eve_replay.proof.loose import is_loose, loose_cases
    from eve_replay.proof.scenarios import scenario_cases
    from eve_replay.proof.stores import is_store_recording, store_cases
    from eve_replay.proof.sweep import sweep_cases

    entries = {entry.name: entry.kind for entry in tree.entries(base)}
    sweeps = [n for n in entries if n.startswith("sweep-") and n.endswith(".ndjson")]
    if sweeps:
        for name in sorted(sweeps):
            turn = name.removeprefix("sweep-").removesuffix(".ndjson")
            yield _Recording(f"sweep {turn}", lambda turn=turn: sweep_cases(tree, base, turn))  # type: ignore[misc]
        return
    if is_store_recording(tree, base, entries):
        yield _Recording(base or "recording", lambda: store_cases(tree, base))
        return
    if is_loose(entries):
        yield _Recording(base or "recording", lambda: loose_cases(tree, base))
        return
    if "facts.json" in entries and entries.get("data") == "dir":
        yield _Recording(base or "scenario", lambda: scenario_cases(tree, base))
        return
    if depth < 3:
        for name, kind in entries.items():
            if kind == "dir":
                yield from _recordings(tree, join(base, name), depth + 1)
