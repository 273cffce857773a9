"""Parts of the hosted world that ask nothing: waits out of events, fields fetched late, path parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from urllib.parse import quote

from eve_replay.errors import NotFound
from eve_replay.records import EventRecord, WaitRecord

__all__ = ["Fetched", "maps", "part", "waits_of"]


def waits_of(run_id: str, events: Iterable[EventRecord]) -> Iterator[WaitRecord]:
    """Yield the open waits that a run's events tell of: the API has no route for them."""
    waits: dict[str, dict[str, object]] = {}
    ended = False
    for event in events:
        name = event.correlation_id or ""
        if event.event_type == "wait_created":
            waits[name] = {
                "waitId": f"{run_id}-{name}",
                "runId": run_id,
                "status": "waiting",
                "resumeAt": event.data.get("resumeAt"),
                "createdAt": event.fields.get("createdAt"),
                "specVersion": event.fields.get("specVersion"),
            }
        elif event.event_type == "wait_completed" and name in waits:
            waits[name] |= {"status": "completed", "completedAt": event.fields.get("createdAt")}
        ended = ended or event.event_type in ("run_completed", "run_failed", "run_cancelled")
    if not ended:
        for name, fields in sorted(waits.items()):
            yield WaitRecord(fields, origin=f"from the events of {name}")


class Fetched(Mapping[str, object]):
    """Fields of a listed run whose payloads are fetched, together and once, when one is asked for."""

    __slots__ = ("_fetch", "_missing", "_ready")

    def __init__(
        self, ready: dict[str, object], missing: list[str], fetch: Callable[[], Mapping[str, object]]
    ) -> None:
        self._ready = ready
        self._missing = missing
        self._fetch = fetch

    def __getitem__(self, name: str) -> object:
        if name not in self._ready and name in self._missing:
            whole = self._fetch()
            for wanted in self._missing:
                if wanted in whole:
                    self._ready[wanted] = whole[wanted]
            self._missing = [wanted for wanted in self._missing if wanted in self._ready]
        return self._ready[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._ready
        yield from [name for name in self._missing if name not in self._ready]

    def __len__(self) -> int:
        return len(self._ready.keys() | set(self._missing))


def maps(value: object) -> Iterator[Mapping[str, object]]:
    """Yield the mappings of a list; anything else is no item."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, Mapping):
                yield item


def part(text: str) -> str:
    """Return one path part; an id with a slash or dots cannot leave its place. NotFound: it is no id."""
    if not text or text in (".", ".."):
        raise NotFound(f"{text[:80]!a} is no id.")
    try:
        return quote(text, safe="")
    except UnicodeEncodeError:
        raise NotFound(f"{text[:80]!a} is no id.") from None
