"""Finding text in a journal: in ids, names, decoded values and JSON paths, one hit after the other.

Every turn step's input repeats the whole history, so a text said once stands in hundreds of payloads. A text
that was reported for a run is not reported again for it, unless every place is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal, NamedTuple, Protocol

from eve_replay.codec import Payload
from eve_replay.errors import WrongUse
from eve_replay.journal import Session, StreamEvent
from eve_replay.records import EventRecord, Other, Record, RunRecord, StepRecord
from eve_replay.values import BigInt, JsBytes, JsDate, RegExp, Undecoded, Url, UrlSearchParams, walk
from eve_replay.values.paths import join_path
from eve_replay.views.kit.base import View, event_key, step_key
from eve_replay.views.kit.safe import safe_text

__all__ = [
    "FIELDS",
    "Hit",
    "Pattern",
    "Place",
    "Unread",
    "search",
    "search_run",
    "search_session",
    "search_slices",
    "slices_in",
    "text_of",
]

#: What can be searched.
FIELDS = ("ids", "names", "values", "paths")
Field = Literal["ids", "names", "values", "paths"]
_AROUND = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit(View):
    """One place where the text stands.

    Attributes:
        field: ``ids``, ``names``, ``values`` or ``paths``.
        run_id: the run it belongs to.
        kind: run, step, event, hook, wait or chunk; ``id`` its id.
        where: the payload: ``input``, ``step_completed.result`` ...; empty for ids and names.
        path: JSON path inside the payload, empty for ids and names.
        text: the text around the hit, safe; ``start`` and ``end`` mark the hit in it.
        key: where to go to see it.
    """

    field: str
    run_id: str
    kind: str
    id: str
    where: str
    path: str
    text: str
    start: int
    end: int
    key: str

    @property
    def tab(self) -> str:
        """The inspector's tab that shows it, empty when the first one will do."""
        return "output" if self.kind == "chunk" else _TABS.get(self.where.rpartition(".")[2], "")


#: The inspector's tab that shows a payload, by the last word of where a hit lies.
_TABS = {"input": "input", "output": "output", "result": "output", "error": "output"}


class Unread(NamedTuple):
    """Something a search could not look into: whose it is, where it lies, why (the decoder's code)."""

    run_id: str
    kind: str
    id: str
    where: str
    reason: str

    def to_json(self) -> dict[str, str]:
        """Return ``{runId, kind, id, where, reason}``."""
        return {
            "runId": self.run_id,
            "kind": self.kind,
            "id": self.id,
            "where": self.where,
            "reason": self.reason,
        }


class Pattern:
    """What to look for.

    Args:
        text: the text, or a regular expression.
        regex: take it as one.
        case: upper and lower case count. Without it they do only when ``text`` has upper case letters.

    Raises:
        WrongUse: the expression is not valid.
    """

    def __init__(self, text: str, *, regex: bool = False, case: bool | None = None) -> None:
        sensitive = text != text.lower() if case is None else case
        try:
            self._find = re.compile(text if regex else re.escape(text), 0 if sensitive else re.IGNORECASE)
        except (re.error, OverflowError, RecursionError) as error:
            raise WrongUse(f"{text!r} is not a regular expression: {error}.") from None

        self._plain = None if regex else _Needle.of(text, sensitive)

    def absent(self, text: bytes) -> bool:
        """Whether it certainly stands nowhere in the value of a devalue text. False says nothing.

        Looked for in the bytes, so nothing is parsed. Texts and names stand there as they are, but for what
        JSON escapes; numbers and dates may be written otherwise, and some types hold their text in another
        form: where one of these could hold the pattern, the value itself is asked.
        """
        return self._plain is not None and self._plain.absent(text)

    def find(self, text: str) -> tuple[int, int] | None:
        """Return where it stands in ``text``, None when it does not. An empty match is none."""
        match = self._find.search(text)
        return match.span() if match is not None and match.end() > match.start() else None


