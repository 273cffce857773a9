"""One prediction and the truth it is held against."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Case", "Unusable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One prediction and the truth.

    Attributes:
        name: for example ``T1 before-082``; ``group`` what kind of prediction.
        predicted, real: what is compared, as JSON values.
        misses: what disagrees, one sentence each; empty for a hit.
        why: for a miss, what explains it.
    """

    name: str
    group: str
    predicted: dict[str, object]
    real: dict[str, object]
    misses: tuple[str, ...] = ()
    exact: bool = True
    why: str = ""

    @property
    def hit(self) -> bool:
        """Whether everything agrees."""
        return not self.misses

    def to_json(self) -> dict[str, object]:
        """Return the entry of ``cases`` (with fields added), see docs/json.md."""
        return {
            "name": self.name,
            "group": self.group,
            "predicted": self.predicted,
            "real": self.real,
            "hit": self.hit,
            "exact": self.exact,
            "misses": list(self.misses),
            "why": self.why,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """A recording that could not be used, and why."""

    name: str
    why: str
