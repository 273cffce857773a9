"""Every sentence a learner reads from the engine, in English and Chinese; ``{fields}`` are filled in.

Values that come from a learner's code are made safe where they are filled in (:func:`fill`). Sentences of a
story are in :data:`TOLD`, reasons in :data:`WHY`, what to think about next in :data:`NEXT`, both by diagnosis
code, or by ``code:variant``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.words import duration
from eve_replay.workshop.explain.words_next import NEXT
from eve_replay.workshop.explain.words_told import TOLD, texts
from eve_replay.workshop.explain.words_why import WHY
from eve_replay.workshop.model import Language, Text

__all__ = [
    "EFFECTS",
    "FAULTS",
    "LABELS",
    "NEXT",
    "SERVICES",
    "TOLD",
    "WHY",
    "cut",
    "fill",
    "named",
    "quote",
    "spell",
]

#: Longer values are cut: a sentence is for reading.
_LONG = 60
_UNITS = {"ms": "毫秒", "s": "秒", "min": "分钟", "h": "小时", "day": "天", "days": "天"}


class _Fields(dict[str, str]):
    """A field that is not known says so instead of stopping a story."""

    def __missing__(self, name: str) -> str:
        return "?"


def fill(text: Text, language: Language, fields: Mapping[str, object] = MappingProxyType({})) -> str:
    """Return a sentence in a language with its fields, each made safe to draw."""
    safe = _Fields({name: safe_text(str(value)) for name, value in fields.items()})
    said = text.get(language)
    if language == "zh":  # Chinese quotation marks bring their own space
        for name, value in safe.items():
            if value.startswith("“"):
                said = said.replace(f" {{{name}}}", f"{{{name}}}").replace(f"{{{name}}} ", f"{{{name}}}")
    return said.format_map(safe)


def cut(value: object, limit: int = _LONG) -> str:
    """Return a value as text that fits into a sentence."""
    text = safe_text(str(value))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def quote(value: object, language: Language) -> str:
    """Return a value between quotation marks of the language."""
    return f"“{cut(value)}”" if language == "zh" else f"'{cut(value)}'"


def spell(seconds: float, language: Language) -> str:
    """Return a duration as a person says it: ``3 s``, ``14 min 20 s``, ``3 days``; ``3 秒``."""
    seconds = max(0.0, seconds)
    whole = round(seconds)
    if 60 <= whole < 3600:  # a lease is 14 min 20 s: the seconds tell it from a restart
        minutes, rest = divmod(whole, 60)
        said = f"{minutes} min {rest} s" if rest else f"{minutes} min"
    else:
        said = duration(seconds).replace(".0 s", " s")
    if language == "en":
        return said
    return " ".join(_UNITS.get(part, part) for part in said.split(" "))


def named(words: Mapping[str, Text], name: str, language: Language, **fields: object) -> str:
    """Return the words for a name; the name itself (made safe) when there are none."""
    text = words.get(name)
    return cut(name) if text is None else fill(text, language, fields)


#: Who acts, by service.
SERVICES = texts(
    payments=("the provider", "支付服务"),
    mail=("the mail service", "邮件服务"),
    store=("the store", "存储"),
    sql=("the database", "数据库"),
    upstream=("the upstream service", "上游服务"),
    people=("a person", "人工"),
    outbox=("the outbox worker", "发件箱的发送程序"),
)
#: Two of an effect.
EFFECTS = texts(
    charge=("the two charges", "两次扣款"),
    refund=("the two refunds", "两次退款"),
    mail=("the two mails", "两封邮件"),
    reservation=("the two reservations", "两次预订"),
    row=("the two rows", "两行数据"),
)

#: What goes wrong at a moment, in a few words.
FAULTS = texts(
    crash_before=("dies before it is sent", "发出前崩溃"),
    crash_in_flight=("dies, the request is on its way", "请求在路上时崩溃"),
    crash_after=("dies before the answer arrives", "收到回答前崩溃"),
    crash_here=("dies here", "在此崩溃"),
    lost=("done, the answer is lost", "已执行，回答丢失"),
    refused=("not done, no answer", "未执行，没有回答"),
)

#: What a moment is called in a picture.
LABELS = texts(
    process=("process {process}", "进程 {process}"),
    outside=("outside", "外部"),
    model=("model", "模型"),
    pause=("waits", "等待"),
    returned=("returned", "返回"),
    commit=("before the commit", "提交前"),
    commit_lock=("commit: lock", "提交：锁"),
    commit_record=("commit: record", "提交：记录"),
    committed=("committed", "已提交"),
    start=("starts", "启动"),
    crash=("dies", "崩溃"),
    replayed=("replayed", "取自记录"),
    landed=("lands late", "迟到"),
    acted=("acts", "执行"),
    timeout=("no answer", "没有回答"),
    threw=("error", "错误"),
    bad_request=("refused", "被拒绝"),
    asked=("asks a person", "问人"),
    told=("answered", "已回答"),
    note=("note", "备注"),
    dormant=("dormant", "休眠"),
    wedged=("wedged", "卡死"),
    diverged=("diverged", "与记录不符"),
    effect_charge=("charge", "扣款"),
    effect_refund=("refund", "退款"),
    effect_mail=("mail", "邮件"),
    effect_reservation=("reservation", "预订"),
    effect_row=("row", "行"),
    effect_person=("person", "通知人工"),
)
