"""Which points there are: what the counting runs came by, in order, and which of them are tried."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from eve_replay.crashtest.model import Kind, Point, Result
from eve_replay.errors import WrongUse

__all__ = ["chosen", "points_of", "second_points"]

_HTTP = re.compile(r"^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) ")
_NOISE = re.compile(r"workflow-write-test|version\.txt|^unlink |stream-index")
#: Writes around a step's commit and a message's arrival (docs/evidence/sweep.md#writes).
_IMPORTANT = re.compile(r"^[EW]\d* (lock step .*terminal|step .*:\d+$|event step_|event hook_received)")


def points_of(counted: Sequence[Result]) -> tuple[Point, ...]:
    """Return every point of the turns, in the order of the first counting run.

    Args:
        counted: undisturbed runs; what all of them came by is ``stable``.
    """
    seen = [_labels(result.lines) for result in counted]
    common = set(seen[0]).intersection(*seen[1:]) if seen else set()
    effects = {
        (act.get("label"), act.get("k")) for result in counted for act in result.acts if act.get("effect")
    }
    found: list[Point] = []
    for (label, k), (kind, turn) in (seen[0] if seen else {}).items():
        stable = (label, k) in common
        for when in _moments(kind, first=not found, effect=(label, k) in effects):
            found.append(Point(when=when, k=k, label=label, kind=kind, turn=turn, stable=stable))  # type: ignore[arg-type]
    return tuple(found)


def _moments(kind: Kind, *, first: bool, effect: bool) -> tuple[str, ...]:
    """Right after one durable write is right before the next: before is asked for the first one only."""
    if kind == "write":
        return ("before", "after") if first else ("after",)
    return ("before", "in", "late", "after") if kind == "act" and effect else ("before", "after")


def _labels(
    lines: Sequence[Mapping[str, Any]], *, after: str = "turn 0"
) -> dict[tuple[str, int], tuple[Kind, int]]:
    """Return what a process came by once it was given something to do: label and count to kind and turn."""
    found: dict[tuple[str, int], tuple[Kind, int]] = {}
    begun, turn = False, 0
    for line in lines:
        mark = str(line.get("mark", ""))
        begun = begun or mark == after
        if mark.startswith("turn "):
            turn = int(mark.removeprefix("turn "))
        label = str(line.get("act") or line.get("write") or "")
        if begun and label and not _NOISE.search(label):
            found[label, int(line.get("k", 1))] = _kind(label, "write" in line), turn
    return found


def _kind(label: str, write: bool) -> Kind:
    if write:
        return "write"
    if _HTTP.match(label):
        return "act"
    word = label.split(" ")[0]
    return "tool" if word == "tool" else "model" if word == "model" else "file"


def chosen(points: Sequence[Point], which: str, *, seed: int = 0) -> tuple[Point, ...]:
    """Return the points to try, in order.

    Args:
        points: all of them.
        which: ``all``, ``important`` (every act, tool and model call, and the writes around a step's
            commit), or a
            number: that many, drawn with the seed, acts first.
        seed: of the draw.

    Raises:
        WrongUse: ``which`` is none of these.
    """
    if which == "all":
        return tuple(points)
    important = tuple(p for p in points if p.kind != "write" or _IMPORTANT.search(p.label))
    if which == "important":
        return important
    if not which.isdigit() or int(which) < 1:
        raise WrongUse(f"--points cannot be {which!r}.", hint="Use all, important, or a number.")
    number, draw = int(which), random.Random(seed)
    acts = [p for p in points if p.kind == "act"]
    first = acts if len(acts) <= number else draw.sample(acts, number)
    rest = [p for p in points if p not in first]
    taken = {*first, *draw.sample(rest, min(len(rest), number - len(first)))}
    return tuple(p for p in points if p in taken)


def second_points(result: Result) -> tuple[Point, ...]:
    """Return where the process can die again: what its second life came by, in the run of the first point."""
    labels = _labels(
        [line for line in result.lines if "mark" in line or line.get("gen") == 1], after="restart 1"
    )
    effects = {(act.get("label"), act.get("k")) for act in result.acts if act.get("effect")}
    found: list[Point] = []
    for (label, k), (kind, turn) in labels.items():
        if kind == "write" and not _IMPORTANT.search(label):
            continue
        moments = ("after",) if kind != "act" else ("before", "after")
        moments = ("in", "late") if kind == "act" and (label, k) in effects else moments
        found += [Point(when=when, k=k, label=label, kind=kind, turn=turn) for when in moments]  # type: ignore[arg-type]
    return tuple(found)
