"""From whatever a person has in hand to the widget over it."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from itertools import chain, islice
from os import PathLike
from typing import Any

from eve_replay.codec import KeyRing
from eve_replay.errors import NotFound, WrongUse
from eve_replay.journal import Journal, Session, Step, Turn
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.journal.ledger.model import Ledger, LedgerLike
from eve_replay.journal.targets import Target, locate, turn_of
from eve_replay.notebook.clock import Clock, clock_at
from eve_replay.notebook.explorer_widget import Condition, ExplorerWidget, first_hit, link_around
from eve_replay.notebook.following import Following
from eve_replay.notebook.part_key import key_of
from eve_replay.notebook.widget_data import SUMMARY, Answers, explorer_data, first_key, lab_data, shared_words
from eve_replay.notebook.widgets import JournalWidget
from eve_replay.recovery.question import Question, question_or_default
from eve_replay.redaction.veil import unveiled
from eve_replay.views.kit.base import split_key, step_key
from eve_replay.views.kit.html import lines_html
from eve_replay.views.kit.speech import Spoken
from eve_replay.views.kit.text import line
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.session.listing import attempt_diff_lines
from eve_replay.views.session.reprs import MOST_LINES, session_lines
from eve_replay.views.stepping.moment import Moment, Moments
from eve_replay.worlds.base import World

__all__ = ["diff_widget", "explorer_widget", "lab_widget", "stopped_widget"]

#: How many rows of an explorer come with their tabs; the byte budget of the page usually ends it before.
_SAVED_ROWS = 60
#: Payloads larger than this are decoded when somebody looks, not for a page that may never be saved.
_SAVED_PAYLOAD = 20_000
#: Sessions with more rows or moments than this open first and are saved with less.
_QUICK = 1500


def explorer_widget(
    target: Target,
    session: str | Session | Journal | None,
    *,
    effects: EffectsLike,
    now: datetime | None,
    live: bool,
    at: str | None = None,
    ledger: LedgerLike | None = None,
    keys: KeyRing | None,
    reveal: bool = False,
    language: Spoken = "en",
) -> ExplorerWidget:
    """Return the explorer of a session. Raises NotFound, WrongUse."""
    if live and not isinstance(target, str | PathLike | World | Journal):
        raise WrongUse(
            f"A {type(target).__name__} does not say where it was read from.",
            hint="Give the journal or the source: er.explore(journal, live=True).",
        )
    located = locate(target, session=session, several="last", keys=keys)
    found = located.session
    clock = clock_at(now)
    book = None if ledger is None else Ledger.load(ledger)
    origin = str(target) if isinstance(target, str | PathLike) else ""

    def explored(one: Session, start: str | None, at: str | None = None) -> dict[str, Any]:
        view = Explorer(one, effects, book)
        return _explored(view, start, clock, live=live, at=at, reveal=reveal, origin=origin)

    with _uncollected():
        widget = ExplorerWidget(
            kind="explorer",
            identity=found.id,
            language=language,
            origin=origin,
            reveal=reveal,
            **explored(found, key_of(located), at),
        )
    if live and located.journal is not None:
        following = Following(located.journal, found, lambda fresh: widget.take(**explored(fresh, None)))
        widget.on_close = following.stop
    return widget


@contextmanager
def _uncollected() -> Iterator[None]:
    """Make a hundred thousand objects that stay without the collector walking them again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def stopped_widget(
    target: Target,
    condition: Condition,
    session: str | Session | Journal | None,
    *,
    after: Moment | int | None,
    backwards: bool,
    effects: EffectsLike,
    ledger: LedgerLike | None,
    now: datetime | None,
    keys: KeyRing | None,
) -> ExplorerWidget:
    """Return the explorer at the first moment that a condition fits. Raises NotFound, WrongUse."""
    if not callable(condition):
        raise WrongUse("The condition is no function.", hint='Give lambda m: m.tool == "charge_card".')
    located = locate(target, session=session, several="last", keys=keys)
    walk = Moments(Explorer(located.session, effects))
    if isinstance(after, Moment):
        after = after.index
    if backwards:
        numbers = range((len(walk) if after is None else after) - 1, -1, -1)
    else:
        numbers = range(0 if after is None else after + 1, len(walk))
    hit = first_hit(walk, numbers, condition)
    if hit is None:
        raise NotFound(
            f"None of the {len(numbers)} moments looked at fits the condition.",
            hint="for m in er.moments(...): print(m) shows what there is.",
        )
    widget = explorer_widget(
        located.session if located.journal is None else located.journal,
        None if located.journal is None else located.session.id,
        effects=effects,
        now=now,
        live=False,
        at=hit.key,
        ledger=ledger,
        keys=keys,
    )
    widget.break_on(condition)
    return widget


