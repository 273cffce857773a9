"""From whatever a person has in hand to the widget over it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eve_replay.errors import NotFound, WrongUse
from eve_replay.journal import Journal, Session, Step, Turn, open_journal
from eve_replay.notebook.packing import Answers, explorer_data, lab_data, shared_words
from eve_replay.notebook.widgets import JournalWidget
from eve_replay.views.base import step_key
from eve_replay.views.explorer import Explorer

__all__ = ["diff_widget", "explorer_widget", "lab_widget"]

#: How many things of an explorer a saved page holds the tabs of; the byte budget of the page comes first.
_SAVED_TABS = 400


def explorer_widget(target: Any, session: str | None, *, policy: Any = None, **options: Any) -> JournalWidget:
    """Return the explorer of a session. Raises NotFound, WrongUse."""
    found, start = _session_of(target, session, options)
    view = Explorer(found, policy)
    answers = Answers(view)
    return JournalWidget(
        kind="explorer",
        data=explorer_data(view, start=start),
        answer=answers.answer,
        identity=found.id,
        preload=_tabs(view),
        text=f"explorer of session {found.id}, {len(view.tree.rows)} rows",
    )


def lab_widget(
    target: Any, turn: str | None, *, predict: bool, session: str | None = None, policy: Any = None, **options: Any
) -> JournalWidget:
    """Return the crash lab of a turn. Raises NotFound, WrongUse."""
    if isinstance(target, Turn):
        raise WrongUse(
            "A turn does not know its session.", hint=f"Write crash_lab(session, {target.id!r})."
        )
    found, _ = _session_of(target, session, options)
    view = Explorer(found, policy)
    answers = Answers(view, policy)
    lab = answers.lab(turn)
    data = lab_data(lab, view, predict=predict)
    question = data["question"]
    preload = [{"do": "matrix", "turn": lab.turn_id, "question": {**question, "strategies": {}}}]
    preload += [
        {"do": "crash", "turn": lab.turn_id, "index": index, "question": {**question, "strategies": {}}}
        for index in range(len(lab))
    ]
    return JournalWidget(
        kind="crashlab",
        data=data,
        answer=answers.answer,
        identity=f"{found.id}/{lab.turn_id}",
        preload=tuple(preload),
        text=f"crash lab of {lab.turn_id or found.id}, {len(lab)} crash points",
    )


def diff_widget(
    target: Any,
    first: int,
    second: int | None,
    *,
    step: str | None = None,
    session: str | None = None,
    policy: Any = None,
    **options: Any,
) -> JournalWidget:
    """Return two attempts of a step side by side. Raises NotFound, WrongUse."""
    found, _ = _session_of(target, session, options)
    chosen = _step_of(found, target, step)
    view = Explorer(found, policy)
    numbers = [attempt.n for attempt in chosen.attempts]
    second = numbers[-1] if second is None else second
    key = step_key(chosen.run_id, chosen.step_id)
    answers = Answers(view, policy)

    def answer(request: Mapping[str, Any]) -> object:
        return answers.answer({"do": "diff", "key": key, "first": request["first"], "second": request["second"]})

    data = {
        "title": f"{chosen.function}, {len(numbers)} attempts",
        "attempts": numbers,
        "first": first,
        "second": second,
        "view": answer({"first": first, "second": second}),
        "words": shared_words(),
    }
    pairs = [(a, b) for a in numbers for b in numbers if a < b][:12]
    return JournalWidget(
        kind="diff",
        data=data,
        answer=answer,
        preload=tuple({"do": "attempts", "first": a, "second": b} for a, b in pairs),
        text=f"attempt {first} against attempt {second} of {chosen.function}",
    )


def _session_of(target: Any, session: str | None, options: Mapping[str, Any]) -> tuple[Session, str | None]:
    """Return the session a target means, and the key to start at."""
    if isinstance(target, Session):
        return target, None
    if isinstance(target, (Turn, Step)):
        owner = getattr(target, "journal_session", None)
        raise WrongUse(
            f"A {type(target).__name__.lower()} alone does not know its session.",
            hint="Give the session; explore(session) starts at its last turn." if owner is None else "",
        )
    journal = target if isinstance(target, Journal) else open_journal(target, **options)
    return journal.session(session), None


def _step_of(session: Session, target: Any, step: str | None) -> Step:
    steps = [each for each in session.steps if len(each.attempts) > 1]
    if step is not None:
        steps = [each for each in session.steps if each.step_id == step or each.step_id.endswith(step)]
        if not steps:
            raise NotFound(f"This session has no step {step!r}.")
    if not steps or len(steps[0].attempts) < 2:
        raise NotFound("No step of this session ran more than once: there is nothing to compare.")
    return steps[0]


def _tabs(view: Explorer) -> tuple[Mapping[str, object], ...]:
    """Return what a saved page should hold, what is looked at first coming first."""
    wanted: list[Mapping[str, object]] = []
    for row in view.tree.rows[:_SAVED_TABS]:
        heads = view.inspector.tabs(row.key)
        if heads:
            wanted.append({"do": "tab", "key": row.key, "tab": heads[0].name})
    for row in view.tree.rows[:_SAVED_TABS]:
        if row.kind in ("step", "attempt"):
            for name in ("attempts", "effects", "output", "input"):
                wanted.append({"do": "tab", "key": row.key, "tab": name})
                if name in ("input", "output"):
                    wanted.append({"do": "children", "key": row.key, "tab": name, "path": "$", "start": 0})
    return tuple(wanted)

