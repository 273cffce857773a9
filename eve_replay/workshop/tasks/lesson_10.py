"""Lesson 10: your own journal. Nobody can grade it; the check only sees whether the form is filled in."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eve_replay.workshop.model import Language, Text
from eve_replay.workshop.task import Judgement, Task

__all__ = ["QUESTIONS", "TASK"]

#: The parts of the form, in order.
QUESTIONS: Mapping[str, Text] = MappingProxyType(
    {
        "ran_again": Text("which steps ran again", "哪些步骤又执行了一遍"),
        "twice": Text("what may have happened twice", "什么可能发生了两次"),
        "harm": Text("what a repeat of each tool would cost", "每个工具重复一次会造成什么后果"),
        "key": Text("which key each tool gets", "每个工具用什么键"),
        "crash_now": Text("what a crash right now would do", "现在崩溃会怎样"),
        "waiting": Text("what waits, and who looks after it", "什么在等待，由谁负责"),
        "tomorrow": Text("the one thing to change first", "最先要改的一件事"),
    }
)
_LEAST = 2


def _judge(answer: object, seed: int, language: Language) -> Judgement:
    if not isinstance(answer, Mapping):
        words = Text("The form is a dict with one sentence per question.", "答卷是一个字典，每个问题一句话。")
        return Judgement(code="open", words=words)
    missing = [name for name in QUESTIONS if len(str(answer.get(name, "") or "").strip()) < _LEAST]
    if missing:
        left = ("、" if language == "zh" else "; ").join(QUESTIONS[name].get(language) for name in missing)
        words = Text(
            f"Still open ({len(missing)} of {len(QUESTIONS)}): {left}.",
            f"还有没填的（{len(QUESTIONS)} 项里的 {len(missing)} 项）：{left}。",
        )
        return Judgement(code="open", words=words)
    words = Text("Every question has an answer.", "每个问题都回答了。")
    return Judgement(words=words)


TASK = Task(
    lesson="10",
    slug="your-own-journal",
    title=Text("Your own journal", "你自己的日志"),
    answer="notes",
    kind="judged",
    judge=_judge,
    hints=MappingProxyType(
        {
            "open": Text(
                "One plain sentence each is enough. Where the journal cannot tell, write what would"
                " settle it.",
                "每项一句普通的话就够了。日志看不出来的，写下靠什么能确定。",
            )
        }
    ),
    good=Text(
        "Whether the answers are right, nobody here can know. Show them to the person who would have to pay"
        " for a repeat, and ask again after the next crash.",
        "回答对不对，这里没有谁能知道。请拿给要为重复付出代价的人看，下次崩溃以后再问自己一遍。",
    ),
    minutes=20,
    finds=Text(
        "What the questions of these lessons say about a journal of yours.",
        "拿这些课的问题去问你自己的日志，会得到什么回答。",
    ),
)
