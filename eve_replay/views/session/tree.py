"""The tree of a session: session > turn > step > attempt > model and tool calls, as flat rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from eve_replay.ids import short_id
from eve_replay.journal import Attempt, ModelCall, Park, Run, Session, Step, ToolCall, Turn
from eve_replay.redaction.veil import glimpse
from eve_replay.views.kit.base import View, attempt_key, call_key, step_key
from eve_replay.views.kit.safe import cut, safe_text
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import duration, plural, word_for
from eve_replay.views.session.calls import call_status, model_key, park_key
from eve_replay.views.session.effect_marks import EffectMarks, twice_among
from eve_replay.views.session.focus import does
from eve_replay.views.session.outside import Act
from eve_replay.views.session.titles import title_text

__all__ = ["Badge", "Tree", "TreeRow", "session_tree", "took"]

_DETAIL = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge(View):
    """A short remark at a row, for example ``2 attempts`` or ``ran twice``."""

    text: str
    tone: Tone = "muted"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeRow(View):
    """One row.

    Attributes:
        key: names the thing everywhere (``views/base.py``).
        parent: key of the row it hangs below, empty for the session.
        kind: session, turn, group, run, step, attempt, model, call, park or act (of a ledger).
        depth: 0 for the session.
        label: short name; ``detail`` what distinguishes it, one safe line.
        name: longer name that tells it apart, where there is room for one (a step: the tools it called).
        status: word of the vocabulary, empty where none fits; ``tone`` its tone.
        badges: remarks.
        at: when it began; ``seconds`` how long it took, None when open or unknown.
        children: how many rows hang directly below.
    """

    key: str
    parent: str
    kind: str
    depth: int
    label: str
    name: str = ""
    detail: str = ""
    status: str = ""
    tone: Tone = "plain"
    badges: tuple[Badge, ...] = ()
    at: datetime | None = None
    seconds: float | None = None
    children: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree(View):
    """All rows of a session in reading order, children right after their parents.

    Attributes:
        rows: every row, folded or not.
        opened: keys worth showing open at first: the session, the last turn, and steps that ran again.
    """

    rows: tuple[TreeRow, ...]
    opened: tuple[str, ...]

    def visible(self, opened: Collection[str]) -> tuple[TreeRow, ...]:
        """Return the rows whose ancestors are all in ``opened``."""
        shown: list[TreeRow] = []
        hidden_below = -1
        for row in self.rows:
            if hidden_below >= 0 and row.depth > hidden_below:
                continue
            hidden_below = row.depth if row.children and row.key not in opened else -1
            shown.append(row)
        return tuple(shown)

    def below(self, key: str) -> tuple[TreeRow, ...]:
        """Return the row of a key and all rows below it; empty for an unknown key."""
        out: list[TreeRow] = []
        for row in self.rows:
            if out and row.depth <= out[0].depth:
                break
            if out or row.key == key:
                out.append(row)
        return tuple(out)

    def ancestors(self, key: str) -> tuple[str, ...]:
        """Return the keys to open so that ``key`` can be seen, outermost first; empty for an unknown key."""
        parents = {row.key: row.parent for row in self.rows}
        chain: list[str] = []
        at = parents.get(key, "")
        while at:
            chain.append(at)
            at = parents.get(at, "")
        return tuple(reversed(chain))


def session_tree(session: Session, marks: EffectMarks | None = None, acts: Iterable[Act] = ()) -> Tree:
    """Return the tree of a session. Decodes no payload.

    Args:
        session: the joined session.
        marks: which calls are effects that ran twice, to put a badge on them.
        acts: what a ledger says happened; those without a call get a row of their own.
    """
    return _Builder(session, marks or EffectMarks()).build(acts)


@dataclass(slots=True)
class _Draft:
    row: TreeRow
    below: list[_Draft] = field(default_factory=list)


def _row(**fields: Any) -> _Draft:
    """Return a draft; its parent, depth and number of children are known when the tree is laid flat."""
    return _Draft(TreeRow(parent="", depth=0, **fields))


class _Builder:
    def __init__(self, session: Session, marks: EffectMarks) -> None:
        self.session = session
        self.marks = marks
        self.opened: list[str] = []

    def build(self, acts: Iterable[Act]) -> Tree:
        session = self.session
        word = word_for((session.status or "unknown").partition(":")[0])
        root = _row(
            key=f"session:{session.id}",
            kind="session",
            label="workflow" if session.kind == "workflow" else session.kind,
            detail=_line(title_text(session.title[:4000])),
            status=word.word,
            tone=word.tone,
            badges=self._session_badges(),
            at=session.head.created_at,
        )
        root.below.extend(self._turn(turn) for turn in session.turns)
        if session.steps_beside:
            plain = not session.turns
            steps = [self._step(step, str(n)) for n, step in enumerate(session.steps_beside, 1)]
            if plain:
                root.below.extend(steps)
            else:
                root.below.append(_group(f"group:{session.id}/beside", "beside the turns", steps))
        root.below.extend(self._run(run) for run in session.children)
        root.below.extend(_subagent(each) for each in session.subagents)
        root.below.extend(_act(each) for each in acts if each.bond != "call")
        self.opened.append(f"session:{session.id}")
        if session.turns:
            self.opened.append(_turn_key(session.id, session.turns[-1].id))
        rows: list[TreeRow] = []
        _flatten(root, "", 0, rows)
        return Tree(rows=tuple(rows), opened=tuple(self.opened))

    def _session_badges(self) -> tuple[Badge, ...]:
        badges = []
        if self.session.eve_version:
            badges.append(Badge(text=f"eve {safe_text(self.session.eve_version)}"))
        if len(self.session.runs) > 1:
            badges.append(Badge(text=plural(len(self.session.runs), "run")))
        if self.session.head.purged:
            badges.append(Badge(text="purged"))
        badges.extend(_problem_badge(len(self.session.problems)))
        return tuple(badges)

    def _turn(self, turn: Turn) -> _Draft:
        word = word_for(turn.status)
        kinds = dict.fromkeys(park.kind for park in turn.parks if park.open and not park.lost)
        badges = [Badge(text=kind, tone="parked") for kind in kinds]
        twice = twice_among(mark for step in turn.steps for mark in self.marks.of_step(step.step_id))
        if twice:
            badges.append(Badge(text=twice.sentence, tone="harm"))
        badges.extend(_problem_badge(len(turn.problems)))
        number = turn.id.removeprefix("turn_")
        draft = _row(
            key=_turn_key(turn.session_id, turn.id),
            kind="turn",
            label=f"turn {safe_text(number)}",
            detail=_line(title_text((turn.message or "")[:4000])),
            status=word.word,
            tone=word.tone,
            badges=tuple(badges),
            at=turn.started_at,
            seconds=_seconds(turn.started_at, turn.ended_at),
        )
        steps = [self._step(step, str(n)) for n, step in enumerate(turn.steps, 1)]
        draft.below.extend(steps)
        draft.below.extend(self._park(park, n) for n, park in enumerate(turn.parks))
        return draft

    def _step(self, step: Step, number: str) -> _Draft:
        word = word_for(step.status)
        badges = []
        if len(step.attempts) > 1:
            badges.append(Badge(text=plural(len(step.attempts), "attempt"), tone="again"))
        worst = self.marks.worst(step.step_id)
        if worst is not None:
            badges.append(Badge(text=worst.judgement.said, tone=worst.tone))
        badges.extend(_problem_badge(len(step.problems)))
        key = step_key(step.run_id, step.step_id)
        if len(step.attempts) > 1:
            self.opened.append(key)
        draft = _row(
            key=key,
            kind="step",
            label=f"step {number} {safe_text(step.function)}",
            name=f"step {number}: {does(step)}",
            detail=safe_text(step.action or ""),
            status=word.word,
            tone=word.tone,
            badges=tuple(badges),
            at=step.started_at or step.created_at,
            seconds=_seconds(step.started_at, step.ended_at),
        )
        draft.below.extend(self._attempt(step, attempt) for attempt in step.attempts)
        return draft

    def _attempt(self, step: Step, attempt: Attempt) -> _Draft:
        word = word_for(attempt.outcome)
        badges = []
        if attempt.body == "did not run":
            badges.append(Badge(text="the body did not run"))
        if attempt.overlaps:
            numbers = ", ".join(map(str, attempt.overlaps))
            badges.append(Badge(text=f"overlaps attempt {numbers}", tone="harm"))
        badges.extend(_problem_badge(len(attempt.problems)))
        draft = _row(
            key=attempt_key(step.run_id, step.step_id, attempt.n),
            kind="attempt",
            label=f"attempt {attempt.n}",
            detail=_tokens(attempt),
            status=word.word,
            tone="committed" if attempt.outcome == "completed" else word.tone,
            badges=tuple(badges),
            at=attempt.started_at,
            seconds=_seconds(attempt.started_at, attempt.ended_at or attempt.last_sign_at),
        )
        draft.below.extend(self._calls(step, attempt))
        return draft

    def _calls(self, step: Step, attempt: Attempt) -> Iterable[_Draft]:
        """Yield model calls in order, each followed by the tool calls it asked for; then the rest."""
        rest = list(attempt.tool_calls)
        for model in attempt.model_calls:
            yield self._model(step, attempt, model)
            for call in [c for c in rest if c.coordinate == model.coordinate]:
                rest.remove(call)
                yield self._call(step, attempt, call)
        for call in rest:
            yield self._call(step, attempt, call)

    def _model(self, step: Step, attempt: Attempt, call: ModelCall) -> _Draft:
        word = word_for(call.status)
        place = call.coordinate
        badges = [Badge(text="paid again", tone="again")] if call.paid_again else []
        text = call.text if call.text else (call.finish_reason or "")
        return _row(
            key=model_key(step, attempt.n, call),
            kind="model",
            label=f"model step {place.step_index}",
            detail=_line(text),
            status=word.word,
            tone="model" if call.status == "completed" else word.tone,
            badges=tuple(badges),
            at=call.started_at,
            seconds=_seconds(call.started_at, call.ended_at),
        )

    def _call(self, step: Step, attempt: Attempt, call: ToolCall) -> _Draft:
        mark = self.marks.of_call(call)
        badges = []
        if mark is not None and mark.tone != "plain":
            badges.append(Badge(text=mark.judgement.said, tone=mark.tone))
        if call.history_only:
            badges.append(Badge(text="only in the history"))
        status, tone = call_status(call)
        return _row(
            key=call_key(step.run_id, step.step_id, attempt.n, call.call_id),
            kind="call",
            label=safe_text(call.name),
            detail=_line(_result(call)),
            status=status,
            tone=tone,
            badges=tuple(badges),
            at=call.requested_at or call.returned_at,
            seconds=_seconds(call.requested_at, call.returned_at),
        )

    def _park(self, park: Park, number: int) -> _Draft:
        status = "parked" if park.open and not park.lost else "released" if not park.lost else "lost"
        return _row(
            key=park_key(park, number),
            kind="park",
            label=safe_text(park.kind),
            detail=_line(park.asked or (park.tool or "")),
            status=status,
            tone="parked" if status == "parked" else "harm" if status == "lost" else "muted",
            badges=(Badge(text=safe_text(park.released_by)),) if park.released_by else (),
            at=park.since,
            seconds=_seconds(park.since, park.until),
        )

    def _run(self, run: Run) -> _Draft:
        word = word_for(run.status or "unknown")
        draft = _row(
            key=f"run:{run.run_id}",
            kind="run",
            label=f"{run.role} run {safe_text(run.workflow.function)}",
            detail=short_id(run.run_id),
            status=word.word,
            tone=word.tone,
            badges=_problem_badge(len(run.problems)),
            at=run.created_at,
            seconds=_seconds(run.started_at, run.ended_at),
        )
        draft.below.extend(self._step(step, str(n)) for n, step in enumerate(run.steps, 1))
        return draft


def _result(call: ToolCall) -> str:
    if call.error is not None:
        return str(call.error.get("message") or call.error.get("code") or "")
    if call.returned:
        return glimpse(call.output, _DETAIL)
    return glimpse(call.input, _DETAIL)


def _turn_key(session_id: str, turn_id: str) -> str:
    return f"turn:{session_id}/{turn_id}"


def _tokens(attempt: Attempt) -> str:
    tokens = attempt.tokens
    return "" if tokens is None else f"{tokens.input:,} + {tokens.output:,} tokens"


def _problem_badge(count: int) -> tuple[Badge, ...]:
    return (Badge(text=plural(count, "problem"), tone="warning"),) if count else ()


def _line(text: str) -> str:
    return cut(safe_text(" ".join(text[: 4 * _DETAIL].split())), _DETAIL)


def _seconds(start: datetime | None, end: datetime | None) -> float | None:
    return (end - start).total_seconds() if start is not None and end is not None else None


def _group(key: str, label: str, below: list[_Draft]) -> _Draft:
    draft = _row(key=key, kind="group", label=label, detail=plural(len(below), "step"))
    draft.below.extend(below)
    return draft


def _act(act: Act) -> _Draft:
    sure = act.bond == "none"
    badge = Badge(text="no call" if sure else "perhaps not of this session", tone=act.tone)
    status = "outside"
    return _row(
        key=act.key, kind="act", label=act.name, detail=act.said, status=status, badges=(badge,), at=act.at
    )


def _subagent(session_id: str) -> _Draft:
    return _row(key=f"session:{session_id}", kind="session", label="subagent", detail=short_id(session_id))


def _flatten(draft: _Draft, parent: str, depth: int, rows: list[TreeRow]) -> None:
    row = replace(draft.row, parent=parent, depth=depth, children=len(draft.below))
    rows.append(row)
    for each in draft.below:
        _flatten(each, row.key, depth + 1, rows)


def took(row: TreeRow) -> str:
    """Return how long a row took as a person says it, empty when unknown."""
    return duration(row.seconds)
