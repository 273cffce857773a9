"""What the workshop's commands say to a learner by themselves, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eve_replay.workshop.model import Language, Text

__all__ = ["said"]

_WORDS: Mapping[str, Text] = MappingProxyType(
    {
        # list
        "minutes": Text("{minutes} min", "{minutes} 分钟"),
        "together": Text(
            "Together about {minutes} minutes. `eve-replay workshop start` copies them and opens JupyterLab; "
            "`eve-replay workshop play 1` shows a first crash right here.",
            "一共约 {minutes} 分钟。`eve-replay workshop start --language zh` 复制这些课程并打开 JupyterLab；"
            "`eve-replay workshop play 1 --language zh` 就在这里演示第一次崩溃。",
        ),
        # start
        "copied": Text("{files} copied to ", "已复制 {count} 个文件到 "),
        "kept": Text(", {count} kept as they were", "，另有 {count} 个保持原样"),
        # check
        "lesson": Text("  lesson {lesson}", "  第 {lesson} 课"),
        "some-passed": Text("{passed} of {all} passed.", "共 {all} 份，通过 {passed} 份。"),
        "no-exercise": Text("Lesson {lesson} has no exercise.", "第 {lesson} 课没有练习。"),
        "no-lesson": Text(
            "It does not say which lesson it is, so it has no exercise.",
            "里面没有写是哪一课，所以没有练习可检查。",
        ),
        "not-checked": Text("It was not checked, as far as it says.", "里面没有检查过的记录。"),
        "times": Text(" Checked {count} times.", "共检查 {count} 次。"),
        "did-pass": Text("It passed.", "已通过。"),
        "did-not": Text("It did not pass.", "没有通过。"),
        "wall-both": Text(
            "Run behind a wall: no network, no files but Python's own.",
            "运行时有隔离：不能联网，除 Python 自身外读不到任何文件。",
        ),
        "wall-network": Text(
            "Run behind half a wall: no network; files can be read and written.",
            "运行时只有一半隔离：不能联网，但能读写文件。",
        ),
        "wall-files": Text(
            "Run behind half a wall: no files but Python's own; the network can be reached.",
            "运行时只有一半隔离：读不到别的文件，但能联网。",
        ),
        "wall-none": Text(
            "Run without a wall (this system has none): limits of time and memory only.",
            "运行时没有隔离（此系统不支持），只限制了时间和内存。",
        ),
        # board
        "board-learners": Text("Learners open {url}", "学员打开 {url}"),
        "board-pin": Text("PIN {pin}", "PIN 码 {pin}"),
        "board-wall": Text("For the screen on the wall: {url}", "投到大屏幕上的页面：{url}"),
        "board-folder": Text(
            "Everything is written into {folder}. Ctrl+C ends it.",
            "一切都记在 {folder} 里，按 Ctrl+C 结束。",
        ),
        # quiz
        "quiz-choose": Text("Your answer (a number):", "你的答案（数字）："),
        "quiz-sum": Text("{right} of {all} right.", "{all} 题答对 {right} 题。"),
        "quiz-later": Text("Nothing is due. Come back on {date}.", "现在没有要复习的，{date} 再来。"),
        # watch
        "watching": Text(
            "Watching {path}. Save it, and it is judged again; Ctrl+C ends it.",
            "正在监视 {path}：保存后会重新检查，按 Ctrl+C 结束。",
        ),
        "judged-at": Text("judged at {time}: {size} lines", "{time} 检查，共 {size} 行"),
        # summary
        "running": Text(
            "Running {answers} of {learners}, {jobs} at a time.",
            "正在运行 {people} 位学员的 {count} 份答案，同时运行 {jobs} 份。",
        ),
        "learner": Text("learner", "学员"),
        "right": Text("right", "预测"),
        "empty": Text("There is no lesson notebook in this folder.", "这个文件夹里没有课程笔记本。"),
        "legend": Text(
            "✓ passed   ✗3 tried three times, not passed   … begun, not checked   · not begun   right:"
            " predictions that were right",
            "✓ 通过   ✗3 试了三次，还没通过   … 做了，还没检查   · 还没开始   预测：猜对的预测",
        ),
        "stumbles": Text("What they stumble over", "他们卡在哪里"),
        "of": Text("{count} of {begun}: {words}", "{begun} 人里有 {count} 人：{words}"),
        "colon": Text("{code}: {words}", "{code}：{words}"),
    }
)


def said(name: str, language: Language, **facts: object) -> str:
    """Return a sentence of the commands in a language, its fields filled."""
    return _WORDS[name].get(language).format_map(facts)
