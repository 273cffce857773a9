"""Every word the workshop's widgets say by themselves, in both languages. Lessons bring their own."""

from __future__ import annotations

from collections.abc import Mapping

from eve_replay.workshop.model import FaultKind, Language, Moment, Text

__all__ = [
    "ACCIDENTS",
    "EFFECTS",
    "FAULTS",
    "MARKS",
    "WORDS",
    "counted",
    "effect_name",
    "place_of",
    "word",
    "words_for",
]

#: What the browser shows around the data, by name.
WORDS: Mapping[str, Text] = {
    # desk
    "lesson": Text("Lesson {lesson}", "第 {lesson} 课"),
    "minutes": Text("about {minutes} minutes", "约 {minutes} 分钟"),
    "finds": Text("What you will find out", "学完你会知道"),
    "so_far": Text("So far", "目前进度"),
    "predictions": Text("Predictions made: {done} of {all}", "已预测：{done} / {all}"),
    "colon": Text(": ", "："),
    "stop": Text(". ", "。"),
    "unchecked": Text("Exercise: not checked yet", "练习：尚未检查"),
    "tried_check": Text("Exercise: not passed yet, checked {tries}", "练习：尚未通过，已检查 {tries}"),
    "passed_check": Text("Exercise: passed, checked {tries}", "练习：已通过，共检查 {tries}"),
    "once_times": Text("once", "1 次"),
    "times": Text("{count} times", "{count} 次"),
    "unwritten": Text(
        "Your progress cannot be written here ({why}); the lesson works all the same.",
        "进度无法保存到这里（{why}）；课程照常可用。",
    ),
    # prediction
    "predict": Text("Your prediction", "你的预测"),
    "predict_how": Text(
        "Choose before you look: click, press {keys}, or move with the arrows and press Enter.",
        "先选，再看答案：点击，按 {keys}，或用方向键移动后按 Enter。",
    ),
    "predict_free": Text(
        "Write one sentence before you look. Ctrl+Enter shows the answer.",
        "先写一句话，再看答案。按 Ctrl+Enter 显示答案。",
    ),
    "predict_here": Text("Your sentence", "你的回答"),
    "predict_show": Text("Show the answer", "显示答案"),
    "predict_empty": Text("Write something first; one word will do.", "请先写点什么，一个词也行。"),
    "right": Text("Right", "正确"),
    "wrong": Text("Not so", "不对"),
    "you_chose": Text("you chose", "你的选择"),
    "it_is": Text("so it is", "实际如此"),
    "you_wrote": Text("You wrote", "你写的是"),
    "source": Text("Where this is from", "依据"),
    "choice": Text("Choice {number}", "选项 {number}"),
    "no_facts": Text("The recording could not be read here: {why}.", "这里无法读取运行记录：{why}。"),
    # stage
    "stage": Text("Stage: where does the process die?", "舞台：进程死在哪里？"),
    "stage_of": Text("Stage", "舞台"),
    "stage_label": Text(
        "Stage. Left and right move the crash, up and down change its kind, n and b step through it.",
        "舞台。左右键移动崩溃点，上下键换崩溃类型，n 和 b 逐个时刻前进、后退。",
    ),
    "case": Text("case", "场景"),
    "runtime": Text("runtime", "运行时"),
    "runtime-eve": Text("eve (an interrupted step runs again)", "eve（被中断的步骤重新执行）"),
    "runtime-flue": Text("Flue (an interrupted call does not)", "Flue（被中断的调用不再执行）"),
    "runtime-none": Text("no durability (all from the start)", "没有持久化（全部从头再来）"),
    "process": Text("process {n}", "进程 {n}"),
    "outside_sees": Text("The outside ends up with", "外部最终看到"),
    "no_fault": Text(
        "No crash yet. Click a cell below, or press → to let process 1 die.",
        "还没有崩溃。点击下面的格子，或按 → 让进程 1 崩溃。",
    ),
    "second": Text("add a second crash", "加上第二次崩溃"),
    "another": Text("add another crash", "再加一次崩溃"),
    "choose_second": Text("Now choose where process {n} dies.", "现在选择进程 {n} 死在哪里。"),
    "remove": Text("remove crash {n}", "去掉第 {n} 次崩溃"),
    "reset": Text("Reset", "重置"),
    "reveal": Text("Show every place", "显示所有位置"),
    "hide": Text("Hide what I have not tried", "隐藏没试过的位置"),
    "untried": Text("not tried yet", "还没试过"),
    "break": Text("Show me the shortest way to break it", "显示让它出错的最短方式"),
    "unwanted": Text("{what} that nobody asked for", "没人要求的 {what}"),
    "away": Text("how long it stays away", "停机多久"),
    "at_once": Text("back at once", "马上恢复"),
    "back_after": Text("back after {time}", "{time}后恢复"),
    "searching": Text("Trying every way to crash …", "正在尝试所有崩溃方式……"),
    "broken": Text(
        "Tried {tried} ways. This is the shortest one that breaks it.",
        "试了 {tried} 种方式，这是让它出错的最短的一种。",
    ),
    "broken_already": Text(
        "It breaks without any crash: nothing has to go wrong for it.",
        "没有崩溃也会出错：不需要任何意外。",
    ),
    "broken_elsewhere": Text(
        "Tried {tried} ways. Nothing breaks it in the case you chose; this case does.",
        "试了 {tried} 种方式。你选的场景里没有出错；这个场景会出错。",
    ),
    "unbroken": Text(
        "Tried {tried} ways, with up to {crashes} crashes. None of them breaks it.",
        "试了 {tried} 种方式，最多 {crashes} 次崩溃，没有一种让它出错。",
    ),
    "unbroken_budget": Text(
        "Tried {tried} ways and stopped there; there are more. None of them broke it.",
        "试了 {tried} 种方式就停了，还有更多没有试到。试过的没有一种让它出错。",
    ),
    "ledger": Text("The outside's own ledger", "外部自己的账本"),
    "ledger_empty": Text("Nothing has reached the outside.", "没有任何请求到达外部。"),
    "by": Text("by", "由谁"),
    "key": Text("key", "键"),
    "no_key": Text("no key", "无键"),
    "what": Text("what", "内容"),
    "story": Text("What happens, moment by moment", "逐个时刻发生了什么"),
    "model_told": Text("What the model is told in the end", "最后告诉模型的内容"),
    "printed": Text("What your function printed", "你的函数打印的内容"),
    "nothing_told": Text("nothing", "什么也没有告诉"),
    "moment_of": Text("moment {n} of {all}", "时刻 {n} / {all}"),
    "next_moment": Text("Next moment", "下一个时刻"),
    "previous_moment": Text("Moment before", "上一个时刻"),
    "whole": Text("the whole run", "全过程"),
    "raised": Text("Your function raised an error", "你的函数抛出了错误"),
    "raised_why": Text(
        "The model was told so, and the step was committed: for the runtime an error is an answer too.",
        "错误告诉了模型，步骤照样提交：对运行时来说，错误也是一种回答。",
    ),
    "cannot_run": Text("It cannot be run", "无法运行"),
    "no_case": Text(
        "This lesson has nothing to play: its exercise is not run under crashes.",
        "本课没有可以在舞台上运行的内容：练习里没有崩溃。",
    ),
    "schedule_gone": Text(
        "Your code has other moments now; the crash was moved to the nearest one.",
        "代码改了，时刻也变了；崩溃已移到最近的一个时刻。",
    ),
    "not_again": Text("not run again, told: unknown", "不再执行，告诉模型：结果未知"),
    "replayed": Text("replayed from the record", "取自记录"),
    "step": Text("step {n}", "第 {n} 步"),
    "turn_step": Text("turn {turn}, step {n}", "第 {turn} 轮第 {n} 步"),
    "closing": Text("closing answer", "收尾的回答"),
    "model": Text("model", "模型"),
    "returned": Text("returned", "返回"),
    "pause": Text("wait", "等待"),
    "commit": Text("commit", "提交"),
    "commit-lock": Text("lock", "加锁"),
    "commit-record": Text("record", "记录"),
    "committed": Text("committed", "已提交"),
    "landed": Text("lands", "迟到"),
    "parked": Text("parked", "挂起"),
    "body": Text("body", "函数体"),
    "recorded": Text("recorded step", "有记录的步骤"),
    "once_more": Text("runs the step once more", "重新执行这一步"),
    "over": Text("body again from its start", "函数体从头重放"),
    "end-completed": Text("completes", "完成"),
    "end-dormant": Text("sleeps: nothing wakes it", "休眠：没有谁唤醒它"),
    "end-hangs": Text("hangs for good", "永远卡住"),
    "end-runaway": Text("calls without end", "不停地调用"),
    "end-diverged": Text("takes another way than its record", "走了和记录不同的路"),
    "end-died": Text("dies", "崩溃"),
    "later": Text("{time} later", "{time}后"),
    "seconds": Text("{n} s", "{n} 秒"),
    "unit-minutes": Text("{n} min", "{n} 分钟"),
    "hours": Text("{n} h", "{n} 小时"),
    "days": Text("{n} days", "{n} 天"),
    "help": Text("Keys and signs", "按键与符号"),
    "close": Text("Close", "关闭"),
    "silent": Text("Python did not answer. Is the kernel running?", "Python 没有回应。内核在运行吗？"),
    "unsaved": Text(
        "This was not saved with the page. Run the cell again to see it.",
        "这一部分没有随页面保存。重新运行单元格就能看到。",
    ),
    "k-move": Text("move the crash", "移动崩溃点"),
    "k-kind": Text("change its kind", "换崩溃类型"),
    "k-step": Text("next, previous moment", "下一个、上一个时刻"),
    "k-add": Text("add another crash", "再加一次崩溃"),
    "k-back": Text("take the last crash away", "去掉最后一次崩溃"),
    "k-reveal": Text("show every place, or only those tried", "显示所有位置，或只显示试过的"),
    "k-find": Text("shortest way to break it", "让它出错的最短方式"),
    "k-help": Text("keys and signs", "按键与符号"),
    "s-once": Text("each done once", "每件都做了一次"),
    "s-parked": Text("a person was told", "已通知人工"),
    "s-harm": Text("done twice", "做了两次"),
    "s-warning": Text("missed, or said wrongly", "漏做，或说错"),
    "s-unknown": Text("hangs, or does not end", "卡住，或不结束"),
    "s-committed": Text("committed, replayed from the record", "已提交，结果取自记录"),
    "s-again": Text("executed again", "重新执行"),
    "s-lost": Text("no answer comes", "没有回答"),
    "s-dies": Text("dies here", "在此崩溃"),
    # verdict
    "verdict-passed": Text("Passed", "通过"),
    "verdict-story": Text("The shortest way in which it fails", "出错的最短方式"),
    "verdict-input": Text("What it was given, and what it said", "给它的是什么，它说了什么"),
    "verdict-why": Text("Why", "原因"),
    "verdict-next": Text("What to think about next", "接下来想一想"),
    "verdict-limit": Text("What it rests on", "它靠的是什么"),
    "verdict-picture": Text("The same as a picture", "图示"),
    "verdict-tried": Text("Tried {tried} ways in {cases}.", "在 {cases}里试了 {tried} 种方式。"),
    "verdict-inputs": Text("Tried {tried} inputs.", "试了 {tried} 组输入。"),
    "verdict-tried-one": Text("Tried one way in {cases}.", "在 {cases}里试了 1 种方式。"),
    "verdict-inputs-one": Text("Tried one input.", "试了 1 组输入。"),
    "verdict-cases": Text("{n} cases", "{n} 个场景"),
    "verdict-case": Text("one case", "1 个场景"),
    "verdict-incomplete": Text("There are more than were tried.", "还有更多没有试到。"),
}

