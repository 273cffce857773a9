"""Plain data for the browser: what a widget needs for stepping, and the answers it may ask for later.

No widget library here: the same answers go to a live widget and into a saved page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from eve_replay.codec import dumps_tagged, parse_path
from eve_replay.codec.devalue.lazy import step_into
from eve_replay.errors import WrongUse
from eve_replay.journal.effects.policy import EffectsLike
from eve_replay.notebook.clock import Clock, a_while, clock_at
from eve_replay.notebook.python_path import python_path
from eve_replay.recovery.question import Question
from eve_replay.recovery.runtimes.registry import OWN, runtimes
from eve_replay.times import iso
from eve_replay.values import to_tagged
from eve_replay.views.crashlab.crash import CrashLab, outcome_choices
from eve_replay.views.inspect.inspector import TabHead
from eve_replay.views.inspect.value import ValueNode, ValueTree, value_node
from eve_replay.views.kit.base import plain_json, split_key, step_key
from eve_replay.views.kit.keys import KEYS
from eve_replay.views.kit.safe import cut
from eve_replay.views.kit.tone import TONES
from eve_replay.views.search.search import Hit, Pattern, search_slices, slices_in
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.session.focus import worst_effect, worst_turn
from eve_replay.views.session.moments import Stop
from eve_replay.views.session.silence import Silence, silence_of
from eve_replay.views.session.timeline import TimelineRow
from eve_replay.views.session.titles import title_text

__all__ = ["SUMMARY", "Answers", "explorer_data", "first_key", "lab_data", "shared_words"]

#: The tab that a session begins with.
SUMMARY = "summary"

#: Children of one value that go over the wire at once, characters of one copied value, hits of one search.
_CHILDREN, _COPY, _HITS = 100, 2_000_000, 40
#: Sizes offered for ``modelCallsPerStep``.
_BATCHES = (1, 2, 3, 5, 10)
#: Tones that the explorer's legend names.
_LEGEND = ("committed", "once", "again", "harm", "unknown", "parked", "model", "tool")


def shared_words() -> dict[str, object]:
    """Return the keys, signs and meanings that all widgets share."""
    return {
        "keys": [plain_json(key) for key in KEYS],
        "signs": {tone: spec.sign for tone, spec in TONES.items() if spec.sign},
        "tones": [{"name": tone, "meaning": TONES[tone].meaning} for tone in _LEGEND],  # type: ignore[index]
    }


def explorer_data(
    view: Explorer, *, start: str | None = None, now: datetime | None = None
) -> dict[str, object]:
    """Return what the explorer widget needs before it asks for anything: no payload is in it.

    Args:
        view: the session's views.
        start: key to begin at.
        now: the instant that the plan ("Do now") is reckoned at; without one there is none.
    """
    row = view.row()
    heads: dict[str, object] = {}
    shown = [row.key for row in view.tree.rows] + [stop.key for stop in view.cursor.stops]
    shown += [act.key for act in view.acts]
    for key in shown:
        kind = split_key(key)[0]
        if kind not in heads:  # counts differ from thing to thing; they come with each tab
            heads[kind] = [{"name": tab.name, "title": tab.title} for tab in _heads(view, key)]
    counts = ((row.turns, "turn"), (row.steps, "step"))
    plan, quiet = _told(view, now)
    line = view.session_timeline(quiet)
    return {
        "session": {
            "id": row.id,
            "title": row.title,
            "statusText": row.status_text,
            "tone": row.tone,
            "facts": [f"eve {version}" for version in row.versions]
            + [f"{count} {word}{'s' if count != 1 else ''}" for count, word in counts if count],
        },
        "tree": plain_json(view.tree),
        "timeline": plain_json(replace(line, rows=tuple(sorted(line.rows, key=_late)))),
        "stops": [_stop(stop) for stop in view.cursor.stops],
        "heads": heads,
        "acts": [{"key": a.key, "of": a.of, "label": a.name, "said": a.said} for a in view.acts],
        "start": start or first_key(view),
        "startIsDefault": start is None,
        "plan": plan,
        "words": shared_words(),
    }


def first_key(view: Explorer) -> str:
    """Return where an explorer opens by itself: at the worst effect, else at the session."""
    worst = worst_effect(view.effects, view.counts)
    rows = {row.key for row in view.tree.rows}
    return worst.key if worst is not None and worst.key in rows else view.tree.rows[0].key


def _heads(view: Explorer, key: str) -> tuple[TabHead, ...]:
    """Return the tabs of a thing; a session begins with what is to be said of it."""
    own = view.inspector.tabs(key)
    return (TabHead(name=SUMMARY, title="Summary"), *own) if key.startswith("session:") else own


def _late(row: TimelineRow) -> bool:
    """What is silent now comes first: below forty steps nobody would see it."""
    return row.label != "silence"


def _told(view: Explorer, now: datetime | None) -> tuple[object, Silence | None]:
    """Return what stands above everything else, and what has been silent since; None without either.

    The plan is what to do now about this session.
    """
    if now is None:
        return None, None
    from eve_replay.views.verdicts.verdicts import session_verdicts

    found = session_verdicts(view.session, now=now, effects=view.policy, ledger=view.ledger)
    lease = next((row.lease_until for row in found.rows if row.lease_until is not None), None)
    quiet = silence_of(view.session, now=now, lease_until=lease)
    return plain_json(found.plan) if found.plan else None, quiet


def _stop(stop: Stop) -> dict[str, object]:
    """Return what the cursor in the browser needs of a moment: there may be ten thousand of them."""
    return {
        "key": stop.key,
        "id": stop.id,
        "path": stop.path,
        "label": stop.label,
        "at": None if stop.at is None else iso(stop.at),
        "effect": stop.effect,
        "tone": stop.tone,
    }


def lab_data(
    lab: CrashLab,
    view: Explorer,
    *,
    index: int | None = None,
    predict: bool = False,
    batch: int = 1,
    question: Question | None = None,
) -> dict[str, Any]:
    """Return what the crash lab widget needs before it asks for anything.

    Without ``index`` it begins at the first point inside a tool, where it is not obvious what happened.
    """
    timeline = view.turn_timeline(lab.turn_id) if lab.turn_id else view.timeline
    if index is None:
        wanted = (lab.index_of(klass) for klass in ("in-tool", "tools-returned", "in-model"))
        index = next((each for each in wanted if each is not None), 0)
    last = lab.view(len(lab) - 1) if len(lab) else None
    return {
        "turn": lab.turn_id,
        "points": [plain_json(point) for point in lab.points],
        "timeline": plain_json(timeline),
        "choices": plain_json(lab.choices),
        "question": _question_data(question if question is not None else Question(), lab),
        "assumed": {
            row.tool: {"name": row.strategy, "words": row.strategy_words}
            for row in (last.effects if last else ())
        },
        "turns": [
            {"name": turn.id, "words": cut(f"{turn.sequence}: {title_text(turn.message or turn.id)}", 40)}
            for turn in view.session.turns
        ],
        "batches": [{"name": str(size), "words": str(size)} for size in _BATCHES],
        "batch": batch,
        "outcomes": plain_json(outcome_choices()),
        "index": index,
        "predict": predict,
        "words": shared_words(),
    }


def _question_data(question: Question, lab: CrashLab) -> dict[str, Any]:
    """Return a question as the page asks it, by names. Raises WrongUse for a runtime without a name."""
    question = question.fitted(lab.session.framework)
    name = question.runtime.name
    if question.runtime != OWN and runtimes().get(name) is not question.runtime:
        raise WrongUse(f"The widget asks runtimes by name, and knows no {name!r}.")
    data: dict[str, Any] = {"runtime": name, "environment": lab.choices.environments[0].name}
    if question.environment is not None or name != "eve":
        data["environment"] = question.surroundings.name
    data["model"] = question.model
    numbers = ("lease_seconds", "max_retries", "retention_days")
    data |= {each: value for each in numbers if (value := getattr(question, each)) is not None}
    if question.strategies:
        data["strategies"] = {tool: each.name for tool, each in question.strategies.items()}
    return data


class _Search:
    """A search in payloads that goes on from question to question, and can be left at any of them."""

    def __init__(self, view: Explorer, text: str) -> None:
        self.text = text
        self.looked = self.found = 0
        self.total = slices_in(view.session)
        self._slices = search_slices(view.session, Pattern(text))

    def on(self) -> dict[str, object]:
        hits: list[Hit] = []
        over = a_while()
        while self.looked < self.total and not over():
            hits += next(self._slices, ())
            self.looked += 1
            if self.found + len(hits) >= _HITS:
                self.looked = self.total
        hits = hits[: _HITS - self.found]
        self.found += len(hits)
        shown = [{**hit.to_json(), "tab": hit.tab} for hit in hits]
        return {"hits": shown, "looked": self.looked, "total": self.total}


class Answers:
    """Answers the questions of a widget about one session. Every answer is plain JSON data.

    Raises:
        WrongUse: nobody asks that.
        EveReplayError: as the views raise it; a widget shows the message.
    """

    def __init__(self, view: Explorer, effects: EffectsLike = None, *, clock: Clock | None = None) -> None:
        self._view = view
        self._effects = effects
        self._clock = clock or clock_at(None)
        self._labs: dict[tuple[str | None, int], CrashLab] = {}
        self._search: _Search | None = None

    def answer(self, request: Mapping[str, Any]) -> object:
        """Return the answer to ``{"do": ..., more}``."""
        ask = getattr(self, f"_ask_{request.get('do')}", None)
        if ask is None:
            raise WrongUse(f"Nobody answers {request.get('do')!r}.")
        return ask(**{name: value for name, value in request.items() if name != "do"})

    def lab(self, turn: str | None, batch: int = 1) -> CrashLab:
        """Return the crash lab of a turn, made once."""
        if (turn, batch) not in self._labs:
            self._labs[turn, batch] = CrashLab(self._view.session, turn, self._effects, batch=batch)
        return self._labs[turn, batch]

    def _ask_tab(self, key: str, tab: str, start: int = 0) -> object:
        inspector = self._view.inspector
        heads = plain_json(_heads(self._view, key))
        if tab == SUMMARY:
            return {"key": key, "name": tab, "note": "", "more": 0, "body": self._summary(), "heads": heads}
        answer = inspector.tab(key, tab, start=start).to_json()
        if tab == "state-diff":
            answer["name"] = "state-diff"
        return {**answer, "heads": heads}

    def _summary(self) -> dict[str, object]:
        from eve_replay.views.verdicts.verdicts import session_verdicts

        found = session_verdicts(self._view.session, now=self._clock(), effects=self._effects)
        rows = [plain_json(replace(row, evidence=())) for row in found.rows]
        return {"plan": plain_json(found.plan), "rows": rows}

    def _ask_children(self, key: str, tab: str, path: str, start: int = 0) -> object:
        tree, node = self._node(key, tab, path)
        nodes = tree.children(node, start=start, limit=_CHILDREN)
        more = max(0, node.count - start - len(nodes))
        return {"nodes": [child.to_json() for child in nodes], "more": more}

    def _ask_json(self, key: str, tab: str, path: str) -> object:
        text = dumps_tagged(to_tagged(self._node(key, tab, path)[1].value), indent=2)
        if len(text) > _COPY:
            raise WrongUse(f"This value is {len(text)} characters of JSON, too much for a clipboard.")
        return text

    def _ask_python(self, key: str, tab: str = "", path: str = "") -> object:
        return python_path(key, tab, path)

    def _node(self, key: str, tab: str, path: str) -> tuple[ValueTree, ValueNode]:
        body = self._view.inspector.tab(key, tab).body
        if not isinstance(body, ValueTree):
            raise WrongUse("There is no value in this tab.")
        value = body.root.value
        for step in parse_path(path) or ():
            value = step_into(value, step)
        return body, value_node(value, path=path)

    def _ask_diff(self, key: str, first: int | None = None, second: int | None = None) -> object:
        diff = self._view.inspector.diff(self._repeated(key), first, second)
        if diff is None:
            raise WrongUse("Nothing here was started more than once: there is no second attempt to compare.")
        return plain_json(diff)

    def _repeated(self, key: str) -> str:
        """Return the step that is meant: of a turn or session the worst effect's, else one that repeated."""
        found = self._view.inspector.lookup.find(key)
        if found.step is not None and split_key(key)[0] in ("step", "attempt", "call", "model"):
            return key
        repeated = [step_key(s.run_id, s.step_id) for s in found.steps if len(s.attempts) > 1]
        worst = worst_effect(self._view.effects, self._view.counts)
        parts = split_key(worst.key)[1][:2] if worst is not None else ()
        wanted = step_key(*parts) if len(parts) == 2 else ""
        return wanted if wanted in repeated else next(iter(repeated), key)

    def _ask_points(self, turn: str | None) -> object:
        points = self.lab(turn).points
        return [each for point in points for each in (point.address, point.key) if each]

    def _ask_lab(self, key: str = "") -> object:
        lab = self.lab(self._turn_of(key) or self.worst_turn())
        return lab_data(lab, self._view, index=lab.index_of(key) if key else None)

    def _ask_lab_of(self, turn: str | None, batch: int) -> object:
        return lab_data(self.lab(turn, batch), self._view, batch=batch)

    def worst_turn(self) -> str | None:
        """Return the turn whose crash is asked about when nobody names one."""
        return worst_turn(self._view.session, self._view.effects, self._view.counts)

    def _turn_of(self, key: str) -> str | None:
        if key.startswith("turn:"):
            return split_key(key)[1][1]
        for stop in self._view.cursor.stops:
            if key in stop.path:
                for each in stop.path:
                    if each.startswith("turn:"):
                        return split_key(each)[1][1]
        return None

    def _ask_crash(self, turn: str | None, index: int, question: Mapping[str, Any], batch: int = 1) -> object:
        return plain_json(self.lab(turn, batch).view(index, Question(**question)))

    def _ask_different(
        self, turn: str | None, index: int, question: Mapping[str, Any], batch: int = 1
    ) -> object:
        return self.lab(turn, batch).next_different(index, Question(**question))

    def _ask_matrix(self, turn: str | None, question: Mapping[str, Any], batch: int = 1) -> object:
        view = self.lab(turn, batch).matrix(Question(**question))
        # The points are there already, whole; a row needs its number and its words.
        return {
            "columns": plain_json(view.columns),
            "rows": [
                {
                    "point": {"index": row.point.index, "label": row.point.label},
                    "cells": plain_json(row.cells),
                    "sentence": row.sentence,
                }
                for row in view.rows
            ],
            "totals": plain_json(view.totals),
        }

    def _ask_why(self) -> object:
        from eve_replay.guidance.why import why
        from eve_replay.views.verdicts.postmortem import why_lines

        report = why(self._view.session, now=self._clock())
        return [[[span.text, span.tone] for span in line] for line in why_lines(report, width=110)]

    def _ask_search(self, text: str, looked: int = 0) -> object:
        """Look for a while; the page asks again, from where this came to, until all is looked into."""
        if not text.strip():
            return {"hits": [], "looked": 0, "total": 0}
        if self._search is None or (self._search.text, self._search.looked) != (text, looked) or not looked:
            self._search = _Search(self._view, text)
        return self._search.on()
