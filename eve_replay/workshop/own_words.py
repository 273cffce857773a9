"""Headings and notes of the last lesson's sheets, in both languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from eve_replay.workshop.model import Text

__all__ = ["COLUMNS", "EMPTY", "NOTES", "TITLES"]

_SESSION = Text("session", "会话")

TITLES: Mapping[str, Text] = MappingProxyType(
    {
        "overview": Text("What is in this journal?", "这份日志里有什么？"),
        "again": Text("Which steps ran again?", "哪些步骤又执行了一遍？"),
        "effects": Text("What may have happened twice?", "什么可能发生了两次？"),
        "keys": Text("Which protection would survive a re-run?", "重新执行时，哪种保护还有效？"),
        "crash-now": Text(
            "If the process died now, what would happen when it is back?",
            "如果进程现在死掉，回来以后会怎样？",
        ),
        "waiting": Text("What waits, and for whom?", "什么在等待？等谁？"),
    }
)

COLUMNS: Mapping[str, Sequence[Text]] = MappingProxyType(
    {
        "overview": (
            _SESSION,
            Text("kind", "种类"),
            Text("status", "状态"),
            Text("turns", "轮数"),
            Text("steps", "步骤数"),
            Text("title", "标题"),
        ),
        "again": (
            _SESSION,
            Text("turn and step", "轮和步骤"),
            Text("function", "函数"),
            Text("attempts", "尝试次数"),
            Text("how they ended", "结局"),
        ),
        "effects": (
            _SESSION,
            Text("turn", "轮"),
            Text("call", "调用"),
            Text("runs", "执行次数"),
            Text("certainty", "确定程度"),
            Text("in the ledger", "账本里"),
            Text("protection", "保护"),
        ),
        "keys": (
            Text("tool", "工具"),
            Text("calls", "调用数"),
            Text("protection", "保护"),
            Text("known from", "依据"),
            Text("survives a re-run", "重新执行后还有效"),
            Text("call ids when asked again", "再问模型时的调用 id"),
        ),
        "crash-now": (
            _SESSION,
            Text("outcome", "结局"),
            Text("brought about by", "靠什么恢复"),
            Text("effects, how often in the end", "副作用最终几次"),
            Text("in words", "说明"),
        ),
        "waiting": (
            _SESSION,
            Text("what", "情况"),
            Text("in words", "说明"),
            Text("next safe step", "下一步安全的做法"),
        ),
    }
)

#: What is said instead of an empty table.
EMPTY: Mapping[str, Text] = MappingProxyType(
    {
        "overview": Text("There is no session and no run in it.", "里面没有会话，也没有运行。"),
        "again": Text(
            "No step ran more than once: nothing was repeated so far.",
            "没有哪个步骤执行过一遍以上：到目前为止没有重复。",
        ),
        "effects": Text(
            "The journal shows no effect that ran twice or may have.",
            "日志里没有哪个副作用执行了两次或可能执行了两次。",
        ),
        "keys": Text("No tool was called.", "没有调用过工具。"),
        "crash-now": Text(
            "Nothing is open: a crash now would repeat nothing.",
            "没有未完成的事：现在崩溃，什么也不会重复。",
        ),
        "waiting": Text("Nothing waits, and nothing is stuck.", "没有在等待的，也没有卡住的。"),
    }
)

NOTES: Mapping[str, Text] = MappingProxyType(
    {
        "more-rows": Text("{count} more rows are not shown.", "还有 {count} 行没有显示。"),
        "more-sessions": Text(
            "Only the newest {most} sessions were read; {count} older ones were not.",
            "只读了最新的 {most} 个会话；更早的 {count} 个没有读。",
        ),
        "unclean": Text(
            "{count} things could not be read; `eve-replay doctor SOURCE` names them.",
            "有 {count} 处无法读取；`eve-replay doctor SOURCE` 会逐一列出。",
        ),
        "no-ledger": Text(
            "Without a ledger a request without a result stays unknown. Give one: LEDGER = a file, or rows.",
            "没有账本，没有结果的请求就只能是“未知”。请提供账本：LEDGER = 一个文件，或者若干行数据。",
        ),
        "policy": Text(
            "A protection `known from hint` is guessed from the tool's name. Say what you know in EFFECTS.",
            "依据是 hint 的保护，只是从工具名猜的。请把你知道的写进 EFFECTS。",
        ),
        "eve": Text(
            "Give EVE the version you deploy next: sessions that it will not pick up are then named.",
            "在 EVE 里填上你接下来要部署的版本，就会列出它不会接手的会话。",
        ),
        "survives-yes": Text("yes", "有效"),
        "survives-no": Text("no", "无效"),
        "survives-depends": Text("it depends", "看情况"),
        "survives-unknown": Text("unknown until you say how it is protected", "未知，要你说明它怎样受保护"),
        "ids-unseen": Text("never seen: no call was asked for again", "没见过：没有哪个调用再次要求过"),
        "ids-same": Text("the same, {count} of {count} times", "相同：{count} 次里有 {count} 次"),
        "ids-changed": Text("changed, {changed} of {count} times", "变了：{count} 次里有 {changed} 次"),
    }
)