#: How a crash is called in the row of its cells; short, they stand in a narrow column.
FAULTS: Mapping[FaultKind, Text] = {
    "crash-before": Text("dies here", "在此崩溃"),
    "crash-in-flight": Text("dies, request in flight", "请求在路上时崩溃"),
    "crash-after": Text("dies, outside acted", "外部执行后崩溃"),
    "lost": Text("done, but answer lost", "已执行，回答丢失"),
    "refused": Text("not done, no answer", "未执行，没有回答"),
}

#: What goes wrong in one sentence, by the kind of fault, or of the moment for a crash outside a call.
ACCIDENTS: Mapping[str, Text] = {
    "crash-before": Text("process {n} dies before “{place}”", "进程 {n} 在“{place}”之前崩溃"),
    "crash-in-flight": Text(
        "process {n} dies while “{place}” is under way", "进程 {n} 崩溃时，“{place}”的请求还在路上"
    ),
    "crash-after": Text(
        "process {n} dies after the outside did “{place}”", "外部执行“{place}”后，进程 {n} 崩溃"
    ),
    "lost": Text("“{place}” is done, but its answer is lost", "“{place}”已执行，但回答丢失"),
    "refused": Text("“{place}” is not done, and no answer comes", "“{place}”未执行，也没有回答"),
    "model": Text("process {n} dies while the model is asked", "进程 {n} 在问模型时崩溃"),
    "pause": Text("process {n} dies while it waits", "进程 {n} 在等待时崩溃"),
    "returned": Text("process {n} dies when “{place}” has returned", "“{place}”返回后，进程 {n} 崩溃"),
    "commit": Text("process {n} dies before the commit", "进程 {n} 在提交之前崩溃"),
    "commit-lock": Text(
        "process {n} dies inside the commit, the lock is written", "进程 {n} 在提交中途崩溃，锁已写入"
    ),
    "commit-record": Text(
        "process {n} dies inside the commit, the record is written", "进程 {n} 在提交中途崩溃，记录已写入"
    ),
    "committed": Text("process {n} dies right after the commit", "进程 {n} 刚提交完就崩溃"),
    "parked": Text("process {n} dies while it is parked", "进程 {n} 在挂起时崩溃"),
}

