"""What is said of each part of a report on an incident: where to look, never what to write."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eve_replay.workshop.model import Text

__all__ = ["HINTS", "PARTS", "WORDS"]

#: The parts of a report, in the order in which they are looked at.
PARTS: Mapping[str, Text] = MappingProxyType(
    {
        "session": Text("the session", "会话"),
        "twice": Text("what happened twice", "发生了两次的事"),
        "kept": Text("the charge to keep", "要保留的扣款"),
        "refund": Text("the refund", "退款"),
        "crash": Text("where it crashed", "崩溃的位置"),
        "key": Text("the key", "键"),
    }
)

WORDS: Mapping[str, Text] = MappingProxyType(
    {
        "not-a-dict": Text(
            "The report is a dict with the parts session, twice, kept, refund, crash and key.",
            "报告应该是一个字典，包含 session、twice、kept、refund、crash、key 这几项。",
        ),
        "right-so-far": Text("Right: {parts}.", "正确：{parts}。"),
        # -- session
        "session-empty": Text(
            "No session is named yet. why with the ledger puts the worst one first.",
            "还没有填会话。带上账本运行 why，最严重的会排在最前面。",
        ),
        "session-unknown": Text("{given} is no session of {incident}.", "{incident} 里没有会话 {given}。"),
        "session-again": Text(
            "In {given} a step was executed again too (step {step} of {turn}), but the ledger has no more"
            " lines than wishes. Look for a call with two lines.",
            "{given} 里也有步骤重新执行过（{turn}，步骤 {step}），但账本里的行并不比意图多。要找的是一个调用"
            "有两行的。",
        ),
        "session-wanted": Text(
            "In {given} every step was executed once. Lines of the ledger that look alike there were asked"
            " for by different calls: compare turn, step and position in mine.calls(...).",
            "{given} 里每个步骤都只执行了一次。那里看起来相同的行，是不同的调用分别要求的：在 "
            "mine.calls(...) 里比较轮、步骤和位置。",
        ),
        # -- twice
        "twice-empty": Text(
            "Nothing is named as done twice. In {turn}, step {step}, compare each call with its lines in the"
            " ledger.",
            "还没有填发生了两次的事。看 {turn} 的步骤 {step}，把每个调用和它在账本里的行对照一下。",
        ),
        "twice-unknown": Text(
            "{given} is neither a call id nor the id of a line in the ledger.",
            "{given} 既不是调用 id，也不是账本里某一行的 id。",
        ),
        "twice-silent": Text(
            "{tool} ({given}) only reads. It may have run in both attempts, but the ledger has no line of it:"
            " nothing outside was done twice.",
            "{tool}（{given}）只读数据。它可能在两次尝试里都执行过，但账本里没有它的行：外部没有什么事做了"
            "两次。",
        ),
        "twice-single": Text(
            "{given} ({tool}) belongs to one wish ({turn}, step {step}, position {position}), and the"
            " ledger has one line for that wish.",
            "{given}（{tool}）属于单独的一个意图（{turn}，步骤 {step}，位置 {position}），账本里这个意图只"
            "有一行。",
        ),
        "twice-more": Text(
            "What you name did happen twice. It is not all: attempt 1 of {turn}, step {step} asked for more"
            " than one call. Count the lines of each.",
            "你填的确实发生了两次，但还不是全部：{turn} 步骤 {step} 的第 1 次尝试要求的调用不止一个。数一数"
            "每个调用有几行。",
        ),
        # -- kept and refund
        "kept-none": Text(
            "No charge was made twice here, so there is none to choose: count the lines of each charge call"
            " of that step. Leave kept and refund empty.",
            "这里没有哪一笔扣款发生了两次，所以没有可选的：数一数那一步里每个扣款调用有几行。kept 和 "
            "refund 都留空。",
        ),
        "kept-empty": Text(
            "One charge of the pair stays. Which of the two does the session itself know? Look at the result"
            " of the attempt that was committed.",
            "这一对扣款里有一笔要保留。会话自己知道的是哪一笔？看看已提交的那次尝试的结果。",
        ),
        "kept-lost": Text(
            "{given} was charged, but the result that names it was never committed: the session does not know"
            " it, and a later refund by the agent would look for the other one. Look at the attempt that was"
            " committed.",
            "{given} 确实扣了款，但写着它的结果从未提交：会话不知道有这一笔，以后 agent 要退款时会去找另一"
            "笔。请看已提交的那次尝试。",
        ),
        "kept-other": Text(
            "{given} belongs to another call than the one that was charged twice.",
            "{given} 属于另一个调用，不是扣了两次款的那个。",
        ),
        "refund-none": Text(
            "No charge has to go back here. Giving {given} back would take money for something that was"
            " ordered.",
            "这里没有扣款要退。退掉 {given}，就等于白送了客户订的东西。",
        ),
        "refund-empty": Text(
            "A customer is still out of money: one line of the ledger is one too many.",
            "客户多付的钱还没有退：账本里多了一行扣款。",
        ),
        "refund-kept": Text(
            "{given} is the charge that the session's record names, the one that the customer was told about."
            " The other one of the pair has to go back.",
            "{given} 是会话记录里写着的那一笔，也是告诉过客户的那一笔。要退的是这一对里的另一笔。",
        ),
        "refund-wanted": Text(
            "{given} was wanted: it is for {about}, which was asked for once and charged once.",
            "{given} 是该收的：它对应 {about}，只要求过一次，也只扣过一次。",
        ),
        "refund-unknown": Text("The ledger has no charge {given}.", "账本里没有扣款 {given}。"),
        "refund-mail": Text(
            "{given} is no charge. A mail cannot be given back; that is why its key matters as much.",
            "{given} 不是扣款。邮件退不回来，所以它的键同样重要。",
        ),
        # -- crash
        "crash-unknown": Text(
            "{given} is no word for where a process dies. Use one of these: {classes}.",
            "没有“{given}”这个位置。请从这些里选一个：{classes}。",
        ),
        "crash-empty": Text(
            "Where the process died is still open: crash is one of {classes}.",
            "还没写进程死在哪里：crash 是这些里的一个：{classes}。",
        ),
        "crash-in-model": Text(
            "In the attempt that was interrupted, the model had answered: the stream has its request for"
            " tools (actions.requested).",
            "在被中断的那次尝试里，模型已经回答了：流上有它要求的工具调用（actions.requested）。",
        ),
        "crash-in-tool": Text(
            "Look at attempt 1 of {turn}, step {step}: every call that it asked for has a result. No tool was"
            " running any more.",
            "看 {turn} 步骤 {step} 的第 1 次尝试：它要求的每个调用都有结果，已经没有工具在执行了。",
        ),
        "crash-tools-returned": Text(
            "Look at attempt 1 of {turn}, step {step}: one of the calls that it asked for has no result.",
            "看 {turn} 步骤 {step} 的第 1 次尝试：它要求的调用里，有一个没有结果。",
        ),
        "crash-committed": Text(
            "A committed step is answered from its record and is not executed again. This one was.",
            "已提交的步骤直接用记录里的结果，不会再执行。而这个步骤又执行了一遍。",
        ),
        "crash-other": Text(
            "Look at the last sign of attempt 1 of {turn}, step {step}: which calls had a result, and which"
            " had none?",
            "看 {turn} 步骤 {step} 第 1 次尝试的最后一个迹象：哪些调用有结果，哪些没有？",
        ),
        # -- key
        "key-empty": Text(
            "The key of {tool} is still empty. Name the fields it is made of.",
            "{tool} 的键还是空的。请填它由哪些字段组成。",
        ),
        "key-unknown": Text(
            "{tool} knows no field {given}. It knows: {fields}.",
            "{tool} 不知道字段 {given}。它知道的有：{fields}。",
        ),
        "key-late": Text(
            "{given} is known only after the outside has acted, or is new every time. A key has to be there"
            " before, and has to be the same again.",
            "{given} 要等外部执行之后才知道，或者每次都是新的。键必须事先就有，而且下一次还得一样。",
        ),
        "key-changed": Text(
            "With this key both lines of the call that was done twice have different keys: {first} and"
            " {second}. The outside would have done it twice again.",
            "用这个键，做了两次的那个调用会得到两个不同的键：{first} 和 {second}。外部还是会做两次。",
        ),
        "key-merged": Text(
            "With this key two wishes get one key: {first} and {second} would both be {key}. One of them"
            " would never be done.",
            "用这个键，两个不同的意图会得到同一个键：{first} 和 {second} 都是“{key}”。其中一个就永远"
            "不会做了。",
        ),
        # -- part B
        "no-tools": Text(
            "Part A is right. Part B is open: repair the tools and put them into the report,"
            ' report["tools"] = {{"charge_order": charge_order, "send_mail": send_mail}}.',
            "A 部分全对。还有 B 部分：修好工具，放进报告里："
            'report["tools"] = {{"charge_order": charge_order, "send_mail": send_mail}}。',
        ),
        "no-tool": Text("Part B: {tool} is missing in the tools.", "B 部分：tools 里缺少 {tool}。"),
        "tool": Text("Part A is right. Part B, {tool}: {words}", "A 部分全对。B 部分，{tool}：{words}"),
    }
)

HINTS: Mapping[str, Text] = MappingProxyType(
    {
        "wrong-session": Text(
            "Two things must come together: a step that was executed again, and more lines in the ledger than"
            " wishes.",
            "两件事要同时出现：有步骤重新执行过，而且账本里的行比意图多。",
        ),
        "not-doubled": Text(
            "An effect is doubled when one call has two lines. A line that looks like another one is"
            " none yet.",
            "一个调用有两行，才是重复。只是看起来相同的两行还不算。",
        ),
        "missed-one": Text(
            "A step runs again as a whole: every tool of it, also those that had returned.",
            "步骤是整个重新执行的：里面的每个工具都会再执行，包括已经返回的。",
        ),
        "wrong-kept": Text(
            "The journal keeps the result of the attempt that was committed. In the explorer, look at the"
            " step's output, or at the last row of that call in mine.calls(...).",
            "日志保留的是已提交的那次尝试的结果。在日志查看器（explorer）里看这个步骤的输出，或者看 "
            "mine.calls(...) 里这个调用的最后一行。",
        ),
        "wrong-refund": Text(
            "Of the two lines of one call, one is in the session's record and one is not.",
            "同一个调用的两行里，一行在会话的记录里，另一行不在。",
        ),
        "wrong-crash": Text(
            "Compare the attempts (attempt_diff): what does attempt 1 have, and where does it stop?",
            "比较两次尝试（attempt_diff）：第 1 次尝试里有什么，停在哪里？",
        ),
        "no-key": Text(
            "What names this deed, and no other? The input, or its place in the conversation.",
            "什么能说明是这件事，而不是别的事？输入，或者它在会话里的位置。",
        ),
        "unknown-field": Text(
            "A key is made of the tool's input and of what the runtime tells it.",
            "键由工具的输入和运行时告诉它的东西组成。",
        ),
        "key-late": Text(
            "The tool that runs a second time knows nothing of the first. What do both know?",
            "第二次执行的工具对第一次一无所知。两次都知道的是什么？",
        ),
        "no-tools": Text(
            "Write both tools so that every deed is done once, however often the step runs.",
            "把两个工具都改好：不管步骤执行多少遍，每件事都只做一次。",
        ),
    }
)