#: Letters that only numbers, dates and the like are made of: a pattern of nothing else may mean one of these.
_NUMBERS = frozenset("0123456789.+-:TZeinfaxbo")
#: Types whose text stands in the document as it is looked for, numbers and dates aside.
_AS_WRITTEN = frozenset(
    {b"Date", b"BigInt", b"Map", b"Set", b"AbortSignal", b"WritableStream", b"ReadableStream"}
)
_TYPED = re.compile(rb'\["([^"\\]*)"')
#: What regular expressions take for i, k and s when case does not count (dotted and dotless i, Kelvin ...).
_LOOKALIKES = tuple(char.encode() for char in "\u0130\u0131\u212a\u017f")


class _Needle:
    """A literal pattern as it stands in JSON bytes."""

    def __init__(self, data: bytes, folded: bool) -> None:
        self._data = data
        self._folded = folded

    @classmethod
    def of(cls, text: str, sensitive: bool) -> _Needle | None:
        """Return it, None for a pattern that has to be looked for in the values."""
        if not text or set(text) <= _NUMBERS or any(char in '"\\\ufffd' or char < " " for char in text):
            return None
        others = "".join(char for char in text if not char.isascii())
        if not sensitive and others.lower() != others.upper():
            return None
        try:
            data = text.encode()
        except UnicodeEncodeError:
            return None
        return cls(data if sensitive else data.lower(), not sensitive)

    def absent(self, text: bytes) -> bool:
        if not (text.startswith(b"[") and text.endswith(b"]")) or b"\\u" in text or b"\\/" in text:
            return False
        if self._folded and not text.isascii() and any(char in text for char in _LOOKALIKES):
            return False
        if self._data in (text.lower() if self._folded else text):
            return False
        return _AS_WRITTEN.issuperset(_TYPED.findall(text, 1))


class Place(Protocol):
    """What is searched: the part of a world that gives records."""

    def runs(self) -> Iterator[RunRecord]:
        """Yield the runs."""
        ...

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        """Yield a run's step records."""
        ...

    def events(self, run_id: str) -> Iterator[EventRecord]:
        """Yield a run's log."""
        ...

    def others(self, run_id: str) -> Iterator[Other]:
        """Yield a run's hooks, waits and the like."""
        ...


def search(
    world: Place,
    pattern: Pattern,
    *,
    fields: Iterable[str] = FIELDS,
    runs: Iterable[str] | None = None,
    every: bool = False,
    events_of: Callable[[str], Iterable[StreamEvent]] | None = None,
    unread: list[Unread] | None = None,
) -> Iterator[Hit]:
    """Yield hits run by run, records before events, as they are found.

    Args:
        world: where to look: a world, or anything that gives records like one.
        pattern: what to look for.
        fields: which of :data:`FIELDS`.
        runs: only these runs.
        every: report a text at every place, not only the first per run.
        events_of: gives a run's session stream events; without it streams are not searched.
        unread: filled with what could not be looked into: "nothing found" says nothing about it.
    """
    only = None if runs is None else frozenset(runs)
    for record in world.runs():
        if only is None or record.run_id in only:
            yield from search_run(
                world, record, pattern, fields=fields, every=every, events_of=events_of, unread=unread
            )


def search_run(
    world: Place,
    record: RunRecord,
    pattern: Pattern,
    *,
    fields: Iterable[str] = FIELDS,
    every: bool = False,
    events_of: Callable[[str], Iterable[StreamEvent]] | None = None,
    unread: list[Unread] | None = None,
) -> Iterator[Hit]:
    """Yield the hits in one run and in its session's stream; arguments as of :func:`search`."""
    looking = _Run(world, record, pattern, frozenset(fields), every=every, unread=unread)
    yield from looking.hits()
    if events_of is not None:
        yield from looking.stream(events_of(record.run_id))


def search_session(
    session: Session, pattern: Pattern, *, fields: Iterable[str] = FIELDS, every: bool = False
) -> Iterator[Hit]:
    """Yield the hits in one joined session: its runs, the runs below, and its stream."""
    place = _Joined(session)

    def events(run_id: str) -> Iterable[StreamEvent]:
        return session.stream_events if session.runs and run_id == session.runs[0].run_id else ()

    yield from search(place, pattern, fields=fields, every=every, events_of=events)


