"""One outcome as the browser draws it: lanes, ledger, sums, sentences, in the learner's language.

What a promise says decides the tone: a thing done twice is ``harm``, one that is missed ``warning``.
Everything that comes from a learner's code is made safe here, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eve_replay.values import preview
from eve_replay.views.kit.safe import safe_lines, safe_text
from eve_replay.views.kit.tone import Tone
from eve_replay.workshop.explain.basis import basis
from eve_replay.workshop.explain.teller import Teller
from eve_replay.workshop.model import Entry, Language, Moment, Outcome, Promise
from eve_replay.workshop.promises import ask_of
from eve_replay.workshop.views.accidents import fault_words, plain_faults
from eve_replay.workshop.views.lanes import Box, Lane, Lanes, Slot, lanes_of
from eve_replay.workshop.views.tallies import entry_tones, mark_of, sign_of, sums_of
from eve_replay.workshop.views.words import effect_name, place_of, word

__all__ = ["drawn", "safe_data", "safe_lines_of", "slot_name", "time_words"]

_ENDS: dict[str, Tone] = {"completed": "ok", "dormant": "parked"}


def slot_name(slot: Slot) -> str:
    """Return a slot as text: columns and cells meet by it."""
    return "/".join(str(part) for part in slot)


def drawn(
    outcome: Outcome, language: Language, *, plan: Sequence[Outcome] = (), promises: Sequence[Promise] = ()
) -> dict[str, Any]:
    """Return everything the browser needs for one outcome, as plain JSON data.

    Args:
        outcome: what is drawn.
        language: of the words.
        plan: outcomes that give the order of the columns.
        promises: what the lesson asks for.
    """
    scene = lanes_of(outcome, plan)
    place = {column.slot: number for number, column in enumerate(scene.columns)}
    tones = entry_tones(outcome)
    sums = sums_of(outcome, language)
    result = mark_of(outcome, promises, language)
    told = result.tone == "parked" and any(each["tone"] == "parked" for each in sums)
    if result.tone in ("warning", "parked") and not told and result.words not in [s["text"] for s in sums]:
        joined = "; ".join(str(each["text"]) for each in sums if each["tone"] in ("harm", "warning"))
        if result.words != joined:
            sums.append({"tone": result.tone, "sign": result.sign, "text": result.words})
    ended = outcome.ended
    end = None
    if ended != "completed":
        tone = _ENDS.get(ended, "unknown")
        end = {"tone": tone, "sign": sign_of(tone), "text": word(f"end-{ended}", language)}
    view = {
        "columns": [
            {
                "slot": slot_name(column.slot),
                "label": place_of(column.moment, language),
                "code": column.moment.kind == "call",
                "title": _title(column.moment, language),
            }
            for column in scene.columns
        ],
        "bands": _bands(outcome, scene, language),
        "tools": _tool_bands(scene),
        "lanes": [
            _lane(outcome, lane, scene, place, tones, language, last=lane is scene.lanes[-1])
            for lane in scene.lanes
        ],
        "moments": _moments(outcome, language),
        "basis": basis(outcome, language),
        "ledger": [_entry(entry, scene, tones, language) for entry in outcome.ledger],
        "sums": sums,
        "told": _told(outcome),
        "end": end,
        "threw": _threw(outcome),
        "faults": plain_faults(outcome.schedule),
        "faultWords": [fault_words(outcome, number, language) for number in range(len(outcome.schedule))],
        "spoken": "; ".join(fault_words(outcome, n, language) for n in range(len(outcome.schedule))),
    }
    found: dict[str, Any] = safe_data(view)
    return found


def safe_lines_of(text: str) -> str:
    """Return text of several lines safe to draw, its line ends kept."""
    return "\n".join(safe_lines(text))


def safe_data(value: Any) -> Any:
    """Return plain data with every text safe to draw."""
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, dict):
        return {key: safe_data(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [safe_data(each) for each in value]
    return value


def _title(moment: Moment, language: Language) -> str:
    if moment.kind == "call":
        return f"{moment.tool}: {moment.service}.{moment.method}" if moment.tool else moment.method
    return f"{moment.tool}: {place_of(moment, language)}" if moment.tool else place_of(moment, language)


def _bands(outcome: Outcome, scene: Lanes, language: Language) -> list[dict[str, object]]:
    """Name the steps above their columns; what belongs to no step joins the one before it."""
    bands: list[dict[str, Any]] = []
    several = len(outcome.case.turns) > 1
    body = any(moment.facts.get("workflow") is True for moment in outcome.trace)
    for number, column in enumerate(scene.columns):
        turn, step = column.step
        if step < 0 and bands and not body:
            bands[-1]["to"] = number
            continue
        if not bands or bands[-1]["step"] != (turn, step):
            name = "turn_step" if several else "body" if step < 0 else "recorded" if body else "step"
            label = word(name, language, turn=turn + 1, n=step + 1)
            bands.append({"step": (turn, step), "label": label, "from": number, "closing": False})
        bands[-1]["to"] = number
        bands[-1]["closing"] |= column.moment.facts.get("closing") is True
    for band in bands:
        if band.pop("closing"):
            band["label"] = f"{band['label']}{'：' if language == 'zh' else ': '}{word('closing', language)}"
        del band["step"]
    return bands


def _tool_bands(scene: Lanes) -> list[dict[str, object]]:
    """Name the tools above the columns of their calls, a call after another."""
    bands: list[dict[str, Any]] = []
    for number, column in enumerate(scene.columns):
        moment = column.moment
        if moment.kind == "landed":
            if bands and bands[-1]["to"] == number - 1:
                bands[-1]["to"] = number
            continue
        if not moment.tool:
            continue
        at = (moment.turn, moment.step, moment.position, moment.tool)
        if bands and bands[-1]["at"] == at and bands[-1]["to"] == number - 1:
            bands[-1]["to"] = number
        else:
            bands.append({"at": at, "label": moment.tool, "title": moment.tool, "from": number, "to": number})
    for band in bands:
        del band["at"]
    return bands


def _lane(
    outcome: Outcome,
    lane: Lane,
    scene: Lanes,
    place: dict[Slot, int],
    tones: dict[int, Tone],
    language: Language,
    *,
    last: bool,
) -> dict[str, object]:
    spans = []
    for turn, step, position, unknown in lane.replayed:
        own = [
            number
            for number, column in enumerate(scene.columns)
            if column.step == (turn, step) and position in (-1, column.slot[3])
        ]
        if own:
            label = word("not_again" if unknown else "replayed", language)
            tone = "unknown" if unknown else "replayed"
            spans.append({"from": own[0], "to": own[-1], "label": label, "tone": tone, "sign": sign_of(tone)})
    if lane.died:
        note, tone = word("end-died", language), "harm"
    elif last:
        note, tone = word(f"end-{outcome.ended}", language), _ENDS.get(outcome.ended, "unknown")
    else:
        note, tone = "", "muted"
    start = outcome.trace[lane.first]
    crashed, waits = start.facts.get("crashed"), start.facts.get("waits")
    waited = start.seconds - crashed if isinstance(crashed, int | float) else 0.0
    waited += waits if isinstance(waits, int | float) else 0.0
    if lane.over:
        body = start.facts.get("workflow") is True
        note = _both(word("over" if body else "once_more", language), note, language)
    if waited >= 1:
        later = word("later", language, time=time_words(waited, language))
        note = _both(later, note, language)
    return {
        "process": lane.process,
        "label": word("process", language, n=lane.process),
        "note": note,
        "tone": tone,
        "sign": "✕" if lane.died else sign_of(tone),
        "spans": spans,
        "boxes": [_box(box, place, tones, language) for box in lane.boxes],
    }


def _both(first: str, second: str, language: Language) -> str:
    return f"{first}{'，' if language == 'zh' else '; '}{second}" if second else first


def _box(box: Box, place: dict[Slot, int], tones: dict[int, Tone], language: Language) -> dict[str, object]:
    moment = box.moment
    again = moment.attempt > 1
    passed = moment.kind in ("returned", "committed")  # it is behind them when the process dies there
    ghost = moment.fault in ("crash-before", "refused") and not passed
    tone: Tone = "again" if again else "model"
    sign, filled = "", False
    if moment.kind == "commit" or moment.kind.startswith("commit"):
        tone, sign, filled = "committed", "■", moment.kind != "committed"
    elif box.entries:
        tone = max((tones[number] for number in box.entries), key=("once", "warning", "harm").index)
        sign, filled = sign_of(tone), True
        if moment.fault == "crash-in-flight":
            sign, filled = "⇢", False  # it is done where it lands
    elif moment.kind == "landed":
        tone, sign = "muted", "⇣"
    elif moment.kind == "call":
        tone = "again" if again else "tool"
        sign = "?" if moment.reads else sign_of("again") if again else "→"
    elif moment.kind == "model":
        sign = sign_of("again") if again else "○"
    elif moment.kind == "returned":
        sign = "↩"
    elif moment.kind == "pause" and moment.facts.get("durable") is True:
        tone, sign = "parked", sign_of("parked")
    elif moment.kind == "pause":
        sign = "…"
    if "threw" in box.marks:
        tone, sign, filled = "error", "✗", True
    if moment.fault == "crash-in-flight" and not box.entries:
        sign = "⇢"
    if ghost:
        sign = ""
    text = " ".join(f"#{number + 1}" for number in box.entries)
    return {
        "col": place[box.slot],
        "kind": moment.kind,
        "tone": tone,
        "sign": sign,
        "text": text,
        "title": _title(moment, language),
        "point": moment.number,
        "fault": "crash-after" if moment.fault == "crash-before" and passed else moment.fault,
        "ghost": ghost,
        "filled": filled,
        "first": box.first,
        "last": box.last,
    }


def _entry(entry: Entry, scene: Lanes, tones: dict[int, Tone], language: Language) -> dict[str, object]:
    about = ", ".join(
        f"{name} {_plain(value)}" for name, value in entry.fields.items() if value not in ("", None)
    )
    tone = tones[entry.number]
    return {
        "number": entry.number,
        "label": f"#{entry.number + 1}",
        "at": scene.appears.get(entry.number, entry.moment),
        "effect": effect_name(entry.effect, language),
        "about": about,
        "key": None if entry.key is None else preview(entry.key, 60).strip('"'),
        "by": word("process", language, n=entry.process),
        "tone": tone,
        "sign": sign_of(tone),
    }


def _plain(value: object) -> str:
    return value if isinstance(value, str) else preview(value, 40)


def _told(outcome: Outcome) -> list[dict[str, str]]:
    told = []
    for (turn, answer, position), result in sorted(outcome.results.items()):
        ask = ask_of(outcome, turn, answer, position)
        tool, about = ("", "") if ask is None else (ask.tool, preview(dict(ask.input), 60))
        bad = isinstance(result, dict) and set(result) == {"error"}
        told.append(
            {"tool": tool, "about": about, "text": preview(result, 160), "tone": "error" if bad else "plain"}
        )
    return told


def _threw(outcome: Outcome) -> list[str]:
    found: list[str] = []
    for moment in outcome.trace:
        if moment.kind == "threw":
            text = " ".join(str(moment.facts[name]) for name in ("error", "message") if name in moment.facts)
            found.append(text or preview(dict(moment.facts), 200))
    return list(dict.fromkeys(found))


def time_words(seconds: float, language: Language) -> str:
    """Return a length of time as a person says it."""
    for name, size in (("days", 172_800), ("hours", 7200), ("unit-minutes", 90)):
        if seconds >= size:
            unit = {"days": 86_400, "hours": 3600, "unit-minutes": 60}[name]
            return word(name, language, n=round(seconds / unit))
    return word("seconds", language, n=round(seconds))


def _moments(outcome: Outcome, language: Language) -> list[dict[str, Any]]:
    """Return the run as sentences, each with the trace indices that it covers."""
    teller = Teller(outcome, language)
    space = teller.say("space")
    told: list[dict[str, Any]] = []
    pending: int | None = None
    for index, moment in enumerate(outcome.trace):
        said = teller.sentences(index)
        if moment.kind == "start" and teller.quiet(index) and not moment.facts.get("first"):
            said, pending = (), index  # the next sentence tells it
        if said:
            dies = moment.kind == "crash"
            told.append(
                {
                    "text": space.join(said),
                    "process": moment.process,
                    "from": index if pending is None else pending,
                    "to": index,
                    "tone": "harm" if dies else "error" if moment.kind == "threw" else "plain",
                    "sign": "✕" if dies else sign_of("error") if moment.kind == "threw" else "",
                }
            )
            pending = None
        elif told and pending is None:
            told[-1]["to"] = index
    return told
