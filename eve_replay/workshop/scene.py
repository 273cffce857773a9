"""One outcome as a picture: a lane per process, its moments, the ledger, and where a fault could fall.

Frozen plain data with ``to_json``, in one language, everything made safe to draw. Front ends only draw it.
"""

from __future__ import annotations

from dataclasses import dataclass

from eve_replay.views.base import View
from eve_replay.views.tone import Tone
from eve_replay.workshop.model import Deed, Entry, Language, Moment, Outcome
from eve_replay.workshop.promises import belongs, entries_of, told_of
from eve_replay.workshop.schedules import kinds_at
from eve_replay.workshop.story import sums
from eve_replay.workshop.telling import Teller
from eve_replay.workshop.telling_calls import pairs, short_call
from eve_replay.workshop.words import FAULTS, LABELS, SERVICES, cut, named, spell

__all__ = ["DeedRow", "Lane", "LedgerRow", "Point", "Scene", "SceneMoment", "Way", "scene"]

_TONES: dict[str, Tone] = {
    "model": "model",
    "call": "tool",
    "pause": "parked",
    "start": "strong",
    "crash": "error",
    "replayed": "replayed",
    "commit": "muted",
    "committed": "committed",
    "landed": "warning",
    "timeout": "warning",
    "threw": "error",
    "bad-request": "error",
    "asked": "parked",
    "told": "parked",
    "dormant": "warning",
    "wedged": "harm",
    "diverged": "harm",
}
#: What the outside does by itself, or after the sender is dead: the lane of the outside.
_OUTSIDE = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Way(View):
    """One way in which something can go wrong at a point."""

    kind: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Point(View):
    """A moment where a fault can fall.

    Attributes:
        number: as :class:`eve_replay.workshop.model.Fault` wants it.
        index: of the moment in the trace.
        label: ``step 1: charge(INV-7, 4200)``.
        ways: what can happen there, the simplest first.
        chosen: the kind of the fault that falls there now, empty for none.
    """

    number: int
    index: int
    process: int
    label: str
    ways: tuple[Way, ...]
    chosen: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneMoment(View):
    """One moment of a lane.

    Attributes:
        index: in the trace; moments of all lanes are in this order.
        number: where a fault can fall, None elsewhere.
        label: two or three words.
        fault, fault_label: the fault that fell here, empty for none.
        sentences: what happens, as the story says it.
        seconds: simulated time since the beginning; ``time`` the same in words.
        entries: numbers of the ledger lines that it caused.
    """

    index: int
    number: int | None
    kind: str
    label: str
    tone: Tone
    fault: str
    fault_label: str
    sentences: tuple[str, ...]
    seconds: float
    time: str
    step: str
    tool: str
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane(View):
    """One process, or the outside (process 0)."""

    process: int
    label: str
    died: bool
    moments: tuple[SceneMoment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow(View):
    """One line of the outside's ledger.

    Attributes:
        index: of the moment at which it happened, -1 when it is not in the trace.
        what: what it was about, without its id.
        key: empty without one.
        deed: which deed it does, empty for none.
        times: how often that deed was done in all.
        tone: ``harm`` when more than wanted or not wanted at all, ``once`` when right, ``parked`` for a
            person.
    """

    number: int
    index: int
    seconds: float
    time: str
    process: int
    service: str
    effect: str
    id: str
    what: str
    key: str
    deed: str
    times: int
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class DeedRow(View):
    """One thing that was wanted, and how often it was done.

    Attributes:
        tone: ``once`` when right, ``harm`` when done too often, ``parked`` when a person was told instead,
            ``warning`` when missed.
    """

    words: str
    effect: str
    wanted: int
    done: int
    ids: tuple[str, ...]
    told: bool
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene(View):
    """A picture of one outcome."""

    language: Language
    case: str
    ended: str
    lanes: tuple[Lane, ...]
    ledger: tuple[LedgerRow, ...]
    deeds: tuple[DeedRow, ...]
    points: tuple[Point, ...]
    sums: tuple[str, ...]
    model_calls: int
    rules: tuple[str, ...]


def scene(outcome: Outcome, language: Language = "en", *, inside_commit: bool = False) -> Scene:
    """Return an outcome as a picture.

    Args:
        outcome: of a run with a full trace.
        language: of all words.
        inside_commit: whether crashes inside a commit are offered as points.
    """
    teller = Teller(outcome, language)
    caused: dict[int, list[int]] = {}
    for entry in outcome.ledger:
        caused.setdefault(_where(teller, entry), []).append(entry.number)
    case = outcome.case
    return Scene(
        language=language,
        case=case.words.get(language) if case.words is not None else cut(case.name),
        ended=outcome.ended,
        lanes=_lanes(teller, caused),
        ledger=tuple(_row(teller, entry) for entry in outcome.ledger),
        deeds=tuple(_deed(outcome, deed) for deed in _different(case.deeds)),
        points=_points(teller, inside_commit),
        sums=sums(outcome, language),
        model_calls=outcome.model_calls,
        rules=outcome.rules,
    )


def _different(deeds: tuple[Deed, ...]) -> list[Deed]:
    return [deed for index, deed in enumerate(deeds) if deed not in deeds[:index]]


# -- lanes ---------------------------------------------------------------------------------------------------


def _lanes(teller: Teller, caused: dict[int, list[int]]) -> tuple[Lane, ...]:
    lanes: dict[int, list[SceneMoment]] = {}
    died: set[int] = set()
    for index, moment in enumerate(teller.trace):
        if moment.kind == "crash":
            died.add(moment.process)
        shown = _moment(teller, index, moment, tuple(caused.get(index, ())))
        if shown is not None:
            lanes.setdefault(_lane(moment), []).append(shown)
    return tuple(
        Lane(
            process=process,
            label=named(LABELS, "process" if process else "outside", teller.language, process=process),
            died=process in died,
            moments=tuple(lanes[process]),
        )
        for process in sorted(lanes, key=lambda number: (number == _OUTSIDE, number))
    )


def _lane(moment: Moment) -> int:
    return _OUTSIDE if moment.kind in ("landed", "acted", "dormant") else moment.process


def _moment(teller: Teller, index: int, moment: Moment, entries: tuple[int, ...]) -> SceneMoment | None:
    sentences = teller.sentences(index)
    if moment.number is None and not sentences and not entries:
        return None
    return SceneMoment(
        index=index,
        number=moment.number,
        kind=moment.kind,
        label=_label(teller, moment),
        tone=_tone(moment),
        fault=moment.fault or "",
        fault_label=_fault(teller, moment, moment.fault) if moment.fault else "",
        sentences=sentences,
        seconds=moment.seconds,
        time=spell(moment.seconds, teller.language),
        step=teller.step(moment) if moment.step >= 0 else "",
        tool=cut(moment.tool),
        entries=entries,
    )


def _tone(moment: Moment) -> Tone:
    if moment.kind == "call" and moment.attempt > 1 and not moment.reads:
        return "again"
    if moment.kind == "call" and moment.service == "people":
        return "parked"
    return _TONES.get(moment.kind, "plain")


def _label(teller: Teller, moment: Moment) -> str:
    if moment.kind == "call":
        return short_call(moment)
    if moment.kind == "tool":
        return cut(moment.facts.get("name", moment.tool))
    return named(LABELS, moment.kind, teller.language, process=moment.process)


def _fault(teller: Teller, moment: Moment, kind: str) -> str:
    name = kind if moment.kind == "call" else "crash-here"
    return named(FAULTS, name, teller.language)


# -- ledger, deeds, points ------------------------------------------------------------------------------


def _where(teller: Teller, entry: Entry) -> int:
    """The moment at which a ledger line is shown: where it landed when it landed late, its call otherwise."""
    landed = teller.seen.landed(entry)
    call = teller.trace[entry.moment] if 0 <= entry.moment < len(teller.trace) else None
    if call is None or call.fault != "crash-in-flight":
        return entry.moment if call is not None else landed
    return next((i for i in range(landed, -1, -1) if teller.trace[i].kind == "landed"), landed)


def _row(teller: Teller, entry: Entry) -> LedgerRow:
    outcome, language = teller.outcome, teller.language
    deed = next((each for each in outcome.case.deeds if belongs(entry, each)), None)
    times = outcome.count(deed) if deed is not None else 0
    effect = f"effect-{entry.effect}"
    tone: Tone = "plain"
    if entry.effect == "person":
        tone = "parked"
    elif deed is not None:
        tone = "harm" if times > _wanted(outcome, deed) else "once"
    elif entry.effect in {each.effect for each in outcome.case.deeds}:
        tone = "harm"
    return LedgerRow(
        number=entry.number,
        index=_where(teller, entry),
        seconds=entry.seconds,
        time=spell(entry.seconds, language),
        process=entry.process,
        service=named(SERVICES, entry.service, language),
        effect=named(LABELS, effect, language) if effect in LABELS else cut(entry.effect),
        id=cut(entry.fields.get("id", "")),
        what=pairs(entry.fields, ("id", "body")),
        key=cut(entry.key) if entry.key is not None else "",
        deed=cut(deed.words) if deed is not None else "",
        times=times,
        tone=tone,
    )


def _wanted(outcome: Outcome, deed: Deed) -> int:
    return sum(each == deed for each in outcome.case.deeds)


def _deed(outcome: Outcome, deed: Deed) -> DeedRow:
    entries = entries_of(outcome, deed)
    wanted, told = _wanted(outcome, deed), told_of(outcome, deed)
    tone: Tone = "once"
    if len(entries) > wanted:
        tone = "harm"
    elif len(entries) < wanted:
        tone = "parked" if told else "warning"
    return DeedRow(
        words=cut(deed.words) or pairs(deed.match),
        effect=deed.effect,
        wanted=wanted,
        done=len(entries),
        ids=tuple(cut(entry.fields.get("id", "")) for entry in entries),
        told=told,
        tone=tone,
    )


def _points(teller: Teller, inside_commit: bool) -> tuple[Point, ...]:
    found = []
    colon = "：" if teller.language == "zh" else ": "
    for index, moment in enumerate(teller.trace):
        kinds = kinds_at(moment, inside_commit=inside_commit)
        if moment.number is None or not kinds:
            continue
        step = teller.step(moment) if moment.step >= 0 else ""
        label = _label(teller, moment)
        found.append(
            Point(
                number=moment.number,
                index=index,
                process=moment.process,
                label=f"{step}{colon}{label}" if step else label,
                ways=tuple(Way(kind=kind, label=_fault(teller, moment, kind)) for kind in kinds),
                chosen=moment.fault or "",
            )
        )
    return tuple(found)
