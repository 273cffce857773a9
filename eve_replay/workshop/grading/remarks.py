"""What the grader says, in both languages: passed or not in one sentence, and answers that cannot be run.

The story of a failure and its reason come from :mod:`eve_replay.workshop.explain.words`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eve_replay.workshop.model import Breach, Fault, Language, Outcome, Text

__all__ = ["CODES", "REMARKS", "faults_words", "headline", "remark", "short"]


def _texts(**texts: tuple[str, str]) -> Mapping[str, Text]:
    return MappingProxyType({name.replace("_", "-"): Text(*both) for name, both in texts.items()})


#: By code. ``...-next`` is what to do about it.
REMARKS = _texts(
    passed=(
        "It holds in {tried} crash schedules of {cases} cases, with up to {crashes} crashes in each.",
        "{cases} 个场景，{tried} 种崩溃方式（每种最多崩溃 {crashes} 次），承诺全都守住了。",
    ),
    passed_partly=(
        "It held in the {tried} crash schedules that were tried, in {cases} cases. There are more of them.",
        "试过的 {tried} 种崩溃方式（{cases} 个场景）里，承诺都守住了。还有更多没有试到。",
    ),
    passed_judged=("Right for all {tried} inputs that were tried.", "试过的 {tried} 组输入全部正确。"),
    wrong=("Not yet. {words}", "还不对。{words}"),
    hidden=(
        "The lesson's own cases pass. This one has other names, amounts or calls.",
        "课程里的场景都能通过；这个场景换了名字、金额或调用。",
    ),
    missing=("The answer defines no `{name}`.", "答案里没有定义 `{name}`。"),
    missing_next=(
        "Keep the name that the answer cell had: `def {name}(...)`.",
        "保留答案单元格原来的名字：`def {name}(...)`。",
    ),
    not_a_function=("`{name}` is {what}, not a function.", "`{name}` 是{what}，不是函数。"),
    not_a_function_next=(
        "The runtime calls it. Write `def {name}({parameters}):` and hand over the name, without brackets.",
        "运行时要调用它。请写 `def {name}({parameters}):`，检查时只写函数名，不加括号。",
    ),
    parameters=(
        "`{name}` cannot be called with {count} values.",
        "`{name}` 不能用 {count} 个参数来调用。",
    ),
    parameters_next=(
        "The runtime calls it as `{name}({parameters})`.",
        "运行时这样调用它：`{name}({parameters})`。",
    ),
    generator=("`{name}` has a `yield` in it.", "`{name}` 里有 `yield`。"),
    generator_next=(
        "The runtime wants one result: `return` it.",
        "运行时只要一个结果：请用 `return` 返回。",
    ),
    looks_inside=("`{name}` uses `{what}`.", "`{name}` 用了 `{what}`。"),
    looks_inside_next=(
        "In this exercise a tool acts through `outside` only, and knows only `input` and `ctx`. "
        "What else a process can reach dies with it, or belongs to the workshop.",
        "在这个练习里，工具只能通过 `outside` 做事，只知道 `input` 和 `ctx`。"
        "进程能碰到的其他东西，要么随进程一起消失，要么属于工作坊本身。",
    ),
    uses_files=(
        "`{name}` uses `{what}`: it reaches for a file of its machine.",
        "`{name}` 用了 `{what}`：它要动本机的文件。",
    ),
    uses_files_next=(
        "A file does survive `kill -9`. But it is on one machine, and after a crash another machine may take"
        " the run up: there the file is not. And writing it and acting stay two things with a gap between"
        " them. What every machine sees here is `outside`; what must outlive the process belongs there.",
        "文件确实能熬过 `kill -9`。可它只在一台机器上，崩溃之后接手的可能是另一台，那里没有这个文件。"
        "而且写文件和动手仍是两件事，中间有空档。这里每台机器都看得到的是 `outside`："
        "要比进程活得久的，就放在那里。",
    ),
    uses_machine=(
        "`{name}` uses `{what}`, which another machine answers in another way.",
        "`{name}` 用了 `{what}`，换一台机器答案就不同。",
    ),
    uses_machine_next=(
        "After a crash another machine, or another version of the server, may take the run up. What has"
        " to be the same then comes from `input` and `ctx`.",
        "崩溃之后，接手的可能是另一台机器，或另一个版本的服务器。到那时还必须一样的东西，只能来自 `input` 和"
        " `ctx`。",
    ),
    uses_network=(
        "`{name}` uses `{what}`: it reaches the network by itself.",
        "`{name}` 用了 `{what}`：它自己去连网络。",
    ),
    uses_network_next=(
        "In this exercise the world outside is `outside`: only what goes through it is simulated, counted and"
        " can be lost on the way.",
        "在这个练习里，外面的世界就是 `outside`：只有经过它的事才会被模拟、被计数，也才会在路上丢失。",
    ),
    really_waits=("`{name}` really waits, with `{what}`.", "`{name}` 用 `{what}` 真的在等待。"),
    really_waits_next=(
        "The check runs it thousands of times. `ctx.sleep(seconds)` waits in simulated time.",
        "检查会运行它几千次。请用 `ctx.sleep(seconds)`，它在模拟时间里等待。",
    ),
    salted_hash=(
        "`{name}` uses `{what}`, which gives another number in every process.",
        "`{name}` 用了 `{what}`，它在每个进程里给出的数都不同。",
    ),
    salted_hash_next=(
        "Python salts the hash of a text anew at every start: a key made of it changes with the process. Use"
        " the text itself, or `hashlib`.",
        "Python 每次启动都会换一次字符串哈希的盐：用它做的键会随进程变化。请直接用文本本身，或用 `hashlib`。",
    ),
    stopped=("The check stopped: {what}.", "检查中断：{what}。"),
    stopped_next=(
        "Nothing was decided. Look at the last line that you changed.",
        "没有得出结论。看看你最后改动的那一行。",
    ),
    cell_syntax=("The answer cell is no Python yet: {what}.", "答案单元格还不是合法的 Python：{what}。"),
    cell_syntax_next=("Run the cell: Python shows the place.", "运行一下这个单元格，Python 会指出位置。"),
    cell_raised=("The answer cell stops: {what}.", "答案单元格运行时中断：{what}。"),
    cell_raised_next=(
        "The cell is run alone, in a fresh Python. It must work there.",
        "这个单元格会在全新的 Python 里单独运行，它必须能独立运行。",
    ),
    cell_needs=(
        "The answer cell uses `{what}`, which another cell defines.",
        "答案单元格用到了 `{what}`，而它是在别的单元格里定义的。",
    ),
    cell_needs_next=(
        "The cell is run alone. Put `{what}` into the answer cell too.",
        "这个单元格会单独运行。请把 `{what}` 也放进答案单元格。",
    ),
    too_long=(
        "It was not finished after {what} seconds and was stopped.",
        "{what} 秒后还没有结束，已被停止。",
    ),
    too_long_next=(
        "Look for a loop that never ends.",
        "看看有没有停不下来的循环。",
    ),
    too_much_memory=("It wanted more than {what} MB of memory.", "它需要的内存超过 {what} MB。"),
    too_much_memory_next=("Look for something that grows without end.", "看看有没有无限增长的东西。"),
    ended_itself=(
        "Its Python ended without a result ({what}).",
        "它的 Python 进程没有给出结果就结束了（{what}）。",
    ),
    ended_itself_next=(
        "A tool returns what the model is told. It does not end the process.",
        "工具应当返回要告诉模型的内容，而不是结束进程。",
    ),
    no_answer=("The notebook has no answer cell.", "笔记本里没有答案单元格。"),
    no_answer_next=(
        "Copy the answer into the lesson as `eve-replay workshop start` makes it.",
        "请把答案放进 `eve-replay workshop start` 生成的课程笔记本里。",
    ),
)

#: ``{then}`` is what Chinese says after "only" and after "even".
_BREACHES = _texts(
    twice=("{deed} is {did} {times}", "{deed}{then}会被{did}{times}"),
    missed=("{deed} is never {did}", "{deed}{then}始终不会被{did}"),
    missed_some=(
        "{deed} is {did} {times}, less often than it was wanted",
        "{deed}{then}只会被{did}{times}，比要求的少",
    ),
    extra=("something is {did} that nobody asked for", "{then}会发生没人要求的{did}"),
    lied=("the tool says that {deed} is done, which is not so", "工具{then}会说{deed}已经做完，其实没有"),
    silent=("nobody learns that {deed} may not be {did}", "{then}没有人知道{deed}可能没有{did}"),
    bothered=("a person is called for nothing", "{then}会白白打扰人"),
    hangs=("the session hangs", "会话{then}会卡住"),
    dormant=("nothing goes on by itself", "{then}没有谁会自动接着做"),
    diverged=("the replay takes another way than the record", "重放{then}会走和记录不同的路"),
    threw=("the tool ends with an error", "工具{then}会抛出错误"),
    runaway=("the tool calls the outside without end", "工具{then}会不停地调用外部"),
    wrong_answer=("the model is told something wrong", "告诉模型的内容{then}不对"),
)
#: What is done to a deed, by its effect.
_DID = _texts(
    charge=("charged", "扣款"),
    mail=("sent", "发送"),
    refund=("refunded", "退款"),
    reservation=("reserved", "预订"),
    row=("written", "写入"),
    _=("done", "执行"),
)
_DEED = Text("what was asked for", "要求做的事")
_NO_FAULT = Text("without a crash", "没有崩溃")
_CRASHES = (Text("one crash", "崩溃一次"), Text("{count} crashes", "崩溃 {count} 次"))
_LOST = (Text("one lost answer", "丢失一次回答"), Text("{count} lost answers", "丢失 {count} 次回答"))
_REFUSED = (Text("one lost request", "丢失一次请求"), Text("{count} lost requests", "丢失 {count} 次请求"))

#: Short names of what goes wrong, for a class: by diagnosis code.
CODES = _texts(
    no_key=("no key", "没有键"),
    key_ignored=("a key that the service does not look at", "服务不认键"),
    key_changed=("a key that changes when the step runs again", "重新执行时键会变"),
    key_merged=("one key for two different things", "两件事用了同一个键"),
    key_expired=("the key had expired", "键过期了"),
    checked_too_early=("looked before the first request had arrived", "查得太早"),
    noted_too_late=("noted too late", "记得太晚"),
    memory_lost=("remembered in the process's memory", "记在进程内存里"),
    pending_forever=("a claim that stays pending", "占位一直是 pending"),
    claimed_not_done=("claimed, never done", "占了位却没做"),
    claim_ignored=("found the claim and acted all the same", "看到占位却照样做"),
    claim_released=("the claim was given back too early", "占位释放得太早"),
    answer_lost=("a lost answer taken for a refusal", "把丢失的回答当成失败"),
    outside_a_step=("acted outside a step", "在步骤之外做事"),
    diverged=("another way in the replay", "重放时走了别的路"),
    threw=("ends with an error", "抛出错误"),
    runaway=("calls without end", "不停地调用"),
    hangs=("stuck for good", "永远卡住"),
    person_not_needed=("a person told for nothing", "白白打扰了人"),
    not_asked_for=("did what nobody asked for", "做了没人要求的事"),
    wrong_answer=("a wrong answer", "答错了"),
    not_protected=("not protected", "没有保护"),
    not_done=("not done", "没有做"),
    other_deed=("acted, but not recognisably for this", "做了，但看不出是为这件事"),
    uses_files=("keeps its memory in a file", "把记录放在文件里"),
    uses_machine=("asks the machine it runs on", "依赖所在的机器"),
    uses_network=("reaches round `outside`", "绕过 `outside` 联网"),
    wrong_session=("another session", "找错了会话"),
    not_doubled=("a wish taken for a repeat", "把新的意图当成了重复"),
    missed_one=("a repeat that was missed", "漏了一个重复"),
    wrong_kept=("the charge to keep", "要保留的扣款不对"),
    wrong_refund=("the refund", "退款不对"),
    wrong_crash=("where it crashed", "崩溃的位置不对"),
    key_late=("a key that is not known in time", "键知道得太晚"),
    unknown_field=("a field that is not there", "没有这个字段"),
    no_tools=("the repair is missing", "还没有修工具"),
    not_a_dict=("no report", "不是报告"),
    open=("questions still open", "还有问题没回答"),
    missing=("the function is gone", "函数不见了"),
    not_a_function=("not a function", "不是函数"),
    parameters=("other parameters", "参数不对"),
    generator=("a generator", "写成了生成器"),
    looks_inside=("goes past `outside`", "绕过了 `outside`"),
    really_waits=("really waits", "真的在等待"),
    salted_hash=("a hash that each process makes anew", "每个进程都不同的哈希"),
    stopped=("the check stopped", "检查中断"),
    cell_syntax=("no Python yet", "还不是合法的 Python"),
    cell_raised=("the cell stops", "单元格运行中断"),
    cell_needs=("needs another cell", "依赖别的单元格"),
    too_long=("never ends", "停不下来"),
    too_much_memory=("grows without end", "无限增长"),
    ended_itself=("ends its process", "结束了进程"),
    no_answer=("no answer cell", "没有答案单元格"),
    # lesson 2
    not_begun=("counts a step that had not begun", "把还没开始的步骤也算上"),
    may_have_acted=("not returned taken for not done", "没有返回就当成没有做"),
    runs_again=("not committed, and yet not run again", "没有提交却以为不会再执行"),
    stream_no_commit=("takes a word on the stream for the commit", "把流上的消息当成提交"),
    committed_is_safe=("runs a committed step again", "以为已提交的步骤还会执行"),
    every_attempt=("forgets earlier attempts", "漏算以前的尝试"),
    not_a_pair=("not two numbers", "不是两个数"),
    # lesson 3
    ids_change=("compares what is new on every attempt", "比较了每次尝试都会变的东西"),
    other_turn=("the same words in another turn taken for one wish", "把另一轮里同样的话当成同一个意图"),
    other_place=("two wishes in one turn taken for one", "把同一轮里的两个意图当成一个"),
    other_session=("two conversations taken for one", "把两个会话当成一个"),
    other_wish=("another wish in the same place taken for the same", "把同一位置的另一个意图当成同一个"),
    not_a_bool=("not True or False", "不是 True 或 False"),
    # lesson 8
    flue_runs_again=("runs an ordinary call again, as eve does", "像 eve 那样重新执行普通调用"),
    flue_not_never=("no outcome taken for did not happen", "没有结果就当成没有发生"),
    flue_open_kept=("keeps what is not on record", "保留了没有记录的东西"),
    flue_kept=("does not keep what is on record", "没有保留已经记录的结果"),
    flue_never_ran=("a call of an unfinished message", "没写完的消息里的调用"),
    flue_durable=("the exception for durable tools", "漏了 durable 工具这个例外"),
    flue_withdrawn=("durable no longer", "已经不再声明 durable"),
    flue_budget=("no attempt left", "次数已经用完"),
    flue_word=("a word that is not in the table", "用了表里没有的词"),
)


def remark(code: str, language: Language, **facts: object) -> str:
    """Return one sentence; empty for a code without one."""
    text = REMARKS.get(code)
    return text.get(language).format_map(facts) if text is not None else ""


def short(code: str, language: Language) -> str:
    """Return the short name of a failure; its code where it has none."""
    text = CODES.get(code)
    return text.get(language) if text is not None else code


def faults_words(schedule: tuple[Fault, ...], language: Language) -> str:
    """Return ``one crash and one lost answer``: what went wrong, counted."""
    kinds = (
        (_CRASHES, sum(each.kind.startswith("crash") for each in schedule)),
        (_LOST, sum(each.kind == "lost" for each in schedule)),
        (_REFUSED, sum(each.kind == "refused" for each in schedule)),
    )
    words = [texts[count > 1].get(language).format(count=count) for texts, count in kinds if count]
    return ("、" if language == "zh" else " and ").join(words) or _NO_FAULT.get(language)


def headline(outcome: Outcome, breach: Breach, language: Language) -> str:
    """Return in one sentence what is not kept, and what was enough for it."""
    deed = breach.deed
    words = f"“{deed.text.get(language)}”" if deed is not None and deed.words else _DEED.get(language)
    entries = [each for each in outcome.ledger if each.number in breach.entries]
    effect = deed.effect if deed is not None else entries[0].effect if entries else ""
    count = outcome.count(deed) if deed is not None else len(entries)
    # The same thing may be wanted more than once: then it was done, and not often enough.
    some = "missed-some" if breach.code == "missed" and count else breach.code
    text = _BREACHES.get(some)
    facts = {
        "deed": words,
        "did": _DID.get(effect, _DID["-"]).get(language),
        "times": _times(count, language),
        "then": "就" if outcome.schedule else "也",
    }
    what = text.get(language).format_map(facts) if text is not None else breach.code
    faults = faults_words(outcome.schedule, language)
    if language == "zh":
        return f"还不行：{'只要' if outcome.schedule else '即使'}{faults}，{what}。"
    return f"Not yet: {faults}, and {what}." if outcome.schedule else f"Not yet, even {faults}: {what}."


def _times(count: int, language: Language) -> str:
    if language == "zh":
        return "两次" if count == 2 else f" {count} 次"
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