def search_slices(
    session: Session,
    pattern: Pattern,
    *,
    fields: Iterable[str] = FIELDS,
    every: bool = False,
    unread: list[Unread] | None = None,
) -> Iterator[tuple[Hit, ...]]:
    """Yield the hits in one joined session record by record, also the empty ones.

    For who shows how far a search is and lets it be cancelled; :func:`slices_in` says how many will come.
    """
    place = _Joined(session)
    for record in place.runs():
        looking = _Run(place, record, pattern, frozenset(fields), every=every, unread=unread)
        for part in looking.parts():
            yield tuple(part)
        if session.runs and record.run_id == session.runs[0].run_id:
            for event in session.stream_events:
                yield tuple(looking.stream((event,)))


def slices_in(session: Session) -> int:
    """Return how many records :func:`search_slices` looks into."""
    place = _Joined(session)
    rows = (chain(place.steps(r), place.events(r), place.others(r)) for r in place.names)
    return sum(1 + sum(1 for _ in each) for each in rows) + len(session.stream_events)


class _Joined:
    """A joined session seen as a world: it has been read already."""

    def __init__(self, session: Session) -> None:
        self._runs = {run.run_id: run for run in session.all_runs}
        self.names = tuple(self._runs)

    def runs(self) -> Iterator[RunRecord]:
        return (run.record for run in self._runs.values())

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        return (step.record for step in self._runs[run_id].steps if step.record is not None)

    def events(self, run_id: str) -> Iterator[EventRecord]:
        return iter(self._runs[run_id].events)

    def others(self, run_id: str) -> Iterator[Other]:
        run = self._runs[run_id]
        return iter((*run.hooks, *run.waits))


