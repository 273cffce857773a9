"""A wire without a runtime: every call reaches the outside at once, unless a test cuts it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from eve_replay.workshop.outside import Outside
from eve_replay.workshop.wire import Call, ProcessDied, Timeout


@dataclass
class DirectWire:
    """Carries out calls; ``cut`` says by number of the call what happens to it (a FaultKind)."""

    seconds: float = 0.0
    cut: dict[int, str] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    ledger: list[tuple[str, str, dict[str, object], str | None]] = field(default_factory=list)
    told: list[tuple[str, dict[str, object]]] = field(default_factory=list)
    flying: list[Callable[[], Any]] = field(default_factory=list)

    def call(self, call: Call, act: Callable[[], Any], arrive: Callable[[], None] | None = None) -> Any:
        fault = self.cut.get(len(self.calls))
        self.calls.append(call)
        if fault == "crash-before":
            raise ProcessDied
        if fault == "refused":
            raise Timeout(f"{call.service}.{call.method}: no answer")
        if fault == "crash-in-flight":
            if arrive is not None:
                arrive()
            self.flying.append(act)
            raise ProcessDied
        answer = act()
        if fault == "crash-after":
            raise ProcessDied
        if fault == "lost":
            raise Timeout(f"{call.service}.{call.method}: no answer")
        return answer

    def happened(self, service: str, effect: str, fields: Mapping[str, object], key: str | None) -> int:
        self.ledger.append((service, effect, dict(fields), key))
        return len(self.ledger) - 1

    def tell(self, kind: str, facts: Mapping[str, object]) -> None:
        self.told.append((kind, dict(facts)))

    def land(self) -> None:
        flying, self.flying = self.flying, []
        for act in flying:
            act()

    @property
    def effects(self) -> list[str]:
        return [effect for _, effect, _, _ in self.ledger]

    @property
    def did(self) -> list[object]:
        return [facts["did"] for kind, facts in self.told if kind == "acted"]


def outside(
    setting: Mapping[str, Mapping[str, object]] | None = None, **wire: Any
) -> tuple[Outside, DirectWire]:
    """Return an outside and the wire it is on."""
    direct = DirectWire(**wire)
    return Outside(direct, setting or {}), direct