#: What a broken promise is called in a cell, by its code.
MARKS: Mapping[str, Text] = {
    "twice": Text("done twice", "做了两次"),
    "missed": Text("missed", "漏做"),
    "lied": Text("said done, was not", "说做了，其实没做"),
    "silent": Text("unknown, and nobody was told", "结果未知，也没通知任何人"),
    "extra": Text("something nobody asked for", "做了没人要求的事"),
    "bothered": Text("a person was asked for nothing", "白白打扰了人"),
    "hangs": Text("hangs for good", "永远卡住"),
    "diverged": Text("takes another way than its record", "走了和记录不同的路"),
    "threw": Text("raised an error", "抛出错误"),
    "runaway": Text("calls without end", "不停地调用"),
    "wrong-answer": Text("wrong answer", "答案错误"),
    "kept": Text("each done once", "每件都做了一次"),
    "person": Text("a person was told", "已通知人工"),
}

#: One and several of an effect.
EFFECTS: Mapping[str, tuple[Text, str]] = {
    "charge": (Text("charge", "次扣款"), "charges"),
    "refund": (Text("refund", "次退款"), "refunds"),
    "mail": (Text("mail", "封邮件"), "mails"),
    "row": (Text("row", "行数据"), "rows"),
    "reservation": (Text("reservation", "次预订"), "reservations"),
    "person": (Text("person told", "次人工通知"), "people told"),
}


