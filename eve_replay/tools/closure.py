"""Which of some wheels need which others on a given machine, as their metadata says it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from eve_replay.tools.wheels import Wheel, canonical

__all__ = ["Need", "needs_of", "open_needs"]


@dataclass(slots=True, kw_only=True)
class Need:
    """One distribution that is needed.

    Attributes:
        name: canonical name.
        extras: the extras of it that are asked for.
        versions: conditions on its version, as in a requirement; all must hold.
    """

    name: str
    extras: set[str] = field(default_factory=set)
    versions: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        extras = f"[{','.join(sorted(self.extras))}]" if self.extras else ""
        return f"{self.name}{extras}{','.join(sorted(self.versions))}"

    def met_by(self, version: str) -> bool:
        """Return whether a version satisfies every condition."""
        from packaging.specifiers import SpecifierSet

        return SpecifierSet(",".join(sorted(self.versions))).contains(version, prereleases=True)


def needs_of(
    roots: Mapping[str, set[str]], wheels: Mapping[str, Wheel], machine: Mapping[str, str]
) -> dict[str, Need]:
    """Return all that is needed, directly and through others, as far as the wheels tell.

    Args:
        roots: what is wanted, with its extras.
        wheels: those at hand, by canonical name.
        machine: the values of environment markers there (``sys_platform``, ``python_version`` and so on).
    """
    needs = {name: Need(name=name, extras=set(extras)) for name, extras in roots.items()}
    waiting = [(name, extra) for name, need in needs.items() for extra in ("", *sorted(need.extras))]
    seen = set(waiting)
    while waiting:
        name, extra = waiting.pop()
        if name not in wheels:
            continue
        for other, extras, versions in _requirements(wheels[name], extra, machine):
            need = needs.setdefault(other, Need(name=other))
            need.extras |= extras
            if versions:
                need.versions.add(versions)
            fresh = {(other, each) for each in ("", *extras)} - seen
            seen |= fresh
            waiting += sorted(fresh)
    return needs


def _requirements(
    wheel: Wheel, extra: str, machine: Mapping[str, str]
) -> Iterator[tuple[str, set[str], str]]:
    from packaging.requirements import InvalidRequirement, Requirement

    for text in wheel.requires:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue  # pip would refuse the wheel; it says so better
        marker = requirement.marker
        wanted = marker is None or marker.evaluate({**machine, "extra": extra})
        # A line without a condition on the extra holds for the wheel itself, and is not asked for again.
        if wanted and not (extra and (marker is None or marker.evaluate({**machine, "extra": ""}))):
            yield canonical(requirement.name), set(requirement.extras), str(requirement.specifier)


def open_needs(needs: Mapping[str, Need], wheels: Mapping[str, Wheel]) -> list[Need]:
    """Return the needs that no wheel meets, by name."""
    return [
        need
        for name, need in sorted(needs.items())
        if name not in wheels or not need.met_by(wheels[name].version)
    ]
