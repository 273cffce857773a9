"""The two JS values that are nothing at all, and are not the same nothing: ``undefined`` and a hole."""

from __future__ import annotations

from typing import Final, final

__all__ = ["HOLE", "UNDEFINED", "Hole", "Undefined"]


@final
class Undefined:
    """The type of ``UNDEFINED``. Falsy, one instance only, also after copy and pickle."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "undefined"

    def __reduce__(self) -> str:
        return "UNDEFINED"

    def __copy__(self) -> Undefined:
        return self

    def __deepcopy__(self, memo: object) -> Undefined:
        return self


@final
class Hole:
    """The type of ``HOLE``, an array slot that was never filled. Falsy, one instance only."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "hole"

    def __reduce__(self) -> str:
        return "HOLE"

    def __copy__(self) -> Hole:
        return self

    def __deepcopy__(self, memo: object) -> Hole:
        return self


UNDEFINED: Final = Undefined()
HOLE: Final = Hole()
