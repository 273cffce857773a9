"""What Chinese customers of the incidents wrote, in English: tables of the English edition show this.

The recordings are as they are, and so are widgets and reports; a gloss is for reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from eve_replay.workshop.model import Language

__all__ = ["gloss"]

_NAMES = {
    "李蔚": "Li Wei",
    "王若琳": "Wang Ruolin",
    "赵明": "Zhao Ming",
    "陈思远": "Chen Siyuan",
    "孙佳怡": "Sun Jiayi",
    "林小雨": "Lin Xiaoyu",
    "马超": "Ma Chao",
    "何静": "He Jing",
    "周岚": "Zhou Lan",
}
_HAN = re.compile(r"[\u4e00-\u9fff]")
_Made = Callable[[re.Match[str]], str]
_PATTERNS: tuple[tuple[re.Pattern[str], _Made], ...] = tuple(
    (re.compile(f"^{pattern}$"), made)
    for pattern, made in (
        (r"订单 (\d+) 收据", lambda m: f"Receipt for order {m[1]}"),
        (r"订单 (\d+) 尾款收据", lambda m: f"Receipt for the balance of order {m[1]}"),
        (
            r"订单 (\d+) 收款 (\d+) 元，收据发到 (\S+)",
            lambda m: f"Charge order {m[1]}, {m[2]} yuan, receipt to {m[3]}",
        ),
        (
            r"订单 (\d+) 收款 (\d+) 元，(?:收据发给|同时给)(\S+?)(?:发收据)?",
            lambda m: f"Charge order {m[1]}, {m[2]} yuan, and mail {_name(m[3])} the receipt",
        ),
        (
            r"(\S+?)又订了一套：订单 (\d+) 收款 (\d+) 元并发收据",
            lambda m: f"{_name(m[1])} ordered another set: charge order {m[2]}, {m[3]} yuan, and mail it",
        ),
        (
            r"(\S+?)又买了一份：订单 (\d+) 收款 (\d+) 元",
            lambda m: f"{_name(m[1])} bought one more: charge order {m[2]}, {m[3]} yuan",
        ),
        (
            r"订单 (\d+) 有两张发票，各 (\d+) 元，请都收款",
            lambda m: f"Order {m[1]} has two invoices of {m[2]} yuan each: charge both",
        ),
        (
            r"订单 (\d+) 收定金 (\d+) 元（(\S+?)）",
            lambda m: f"Charge the deposit of order {m[1]}, {m[2]} yuan ({_name(m[3])})",
        ),
        (
            r"订单 (\d+) 收款 (\d+) 元（(\S+?)），并发收据",
            lambda m: f"Charge order {m[1]}, {m[2]} yuan ({_name(m[3])}), and mail the receipt",
        ),
        (
            r"订单 (\d+) 收款 (\d+) 元（(\S+?)），然后查物流",
            lambda m: f"Charge order {m[1]}, {m[2]} yuan ({_name(m[3])}), then look where it is",
        ),
        (
            r"订单 (\d+) 收款 (\d+) 元（(\S+?)）",
            lambda m: f"Charge order {m[1]}, {m[2]} yuan ({_name(m[3])})",
        ),
        (r"订单 (\d+) 什么时候发货？", lambda m: f"When is order {m[1]} sent?"),
        (r"花瓶到货时碎了", lambda m: "The vase arrived broken"),
    )
)


def gloss(text: str, language: Language) -> str:
    """Return a text of an incident in the language of the edition; as it was written where it is right."""
    if language == "zh" or not _HAN.search(text):
        return text
    if text in _NAMES:
        return _NAMES[text]
    for pattern, made in _PATTERNS:
        match = pattern.match(text)
        if match is not None:
            return made(match)
    return text


def _name(text: str) -> str:
    return _NAMES.get(text, text)