def word(name: str, language: Language, **values: object) -> str:
    """Return a word of ours with its fields filled."""
    return WORDS[name].get(language).format(**values)


def words_for(language: Language) -> dict[str, str]:
    """Return all words in a language, as the browser takes them."""
    words = {name: text.get(language) for name, text in WORDS.items()}
    return words | {f"fault-{name}": text.get(language) for name, text in FAULTS.items()}


def effect_name(effect: str, language: Language) -> str:
    """Return what an effect is called; the Chinese counts begin with their measure word."""
    one = EFFECTS[effect][0] if effect in EFFECTS else Text(effect, f" {effect}")
    return one.zh[1:] if language == "zh" else one.en


def counted(count: int, effect: str, language: Language) -> str:
    """Return ``2 charges``; an effect nobody named is called by its name."""
    one, many = EFFECTS.get(effect, (Text(effect, f"次 {effect}"), f"{effect}s"))
    if language == "zh":
        return f"{count} {one.zh}"
    return f"{count} {one.en if count == 1 else many}"


def place_of(moment: Moment, language: Language) -> str:
    """Return what a moment is called above its column."""
    if moment.kind == "call":
        return moment.method or moment.service
    if moment.kind == "pause" and moment.facts.get("durable") is True:
        return WORDS["parked"].get(language)
    return WORDS[moment.kind].get(language) if moment.kind in WORDS else moment.kind
