"""What the outside says to a request that makes no sense, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from eve_replay.workshop.model import Text

__all__ = ["REFUSALS"]

#: What the outside says when a request makes no sense.
REFUSALS: Mapping[str, Text] = MappingProxyType(
    {
        "not-text": Text(
            en="{call}: {name} must be text that is not empty, it was {value}",
            zh="{call}：{name} 必须是非空文本，收到的是 {value}",
        ),
        "key-long": Text(
            en="{call}: {name} may have {limit} characters at most, it was {value}",
            zh="{call}：{name} 最多 {limit} 个字符，收到的是 {value}",
        ),
        "not-whole": Text(
            en="{call}: {name} must be a whole number, {least} or more, it was {value}",
            zh="{call}：{name} 必须是不小于 {least} 的整数，收到的是 {value}",
        ),
        "not-seconds": Text(
            en="{call}: {name} must be a number of seconds above 0, it was {value}",
            zh="{call}：{name} 必须是大于 0 的秒数，收到的是 {value}",
        ),
        "not-json": Text(
            en="{call}: {name} must be plain data (text, numbers, lists, dicts), it held {value}",
            zh="{call}：{name} 必须是普通数据（文本、数字、列表、字典），其中含有 {value}",
        ),
        "name-taken": Text(
            en="{call}: a field cannot be called {name}, that name is taken",
            zh="{call}：字段不能叫 {name}，这个名字已被占用",
        ),
        "no-charge": Text(en="{call}: there is no charge {value}", zh="{call}：没有扣款 {value}"),
        "refunded": Text(
            en="{call}: the charge {value} was given back before", zh="{call}：扣款 {value} 之前已经退款"
        ),
        "not-number": Text(
            en="{call}: the key {name} holds {value}, which is not a whole number",
            zh="{call}：键 {name} 的值是 {value}，不是整数",
        ),
        "not-columns": Text(
            en='{call}: {name} must name columns, such as ("id",), it was {value}',
            zh='{call}：{name} 必须是列名，例如 ("id",)，收到的是 {value}',
        ),
        "no-columns": Text(
            en="{call}: a row of table {name} needs a column", zh="{call}：表 {name} 的一行至少要有一列"
        ),
        "column-missing": Text(
            en="{call}: the unique column {name} is missing in the row for table {value}",
            zh="{call}：要写入表 {value} 的行缺少唯一列 {name}",
        ),
        "not-where": Text(
            en="{call}: {name} must be a dict of columns and values, it was {value}",
            zh="{call}：{name} 必须是“列名：值”的字典，收到的是 {value}",
        ),
        "not-open": Text(
            en="{call}: a transaction works inside of its with block only",
            zh="{call}：事务只能在它的 with 代码块里使用",
        ),
    }
)
