"""Questions that come back: what a learner should still know a day, three days, a week, three weeks later.

A question is a small case with numbers of its own each time (which tool, where it dies, how long it stays
away); the right answer is counted by running the engine, so that it cannot go stale. The spacing is the plain
one of Leitner: right moves a question on, wrong sends it back to tomorrow.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from eve_replay.codec.jsonout import dumps_tagged
from eve_replay.codec.jsontext import loads_json
from eve_replay.workshop.engine.runtime import run
from eve_replay.workshop.model import Ask, Case, Fault, FaultKind, Language, Text, Turn

__all__ = ["DAYS", "FILE_NAME", "Memo", "Question", "due_from", "questions_of"]

#: Days until a question comes back, by how often it was right in a row.
DAYS = (1, 3, 7, 21, 60)
FILE_NAME = "workshop-quiz.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question with its numbers.

    Attributes:
        name: which it is; the numbers differ from time to time.
        right: index of the right choice.
    """

    name: str
    text: Text
    choices: tuple[Text, ...]
    right: int
    reveal: Text

    def to_json(self, language: Language) -> Mapping[str, object]:
        """Return it as plain data, with its answer: whoever asks for JSON checks it themselves."""
        return {
            "name": self.name,
            "question": self.text.get(language),
            "choices": [each.get(language) for each in self.choices],
            "right": self.right,
            "reveal": self.reveal.get(language),
        }


