"""From what a person types after ``--after``, ``--before`` or ``--at`` to a place in the order of writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from eve_replay.errors import NotFound, WrongUse
from eve_replay.recovery.plan.model import Plan
from eve_replay.recovery.points import CLASSES, point_at
from eve_replay.recovery.writes.order import Write

__all__ = ["place_at", "place_of"]

_FILE_FORMS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"\.locks/steps/(?:wrun_\w+-)?(step_\w+)\.(created|terminal)", lambda m: f"lock:{m[1]}:{m[2]}"),
    (r"\.locks/waits/(?:wrun_\w+-)?(wait_\w+)\.(created|completed)", lambda m: f"lock:{m[1]}:{m[2]}"),
    (r"\.locks/hooks/(hook_\w+)\.disposed", lambda m: f"lock:{m[1]}:disposed"),
    (r"\.locks/runs/(wrun_\w+)\.terminal", lambda m: f"lock:{m[1]}:terminal"),
    (r"events/(?:wrun_\w+/)?(wrun_\w+)-(evnt_\w+)\.json", lambda m: f"{m[1]}/{m[2]}"),
    (r"streams/chunks/.*?(chnk_\w+)\.bin", lambda m: m[1]),
    (r"hooks/(hook_\w+)\.json", lambda m: f"record:{m[1]}:open"),
)
#: Files that are rewritten: their writes in order are the records' states.
_REWRITTEN = (
    r"steps/(?:wrun_\w+/)?(?:wrun_\w+-)?(step_\w+)\.json",
    r"runs/(wrun_\w+)\.json",
    r"waits/(?:wrun_\w+-)?(wait_\w+)\.json",
)
#: Where a world does not commit in small writes, a record's state is written with this event.
_WITH_EVENT = {
    "pending": ("created", "run-created"),
    "running": ("started", "run-started"),
    "completed": ("end", "run-end"),
    "failed": ("end", "run-end"),
    "cancelled": ("end", "run-end"),
}


def place_of(plan: Plan, text: str, side: str, *, run: str | None = None) -> int:
    """Return the place right after or right before what ``text`` names.

    Args:
        plan: the turn or run; names are looked up in the whole session, classes in this turn.
        text: an event id, a chunk id, ``record:ID:STATUS`` and the other forms of ``recovery.writes``,
            ``file:PATH`` of the data folder, or a class name of ``recovery.points`` (``in-tool``,
            ``in-tool:charge_card``, ``in-tool:2`` for the second time the turn gets there).
        side: ``after`` or ``before``.
        run: run id (or its last characters) where event slots repeat.

    Raises:
        NotFound: nothing of that name is in the recording; the message says what is near.
        WrongUse: the form is not understood.
    """
    # Record files are called after run and id; the id alone names the record here.
    wanted = re.sub(r"(record|lock):wrun_[0-9A-Z]{26}-", r"\1:", text.strip())
    name = wanted.partition(":")[0]
    if name in CLASSES:
        return _class_place(plan, wanted)
    found = _find(plan, wanted, run)
    if found is None:
        raise NotFound(f"The recording has no write {text!r}.", hint=_near(plan, wanted))
    return found + 1 if side == "after" else found


def place_at(plan: Plan, at: datetime) -> int:
    """Return the place at a time: everything written (or happened) by then, in the turn.

    Raises:
        WrongUse: the time lies before the turn's first write or after its last.
    """
    items = plan.writes.items
    stamp = at.timestamp() * 1000
    if not items:
        raise WrongUse("Nothing is recorded here.")
    first, last = items[plan.first], items[min(plan.last, len(items)) - 1]
    if stamp < first.time or stamp > last.time + 1:
        raise WrongUse(
            f"{at.isoformat()} is outside the turn.",
            hint=f"It was written from {first.at.isoformat()} to {last.at.isoformat()}.",
        )
    return plan.first + sum(1 for w in items[plan.first : plan.last] if w.time <= stamp)


def _class_place(plan: Plan, text: str) -> int:
    name, _, rest = text.partition(":")
    nth = int(rest) if rest.isdigit() else 1
    tool = "" if rest.isdigit() else rest
    count = 0
    previous: tuple[str, str | None] | None = None
    for place in range(plan.first, min(plan.last, len(plan.writes)) + 1):
        point = point_at(plan, place)
        here = (point.klass, point.step_id)
        entered, previous = here != previous, here
        if point.klass != name or (tool and tool not in point.label) or not (entered or tool):
            continue
        count += 1
        if count == nth:
            return place
    have = f"It has {count} of them." if count else f"Classes: {', '.join(CLASSES)}."
    raise NotFound(f"This turn has no crash point {text!r}.", hint=have)


def _find(plan: Plan, text: str, run: str | None) -> int | None:
    writes = plan.writes
    if text.startswith("file:"):
        return _file(plan, text.removeprefix("file:"))
    owner, slash, event = text.partition("/")
    if slash and owner.startswith("wrun_"):
        text, run = event, owner
    places = writes.by_address.get(text, [])
    if not places and text.startswith("record:"):
        return _record(plan, text)
    if not places:
        places = _shortened(plan, text)
    return _choose(plan, places, run)


def _shortened(plan: Plan, text: str) -> list[int]:
    """Places of the write that a shortened id (its last characters, or ``chnk_…S6NK``) can only mean."""
    head, dots, tail = text.replace("~", "…").partition("…")
    if not dots:
        head, tail = "", text
    if len(tail) < 4:
        return []
    found = {w.address for w in plan.writes.items if w.address.startswith(head) and w.address.endswith(tail)}
    return plan.writes.by_address[found.pop()] if len(found) == 1 else []


def _choose(plan: Plan, places: Sequence[int], run: str | None) -> int | None:
    if run is not None:
        places = [n for n in places if plan.writes.items[n].run.endswith(run)]
    if len(places) > 1:
        # Slots repeat between runs: the session's own run is meant unless --run says otherwise.
        own = [n for n in places if plan.runs and plan.writes.items[n].run == plan.runs[0].run_id]
        places = own or list(places)
    return places[0] if places else None


def _record(plan: Plan, text: str) -> int | None:
    """``record:ID:STATUS`` where the id is shortened, or where the world writes record and event together."""
    parts = text.split(":")
    if len(parts) != 3:
        raise WrongUse(f"{text!r} is not understood.", hint="Write it as record:step_...:completed.")
    _, id_, status = parts
    for n, write in enumerate(plan.writes.items):
        if write.kind == "record" and write.subject.endswith(id_) and write.address.endswith(f":{status}"):
            return n
    status, _, nth = status.partition("#")
    for n, write in enumerate(plan.writes.items):
        if write.kind == "event" and write.key[0] in _WITH_EVENT.get(status, ()):
            same = write.subject.endswith(id_) or (write.subject == "" and write.run.endswith(id_))
            if same and (not nth or write.key[-1] in (int(nth), nth)):
                return n
    return None


def _file(plan: Plan, path: str) -> int | None:
    path, _, nth = path.partition("#")
    for form, make in _FILE_FORMS:
        match = re.fullmatch(form, path)
        if match:
            address = make(match)
            run = None
            if "/" in address:
                run, _, address = address.partition("/")
            return _choose(plan, plan.writes.by_address.get(address, []), run)
    for form in _REWRITTEN:
        match = re.fullmatch(form, path)
        if match:
            places = [
                n for n, w in enumerate(plan.writes.items) if w.kind == "record" and w.subject == match[1]
            ]
            number = int(nth) if nth.isdigit() else 1
            return places[number - 1] if 0 < number <= len(places) else None
    raise WrongUse(
        f"{path!r} is not a file whose writes are known.", hint="Give a path inside the data folder."
    )


def _near(plan: Plan, text: str) -> str:
    family = text.partition(":")[0].partition("_")[0]
    like: list[Write] = [w for w in plan.writes.items if w.address.startswith(family)]
    if not like:
        return "Use an event id, a chunk id, record:ID:STATUS, lock:ID:PHASE, file:PATH or a class name."
    return f"For example {like[0].address} ({like[0].words})."