def _explored(
    view: Explorer,
    start: str | None,
    clock: Clock,
    *,
    live: bool,
    at: str | None = None,
    reveal: bool = False,
    origin: str = "",
) -> dict[str, Any]:
    if at is not None:
        known = any(row.key == at for row in view.tree.rows)
        start = at if known else view.cursor.go(None, at).focus
    elif start is not None and all(row.key != start for row in view.tree.rows):
        start = None
    with unveiled(on=reveal):
        data = explorer_data(view, start=start, now=clock())
        fallback = lines_html(islice(session_lines(view), MOST_LINES), label="Session")
    before, after = link_around(view.session, origin)
    return {
        "view": view,
        "data": {**data, "live": live, "link": {"before": before, "after": after}},
        "answer": Answers(view, view.policy, clock=clock).answer,
        "preload": _tabs(view, start),
        "text": f"explorer of session {view.session.id}, {len(view.tree.rows)} rows",
        "fallback": fallback,
    }


def lab_widget(
    target: Target,
    turn: str | int | Turn | None,
    *,
    session: str | Session | Journal | None,
    question: Question | None,
    effects: EffectsLike,
    predict: bool,
    keys: KeyRing | None,
    language: Spoken = "en",
    few: bool = False,
) -> JournalWidget:
    """Return the crash lab of a turn. Raises NotFound, WrongUse."""
    assumed = question_or_default(question)
    located = locate(target, session=session, several="last", keys=keys)
    found, one = located.session, turn_of(located, turn)
    view = Explorer(found, effects)
    answers = Answers(view, effects)
    batch = assumed.model_calls_per_step or 1
    lab = answers.lab(one.id if one is not None else answers.worst_turn(), batch)
    first = None
    if located.step is not None:
        key = step_key(located.step.run_id, located.step.step_id)
        first = next((point.index for point in lab.points if point.step == key), None)
    data = lab_data(lab, view, index=first, predict=predict, batch=batch, question=assumed)
    data["few"] = few
    given = data["question"]
    asked: dict[str, object] = {
        "turn": lab.turn_id,
        "question": {**given, "strategies": given.get("strategies", {})},
        **({"batch": batch} if batch > 1 else {}),
    }
    # The points nearest to where it opens first: those are what a reader of a saved page moves to.
    near = sorted(range(len(lab)), key=lambda index: abs(index - data["index"]))
    preload: list[Mapping[str, object]] = [{"do": "matrix", **asked}]
    preload += [{"do": "crash", **asked, "index": index} for index in near]
    head = lab.view(data["index"], Question(**given)) if len(lab) else None
    said = head.sentence if head is not None else "This turn has no crash points."
    return JournalWidget(
        kind="crashlab",
        language=language,
        data=data,
        answer=answers.answer,
        identity=f"{found.id}/{lab.turn_id}",
        preload=preload,
        text=f"crash lab of {lab.turn_id or found.id}, {len(lab)} crash points",
        fallback=lines_html(
            [line((f"crash point {data['index'] + 1} of {len(lab)}", "strong")), line(said)],
            label="crash lab",
        ),
    )