class Memo:
    """When each question was asked, and how often it was right in a row; beside the lessons."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE_NAME
        self._known: dict[str, dict[str, Any]] = {}
        try:
            read = loads_json(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            read = {}
        for name, each in read.items() if isinstance(read, dict) else ():
            if isinstance(each, dict) and isinstance(each.get("row"), int) and _moment(each.get("due")):
                self._known[str(name)] = each

    def due(self, name: str) -> datetime | None:
        """Return when a question is due; None for one that was never asked."""
        known = self._known.get(name)
        return None if known is None else _moment(known["due"])

    def note(self, question: Question, right: bool, now: datetime) -> None:
        """Write down how it went."""
        row = int(self._known.get(question.name, {}).get("row", 0)) + 1 if right else 0
        days = DAYS[min(row, len(DAYS)) - 1] if row else 1
        self._known[question.name] = {"row": row, "due": (now + timedelta(days=days)).isoformat()}
        self._file.write_text(dumps_tagged(self._known) + "\n", "utf-8")

    def times(self, name: str) -> int:
        """Return how often in a row a question was right."""
        return int(self._known.get(name, {}).get("row", 0))


def questions_of(memo: Memo, now: datetime, count: int, *, everything: bool = False) -> list[Question]:
    """Return the questions that are due, the longest overdue first, new ones after them."""
    names = [name for name in _MAKERS if everything or (memo.due(name) or now) <= now]
    names.sort(key=lambda name: (memo.due(name) is None, memo.due(name) or now))
    day = now.date().isoformat()
    return [_MAKERS[name](name, random.Random(f"{name}|{day}|{memo.times(name)}")) for name in names[:count]]


def due_from(memo: Memo) -> datetime | None:
    """Return when the next question is due, None where none was ever asked."""
    known = [due for name in _MAKERS if (due := memo.due(name)) is not None]
    return min(known, default=None)


def _moment(text: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


# -- the questions ---------------------------------------------------------------------------------------


def _bare(input: Any, ctx: Any, outside: Any) -> object:
    outside.payments.charge(input["order"], input["cents"])
    outside.mail.send(input["to"], "Receipt")
    return {"status": "paid"}


def _keyed(input: Any, ctx: Any, outside: Any) -> object:
    outside.payments.charge(input["order"], input["cents"], key=f"{ctx.session_id}:{ctx.call_id}")
    outside.mail.send(input["to"], "Receipt")
    return {"status": "paid"}


def _looked(input: Any, ctx: Any, outside: Any) -> object:
    if not outside.payments.find(order=input["order"]):
        outside.payments.charge(input["order"], input["cents"])
    return {"status": "paid"}


def _case(dice: random.Random, **more: Any) -> Case:
    order = f"ord_{dice.randrange(100, 1000)}"
    given = {"order": order, "cents": dice.randrange(5, 90) * 100, "to": "ann@example.com"}
    return Case(
        name="quiz",
        turns=(Turn(message="", answers=((Ask(tool="pay", input=given),),)),),
        seed=dice.randrange(1, 10_000),
        **more,
    )


def _crashed(tool: Any, case: Case, times: int, where: Callable[[Any], bool], kind: FaultKind) -> Any:
    """Run with so many crashes, each at the first such moment of its process."""
    schedule: tuple[Fault, ...] = ()
    for _ in range(times):
        after = schedule[-1].point if schedule else -1
        trace = run({"pay": tool}, case, schedule).trace
        found = next((m for m in trace if m.number is not None and m.number > after and where(m)), None)
        if found is None:
            break
        schedule = (*schedule, Fault(found.number or 0, kind))
    return run({"pay": tool}, case, schedule)


def _times(count: int) -> Text:
    return Text(
        {0: "not at all", 1: "once", 2: "twice"}.get(count, f"{count} times"),
        {0: "一次也没有", 1: "一次", 2: "两次"}.get(count, f"{count} 次"),
    )


def _counted(name: str, text: Text, count: int, why: Text) -> Question:
    top = max(3, count)
    choices = tuple(_times(each) for each in range(top + 1))
    said = _times(count)
    return Question(
        name=name,
        text=text,
        choices=choices,
        right=count,
        reveal=Text(f"It happens {said.en}. {why.en}", f"答案：{said.zh}。{why.zh}"),
    )


def _again(name: str, dice: random.Random) -> Question:
    times = dice.choice((1, 2, 3))
    outcome = _crashed(_bare, _case(dice), times, lambda m: m.method == "send", "crash-after")
    count = sum(each.effect == "charge" for each in outcome.ledger)
    return _counted(
        name,
        Text(
            f"A tool charges a card without a key, then sends a mail. The process dies {_times(times).en}"
            " right after the mail went out, and is started again each time. How often is the card charged?",
            f"工具先扣款（不带键），再发邮件。进程每次都在邮件刚发出时死掉，"
            f"一共死 {times} 次，每次都重新启动。一共扣款几次？",
        ),
        count,
        Text(
            "A step that was not committed runs again from its start, with every call in it.",
            "没有提交的步骤会从头再执行，里面的每个调用都重做。",
        ),
    )


def _with_key(name: str, dice: random.Random) -> Question:
    times, model = dice.choice((1, 2)), dice.choice(("same", "new-ids"))
    case = _case(dice, model=model)
    outcome = _crashed(_keyed, case, times, lambda m: m.method == "charge", "crash-after")
    count = sum(each.effect == "charge" for each in outcome.ledger)
    ids = (
        Text("the same call ids", "同样的调用 id") if model == "same" else Text("new call ids", "新的调用 id")
    )
    return _counted(
        name,
        Text(
            f"The key of a charge is made of session and call id. The process dies {_times(times).en} right"
            f" after the charge; asked again, the model gives {ids.en}. How often is the card charged?",
            f"扣款的键由会话 id 和调用 id 拼成。进程在扣款之后立刻死掉，共 {times} 次；"
            f"再问模型时，它给出{ids.zh}。一共扣款几次？",
        ),
        count,
        Text(
            "A key holds as long as what it is made of stays: a call id stays only if the model repeats it.",
            "键管不管用，看拼它的东西变不变：模型重复同一个 id，调用 id 才不变。",
        ),
    )


def _look_first(name: str, dice: random.Random) -> Question:
    kind: FaultKind = dice.choice(("crash-in-flight", "crash-after"))
    outcome = _crashed(_looked, _case(dice), 1, lambda m: m.method == "charge", kind)
    count = sum(each.effect == "charge" for each in outcome.ledger)
    where = (
        Text("while the charge is on its way", "扣款请求还在路上时")
        if kind == "crash-in-flight"
        else Text("just after the provider has charged", "支付服务刚扣完款时")
    )
    return _counted(
        name,
        Text(
            f"A tool looks for a charge and charges only if it finds none. It dies {where.en}, once."
            " How often is the card charged?",
            f"工具先查有没有扣过款，没有才扣。它在{where.zh}死了一次。一共扣款几次？",
        ),
        count,
        Text(
            "A look sees what has landed, not what is on its way.",
            "查询只看得到已经落地的，看不到还在路上的。",
        ),
    )


def _model_paid(name: str, dice: random.Random) -> Question:
    times = dice.choice((1, 2))
    outcome = _crashed(_bare, _case(dice), times, lambda m: m.kind == "commit", "crash-before")
    count = outcome.model_calls
    return _counted(
        name,
        Text(
            f"One answer with one tool call, then a closing answer. The process dies {_times(times).en} when"
            " the tool has returned and nothing is committed. How often is the model asked (and paid)?",
            f"模型先要求一次工具调用，最后说一句结束。进程在工具返回、还没提交时死掉，共 {times} 次。"
            "模型一共被问（并付费）几次？",
        ),
        count,
        Text(
            "The answer is part of the step: it is asked for again whenever the step runs again.",
            "回答也是步骤的一部分：步骤重新执行，就要再问一次。",
        ),
    )


def _after_commit(name: str, dice: random.Random) -> Question:
    outcome = _crashed(_bare, _case(dice), 1, lambda m: m.kind == "committed", "crash-before")
    count = sum(each.effect == "mail" for each in outcome.ledger)
    return _counted(
        name,
        Text(
            "A tool without any key has sent a mail, its step is committed, and then the process dies and is"
            " started again. How often is the mail sent?",
            "工具没带键，发了邮件，步骤已经提交，然后进程死掉并重新启动。邮件一共发送几次？",
        ),
        count,
        Text(
            "A committed step is answered from its record: nothing of it runs again.",
            "提交过的步骤由记录作答：里面的东西都不再执行。",
        ),
    )


_MAKERS: Mapping[str, Callable[[str, random.Random], Question]] = {
    "again": _again,
    "with-key": _with_key,
    "look-first": _look_first,
    "model-paid": _model_paid,
    "after-commit": _after_commit,
}
