"""What the pages of the board say, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eve_replay.workshop.model import Language, Text

__all__ = ["words_of"]

_WORDS: Mapping[str, Text] = MappingProxyType(
    {
        "title": Text("Workshop board", "工作坊看板"),
        "pin": Text("PIN", "PIN 码"),
        "name": Text("Your name", "你的名字"),
        "enter": Text("Enter", "进入"),
        "wrong_pin": Text("That is not the PIN on the screen.", "PIN 码不对，请看屏幕上的。"),
        "gone": Text("The board does not answer. Is it still running?", "看板没有回应，还在运行吗？"),
        "lesson": Text("Lesson", "课程"),
        "predict": Text("Predict", "预测"),
        "chosen": Text("Your first choice counts.", "以第一次选择为准。"),
        "no_predictions": Text("This lesson asks for no prediction.", "这一课没有预测题。"),
        "hand_in": Text("Hand in", "交答案"),
        "paste": Text(
            "Paste the answer cell here. It is judged on the instructor's machine, in a Python of its own.",
            "把答案单元格粘贴到这里。它会在讲师的机器上、一个独立的 Python 里接受检查。",
        ),
        "judging": Text("Judging ... {n} waiting", "检查中……还有 {n} 份在等"),
        "break": Text("Break your neighbour", "攻破邻座"),
        "get": Text("Give me a neighbour's answer", "给我一份邻座的答案"),
        "choose_world": Text(
            "This answer of {of} passed. In which world does it break? The engine judges.",
            "{of} 的这份答案通过了。它在什么样的世界里会出错？由引擎裁定。",
        ),
        "model": Text("Asked again, the model", "再问模型时，它"),
        "model_same": Text("gives the same call ids", "给出同样的调用 id"),
        "model_new": Text("gives new call ids", "给出新的调用 id"),
        "model_other": Text("answers in other words or order", "换一种说法或顺序"),
        "away": Text("The process stays away", "进程离开"),
        "away_0": Text("for seconds", "几秒"),
        "away_13": Text("overnight", "一夜"),
        "away_61": Text("over a weekend", "一个周末"),
        "crashes": Text("It dies at most", "最多死几次"),
        "lost": Text("Answers can get lost on the way", "回答可能在路上丢失"),
        "seed": Text("Names and orders no.", "名字和顺序编号"),
        "attack": Text("Attack", "攻击"),
        "held": Text("It holds in this world.", "在这个世界里它守住了。"),
        "broke": Text("Broken.", "攻破了。"),
        "room": Text("{n} people, {w} answers waiting", "{n} 人，{w} 份答案在等"),
        "no_votes": Text("Nobody has predicted yet.", "还没有人预测。"),
        "answers": Text("Answers", "答案"),
        "stumbles": Text("What they stumble over", "他们卡在哪里"),
        "broken": Text("broke {n}", "攻破 {n} 份"),
        "show": Text("Show the prediction", "显示预测"),
        "join": Text("Open {url} and enter the PIN", "打开 {url}，输入 PIN 码"),
        "votes": Text("{n} of {all}", "{all} 人中 {n} 人"),
    }
)


def words_of(language: Language) -> Mapping[str, str]:
    """Return every sentence in one language."""
    return {name: text.get(language) for name, text in _WORDS.items()}