def diff_widget(
    target: Target,
    first: int,
    second: int | None,
    *,
    session: str | Session | Journal | None,
    step: str | Step | None,
    effects: EffectsLike,
    keys: KeyRing | None,
    ledger: LedgerLike | None = None,
    language: Spoken = "en",
) -> JournalWidget:
    """Return two attempts of a step side by side. Raises NotFound, WrongUse."""
    located = locate(target, session=session, several="last", keys=keys)
    found = located.session
    if step is None and located.step is not None:
        step = located.step
    if isinstance(step, Step):
        step = step.step_id
    if not isinstance(step, str | None):
        raise WrongUse(f"{step!r} names no step.", hint="Give a Step, or its id or the end of it.")
    chosen = _step_of(found, located.turn, step)
    view = Explorer(found, effects, ledger)
    numbers = [attempt.n for attempt in chosen.attempts]
    second = numbers[-1] if second is None else second
    for number in (first, second):
        if number not in numbers:
            raise NotFound(f"{chosen.step_id} has no attempt {number}.", hint=f"It has {len(numbers)}.")
    key = step_key(chosen.run_id, chosen.step_id)
    answers = Answers(view, effects)

    def answer(request: Mapping[str, Any]) -> object:
        return answers.answer(
            {"do": "diff", "key": key, "first": request["first"], "second": request["second"]}
        )

    pairs = [(a, b) for a in numbers for b in numbers if a < b][:12]
    shown = view.inspector.diff(key, first, second)
    return JournalWidget(
        kind="diff",
        language=language,
        data={
            "title": f"{chosen.function}, {len(numbers)} attempts",
            "attempts": numbers,
            "first": first,
            "second": second,
            "view": answer({"first": first, "second": second}),
            "words": shared_words(),
        },
        answer=answer,
        preload=[{"do": "attempts", "first": a, "second": b} for a, b in pairs],
        text=f"attempt {first} against attempt {second} of {chosen.function}",
        fallback=lines_html(attempt_diff_lines(shown, width=100), label="attempts compared") if shown else "",
    )


def _step_of(session: Session, turn: Turn | None, step: str | None) -> Step:
    inside = session.steps if turn is None else turn.steps
    steps = [each for each in inside if len(each.attempts) > 1]
    if step is not None:
        steps = [each for each in session.steps if each.step_id.endswith(step.rpartition("…")[2])]
        if not steps:
            raise NotFound(f"This session has no step {step!r}.")
        if len(steps[0].attempts) < 2:
            raise NotFound("This step ran once: there is nothing to compare.")
    if not steps:
        raise NotFound("No step of this session ran more than once: there is nothing to compare.")
    return steps[0]


def _tabs(view: Explorer, start: str | None) -> Iterator[Mapping[str, object]]:
    """Yield what should come with the widget, what is looked at first coming first."""
    start = start or first_key(view)
    rows = sorted(view.tree.rows, key=lambda row: (row.key != start, row.kind != "session"))
    keys = [row.key for row in view.tree.visible(view.tree.opened)]
    seen = set(keys)
    keys += [row.key for row in rows if row.key not in seen]
    keys = keys[: _SAVED_ROWS if len(keys) <= _QUICK else _SAVED_ROWS // 10]
    large = {step_key(s.run_id, s.step_id)[5:] for s in view.session.steps if _size(s) > _SAVED_PAYLOAD}

    def asks(names: tuple[str, ...], kinds: tuple[str, ...] = ()) -> Iterator[Mapping[str, object]]:
        for key in keys:
            kind = split_key(key)[0]
            if kinds and kind not in kinds:
                continue
            heavy = "/".join(key.partition(":")[2].split("/")[:2]) in large
            for name in names:
                if heavy and name not in ("attempts", "effects", "events"):
                    continue
                yield {"do": "tab", "key": key, "tab": name}
                if name in ("input", "output"):
                    yield {"do": "children", "key": key, "tab": name, "path": "$", "start": 0}

    if len(view.cursor.stops) <= _QUICK:
        yield {"do": "why"}
        yield {"do": "tab", "key": view.tree.rows[0].key, "tab": SUMMARY}
        yield {"do": "diff", "key": view.tree.rows[0].key}
    for act in view.acts[:_SAVED_ROWS]:
        yield {"do": "tab", "key": act.key, "tab": "input"}
        yield {"do": "children", "key": act.key, "tab": "input", "path": "$", "start": 0}
        yield {"do": "tab", "key": act.key, "tab": "effects"}
    repeated = (s for s in view.session.steps if len(s.attempts) > 1)
    yield from (
        {"do": "diff", "key": step_key(s.run_id, s.step_id)} for s in repeated if _size(s) <= _SAVED_PAYLOAD
    )
    yield from chain(
        asks(("input",)),
        asks(("output", "attempts", "effects"), ("turn", "step", "attempt", "call")),
        asks(("state", "messages"), ("step", "attempt")),
        asks(("events", "stream"), ("turn", "step", "attempt")),
        asks(("state-diff", "evidence", "raw"), ("step",)),
    )


def _size(step: Step) -> int:
    return sum(payload.size for payload in (step.input, step.output) if payload is not None)
