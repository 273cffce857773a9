"""What a comparison gives: a tree of changes that holds the values themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from eve_replay.diff.text import Piece, text_pieces

__all__ = ["ABSENT", "Absent", "Change", "ChangeKind"]

#: ``unknown``: one side could not be decoded, so nothing can be said; ``same`` may stand for a run of equal
#: neighbours (``Change.count``).
ChangeKind = Literal["same", "changed", "added", "removed", "moved", "unknown"]


@dataclass(frozen=True, slots=True)
class Absent:
    """That a side has no such value; not the same as the value ``undefined``."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One node of a comparison.

    Attributes:
        kind: what became of it. A ``moved`` item whose content changed too has children.
        path: where it is in the new value (in the old one when removed), ``$.args[0].history[3]``; Map,
            Set and typed values as in docs/formats/tagged-json.md#paths.
        old_path: where it was in the old value, empty when added.
        key, old_key: last step of the path: the name in a record, the index in a list, Map or Set; None where
            a side has none and at the root.
        label: what a person calls it within its parent: ``cents``, ``[3]``, ``key "a"``, ``message``.
        before, after: the values, :data:`ABSENT` where a side has none; for a run of equal neighbours the
            first of them.
        type_before, type_after: JS type words, empty where a side has none.
        edited: for ``moved``: whether the content changed too.
        children: differences inside, in reading order, with the equal neighbours between them.
        count: how many neighbours a ``same`` node stands for, else 1.
        note: why it is not taken further apart, may be empty.
    """

    kind: ChangeKind
    path: str
    old_path: str
    label: str
    key: str | int | None = None
    old_key: str | int | None = None
    before: object = field(default=ABSENT, repr=False)
    after: object = field(default=ABSENT, repr=False)
    type_before: str = ""
    type_after: str = ""
    edited: bool = False
    children: tuple[Change, ...] = ()
    count: int = 1
    note: str = ""

    def changes(self) -> Iterator[Change]:
        """Yield every smallest difference in reading order (an added subtree is one difference)."""
        stack = [self]
        while stack:
            node = stack.pop()
            if node.kind == "same":
                continue
            if not node.children or node.kind == "moved":
                yield node
            stack.extend(reversed(node.children))

    def words(self) -> tuple[Piece, ...]:
        """Return how one text became the other, by words; empty when these are not two texts.

        Computed when asked for: a history has thousands of texts, a screen shows a few.
        """
        if isinstance(self.before, str) and isinstance(self.after, str):
            return text_pieces(self.before, self.after)
        return ()

    @property
    def is_same(self) -> bool:
        """Whether nothing differs."""
        return self.kind == "same"