class _Run:
    """The search of one run."""

    def __init__(
        self,
        world: Place,
        record: RunRecord,
        pattern: Pattern,
        fields: frozenset[str],
        *,
        every: bool,
        unread: list[Unread] | None = None,
    ) -> None:
        self.world = world
        self.record = record
        self.pattern = pattern
        self.fields = fields
        self.every = every
        self.unread = unread
        self.seen: set[str] = set()
        self.payloads: set[bytes | int] = set()

    def hits(self) -> Iterator[Hit]:
        return chain.from_iterable(self.parts())

    def parts(self) -> Iterator[Iterator[Hit]]:
        """Yield the hits record by record, also where there is none: run, steps, log, the rest."""
        yield self.own()
        for step in self.world.steps(self.record.run_id):
            yield self.step(step)
        for event in self.world.events(self.record.run_id):
            yield self.event(event)
        for other in self.world.others(self.record.run_id):
            yield self.other(other)

    def own(self) -> Iterator[Hit]:
        run = self.record
        at = f"run:{run.run_id}"
        yield from self.plain("ids", "run", run.run_id, run.run_id, at)
        yield from self.plain("names", "run", run.run_id, run.text("workflowName") or "", at)
        for name, value in run.attributes.items():
            yield from self.plain("names", "run", run.run_id, name, at)
            yield from self.value(value, "run", run.run_id, "attributes", at, join_path("$", name))
        yield from self.record_payloads(run, "run", run.run_id, at)

    def step(self, step: StepRecord) -> Iterator[Hit]:
        at = step_key(self.record.run_id, step.step_id)
        yield from self.plain("ids", "step", step.step_id, step.step_id, at)
        yield from self.plain("names", "step", step.step_id, step.text("stepName") or "", at)
        yield from self.record_payloads(step, "step", step.step_id, at)

    def other(self, other: Other) -> Iterator[Hit]:
        at = f"run:{self.record.run_id}"
        for name in ("hookId", "waitId", "token"):
            text = other.text(name)
            if text:
                kind = "wait" if name == "waitId" else "hook"
                yield from self.plain("ids", kind, text, text, at)
        yield from self.record_payloads(other, "hook", other.text("hookId") or "", at)

    def event(self, event: EventRecord) -> Iterator[Hit]:
        at = event_key(self.record.run_id, event.event_id)
        for text in (event.event_id, event.correlation_id or "", event.text("resumeId") or ""):
            yield from self.plain("ids", "event", event.event_id, text, at)
        yield from self.plain("names", "event", event.event_id, event.event_type, at)
        for name, value in event.data.items():
            where = f"{event.event_type}.{name}"
            if isinstance(value, Payload):
                yield from self.payload(value, "event", event.event_id, where, at)
            else:
                yield from self.value(value, "event", event.event_id, where, at, "$")

    def record_payloads(self, record: Record, kind: str, id_: str, at: str) -> Iterator[Hit]:
        for name, value in record.fields.items():
            if isinstance(value, Payload):
                yield from self.payload(value, kind, id_, name, at)

    def payload(self, payload: Payload, kind: str, id_: str, where: str, at: str) -> Iterator[Hit]:
        """Search one payload; the same bytes stored again (step record and its events) once."""
        if not {"values", "paths"} & self.fields:
            return
        raw = payload.raw
        mark = raw if isinstance(raw, bytes) else id(payload)
        if mark in self.payloads:
            return
        self.payloads.add(mark)
        text = payload.text if payload.is_bytes else None
        if text is not None and self.pattern.absent(text):
            payload.forget()
            return
        yield from self.value(payload.shared, kind, id_, where, at, "$")
        lost = payload.undecoded
        if lost is not None and self.unread is not None:
            place = f"{where} {lost.path}" if lost.path not in ("", "$") else where
            self.unread.append(Unread(self.record.run_id, kind, id_, place, lost.reason))
        payload.forget()

    def value(self, value: object, kind: str, id_: str, where: str, at: str, root: str) -> Iterator[Hit]:
        for trail, each in walk(value):
            if "paths" in self.fields and isinstance(trail.segment, str) and trail.parent is not None:
                name = trail.segment
                found = self.pattern.find(name)
                if found is not None and self.fresh(f"path {name}"):
                    yield self.hit("paths", kind, id_, where, trail.path(root), name, found, at)
            if "values" in self.fields:
                text = text_of(each)
                found = self.pattern.find(text) if text else None
                if found is not None and self.fresh(text):
                    yield self.hit("values", kind, id_, where, trail.path(root), text, found, at)

    def stream(self, events: Iterable[StreamEvent]) -> Iterator[Hit]:
        for event in events:
            at = f"chunk:{event.chunk_id}"
            for text in (event.chunk_id, event.meta_id or ""):
                yield from self.plain("ids", "chunk", event.chunk_id, text, at)
            yield from self.plain("names", "chunk", event.chunk_id, event.type, at)
            yield from self.value(dict(event.data), "chunk", event.chunk_id, event.type, at, "$")

    def plain(self, field: Field, kind: str, id_: str, text: str, at: str) -> Iterator[Hit]:
        if field not in self.fields or not text:
            return
        found = self.pattern.find(text)
        if found is not None and self.fresh(f"{field} {kind} {text}"):
            yield self.hit(field, kind, id_, "", "", text, found, at)

    def fresh(self, text: str) -> bool:
        if self.every:
            return True
        if text in self.seen:
            return False
        self.seen.add(text)
        return True

    def hit(
        self,
        field: str,
        kind: str,
        id_: str,
        where: str,
        path: str,
        text: str,
        span: tuple[int, int],
        at: str,
    ) -> Hit:
        start, end = span
        end = min(end, start + 200)
        left = safe_text(text[max(start - _AROUND, 0) : start])
        middle = safe_text(text[start:end])
        right = safe_text(text[end : end + _AROUND])
        left = ("…" if start > _AROUND else "") + left
        return Hit(
            field=field,
            run_id=self.record.run_id,
            kind=kind,
            id=id_,
            where=safe_text(where),
            path=safe_text(path),
            text=left + middle + right + ("…" if end + _AROUND < len(text) else ""),
            start=len(left),
            end=len(left) + len(middle),
            key=at,
        )


def text_of(value: object) -> str:
    """Return what a person would search for in a value without parts, empty for containers."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, int):
        return str(value) if abs(value) < 10**18 else ""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, BigInt):
        return str(value.value) if value.value.bit_length() < 13_000 else ""
    if isinstance(value, JsDate):
        return value.iso() or ""
    if isinstance(value, Url):
        return value.href
    if isinstance(value, UrlSearchParams):
        return value.text
    if isinstance(value, RegExp):
        return value.source
    if isinstance(value, Undecoded):
        return f"undecoded: {value.reason}"
    if isinstance(value, JsBytes):
        return value.data[:100_000].decode("latin-1")
    return ""
