"""Plain data for the browser: what a widget needs for stepping, and the answers it may ask for later.

No widget library here: the same answers go to a live widget and into a saved page.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from eve_replay.codec import dumps_tagged, parse_path
from eve_replay.codec.lazy import step_into
from eve_replay.errors import EveReplayError, WrongUse
from eve_replay.views.base import plain_json, split_key
from eve_replay.views.crash import CrashLab, outcome_choices
from eve_replay.views.explorer import Explorer
from eve_replay.views.keys import KEYS
from eve_replay.views.tone import TONES
from eve_replay.values import to_tagged
from eve_replay.views.value import ValueNode, ValueTree, value_node

__all__ = ["Answers", "explorer_data", "lab_data", "shared_words"]

#: Children of one value that go over the wire at once, and characters of one copied value.
_CHILDREN, _COPY = 100, 2_000_000


def shared_words() -> dict[str, object]:
    """Return the keys and signs that all widgets share."""
    return {
        "keys": [plain_json(key) for key in KEYS],
        "signs": {tone: spec.sign for tone, spec in TONES.items() if spec.sign},
    }


def explorer_data(view: Explorer, *, start: str | None = None) -> dict[str, object]:
    """Return what the explorer widget needs before it asks for anything: no payload is in it."""
    row = view.row()
    heads: dict[str, object] = {}
    for each in view.tree.rows:
        heads.setdefault(each.kind, plain_json(view.inspector.tabs(each.key)))
    for stop in view.cursor.stops:
        kind = split_key(stop.key)[0]
        if kind not in heads:
            heads[kind] = plain_json(view.inspector.tabs(stop.key))
    return {
        "session": {
            "id": row.id,
            "title": row.title or row.short,
            "statusText": row.status_text,
            "tone": row.tone,
            "facts": [f"eve {version}" for version in row.versions]
            + [f"{count} {word}" for count, word in ((row.turns, "turns"), (row.steps, "steps")) if count],
        },
        "tree": plain_json(view.tree),
        "timeline": plain_json(view.timeline),
        "stops": [plain_json(stop) for stop in view.cursor.stops],
        "heads": heads,
        "start": start or view.tree.rows[0].key,
        "words": shared_words(),
    }


def lab_data(lab: CrashLab, view: Explorer, *, index: int = 0, predict: bool = False) -> dict[str, Any]:
    """Return what the crash lab widget needs before it asks for anything."""
    timeline = view.turn_timeline(lab.turn_id) if lab.turn_id else view.timeline
    first = lab.view(index) if len(lab) else None
    return {
        "turn": lab.turn_id,
        "points": [plain_json(point) for point in lab.points],
        "timeline": plain_json(timeline),
        "choices": plain_json(lab.choices),
        "question": {"policy": "eve", "environment": lab.choices.environments[0].name, "model": "same"},
        "assumed": {row.tool: row.strategy for row in first.effects} if first else {},
        "outcomes": plain_json(outcome_choices()),
        "index": index,
        "predict": predict,
        "words": shared_words(),
    }


class Answers:
    """Answers the questions of a widget about one session. Every answer is plain JSON data.

    Raises:
        WrongUse: nobody asks that.
        EveReplayError: as the views raise it; a widget shows the message.
    """

    def __init__(self, view: Explorer, policy: Any = None) -> None:
        self._view = view
        self._policy = policy
        self._labs: dict[str | None, CrashLab] = {}

    def answer(self, request: Mapping[str, Any]) -> object:
        """Return the answer to one request, ``{"do": name, ...}``."""
        ask = getattr(self, f"_ask_{request.get('do')}", None)
        if ask is None:
            raise WrongUse(f"Nobody answers {request.get('do')!r}.")
        return ask(**{name: value for name, value in request.items() if name != "do"})

    def lab(self, turn: str | None) -> CrashLab:
        """Return the crash lab of a turn, made once."""
        if turn not in self._labs:
            self._labs[turn] = CrashLab(self._view.session, turn, self._policy)
        return self._labs[turn]

    def _ask_tab(self, key: str, tab: str) -> object:
        return self._view.inspector.tab(key, tab).to_json()

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

    def _node(self, key: str, tab: str, path: str) -> tuple[ValueTree, ValueNode]:
        body = self._view.inspector.tab(key, tab).body
        if not isinstance(body, ValueTree):
            raise WrongUse("There is no value in this tab.")
        value = body.root.value
        for step in parse_path(path) or ():
            value = step_into(value, step)
        return body, value_node(value, path=path)

    def _ask_diff(self, key: str, first: int | None = None, second: int | None = None) -> object:
        diff = self._view.inspector.diff(key, first, second)
        if diff is None:
            raise WrongUse("There is one attempt only, nothing to compare it with.")
        return plain_json(diff)

    def _ask_lab(self, key: str = "") -> object:
        parts = split_key(key)
        turn = parts[1][1] if parts[0] == "turn" else self._turn_of(key)
        lab = self.lab(turn)
        return lab_data(lab, self._view, index=lab.index_of(key) or 0)

    def _turn_of(self, key: str) -> str | None:
        for stop in self._view.cursor.stops:
            if stop.key == key:
                for each in stop.path:
                    if each.startswith("turn:"):
                        return split_key(each)[1][1]
        return None

    def _ask_crash(self, turn: str | None, index: int, question: Mapping[str, Any]) -> object:
        return plain_json(self.lab(turn).view(index, **question))

    def _ask_matrix(self, turn: str | None, question: Mapping[str, Any]) -> object:
        return plain_json(self.lab(turn).matrix(**question))

    def _ask_why(self) -> object:
        from eve_replay.checks.why import why
        from eve_replay.views.postmortem import why_lines

        report = why(self._view.session, now=datetime.now(UTC))
        return [[[span.text, span.tone] for span in line] for line in why_lines(report, width=110)]

    def _ask_search(self, text: str) -> object:
        try:
            return [plain_json(hit) for hit in self._view.search(text, limit=20)]
        except EveReplayError:
            return []
