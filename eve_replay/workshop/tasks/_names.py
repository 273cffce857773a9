"""Names, orders and amounts of a case. Another seed gives others, so that no answer can know them."""

from __future__ import annotations

from random import Random

__all__ = ["Names"]

_PEOPLE = ("ann", "bo", "chen", "dora", "emil", "fang", "gita", "hugo", "ines", "jun", "kofi", "lin")


class Names:
    """Draws things that differ from each other. Seed 0 draws the same ones as the notebooks show."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._people = list(_PEOPLE)
        self._numbers = list(range(2, 99))
        if seed:
            self.random.shuffle(self._people)
            self.random.shuffle(self._numbers)

    def person(self) -> str:
        """Return an address that was not drawn before."""
        return f"{self._people.pop(0)}@example.com"

    def order(self) -> str:
        """Return an order number that was not drawn before."""
        return f"ord_{self._numbers.pop(0)}"

    def invoice(self) -> str:
        """Return an invoice number that was not drawn before."""
        return f"INV-{self._numbers.pop(0)}"

    def cents(self) -> int:
        """Return an amount; it may come twice."""
        return self.random.randrange(5, 60) * 100

    def chance(self) -> bool:
        """Return either."""
        return self.random.random() < 0.5
