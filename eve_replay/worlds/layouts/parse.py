"""TOML to a layout, with errors that name the place in the file and what may stand there."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from eve_replay.errors import WrongUse
from eve_replay.worlds.layouts.model import FORMS, MANY, NEEDED, PARTS, READERS, Join, Layout, Part, Rule

__all__ = ["parse_layout"]

_TOP = ("name", "title", "reader", "package", "recorded", "payload", "prefix", "telling", "note", *PARTS)
_PART = ("table", "key", "index", "value", "fields", "merge", "ignore", "join", "blocks", "where")
_VALUES = ("json", "hash", *MANY)
_BLOCKS = ("eveland",)


class _Fault(ValueError):
    """What is wrong, and where in the file."""


def parse_layout(text: str, origin: str = "layout") -> Layout:
    """Return the layout that a TOML text describes.

    Args:
        text: the TOML.
        origin: the file, for the error.

    Raises:
        WrongUse: it is no TOML or no layout; the message names the key and what may stand there.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise WrongUse(
            f"{origin} is no TOML: {str(error).rstrip('.')}.", hint="See docs/layouts.md for the form."
        ) from None
    try:
        return _layout(data, origin)
    except _Fault as error:
        raise WrongUse(f"{origin}: {error}", hint="See docs/layouts.md for the form.") from None


def _layout(data: Mapping[str, Any], origin: str) -> Layout:
    _known(data, _TOP, "")
    reader = _one_of(data, "reader", READERS, "")
    parts = {name: _part(name, data[name], reader) for name in PARTS if name in data}
    missing = [name for name in NEEDED if name not in parts]
    if missing:
        raise _Fault(f"there is no [{missing[0]}]; runs, steps and events are needed.")
    recorded = data.get("recorded", [])
    if not isinstance(recorded, list) or not all(isinstance(item, str) for item in recorded):
        raise _Fault("recorded must be a list of texts.")
    unfilled = [place for name, part in parts.items() for place in _unfilled(name, part)]
    if unfilled:
        verb = "is" if len(unfilled) == 1 else "are"
        raise _Fault(f'{", ".join(unfilled)} {verb} still "?": put the name that your store uses there.')
    return Layout(
        name=_text(data, "name", "", needed=True),
        title=_text(data, "title", "") or _text(data, "name", ""),
        reader=reader,
        package=_text(data, "package", ""),
        recorded=tuple(recorded),
        payload=_form(data.get("payload", "document"), "payload"),
        prefix=_text(data, "prefix", ""),
        parts=parts,
        telling=_telling(data.get("telling", {})),
        note=_text(data, "note", ""),
        origin=origin,
    )


def _part(name: str, data: Any, reader: str) -> Part:
    where = f"[{name}]"
    if not isinstance(data, Mapping):
        raise _Fault(f"{where} must be a table.")
    _known(data, _PART, where)
    if reader == "keys":
        if "table" in data:
            raise _Fault(f"{where} has a table, and this layout reads keys: give key or index.")
        if "key" not in data and not (name == "streams" and "index" in data):
            raise _Fault(f"{where} needs key, for example '{{prefix}}:run:{{runId}}'.")
    elif "table" not in data:
        raise _Fault(f"{where} needs table.")
    fields = data.get("fields", {})
    if not isinstance(fields, Mapping):
        raise _Fault(f"{where}.fields must be a table of field = column.")
    part = Part(
        name=name,
        table=_text(data, "table", where),
        key=_text(data, "key", where),
        index=_text(data, "index", where),
        value=_one_of(data, "value", _VALUES, where, "json"),
        fields={field: _rules(value, f"{where}.fields.{field}") for field, value in fields.items()},
        merge=tuple(rule for item in _list(data.get("merge", [])) for rule in _rules(item, f"{where}.merge")),
        ignore=frozenset(str(item) for item in _list(data.get("ignore", []))),
        join=_join(data.get("join"), where),
        blocks=_one_of(data, "blocks", _BLOCKS, where, ""),
        where=_where(data.get("where", {}), where),
    )
    if name == "chunks" and reader != "keys":
        for needed in ("stream", "data"):
            if needed not in part.fields:
                raise _Fault(f"{where}.fields needs {needed}: which column holds it?")
    return part


def _unfilled(name: str, part: Part) -> list[str]:
    """Return the places of a draft that nobody has filled in."""
    places = [f"[{name}].{key}" for key, value in (("table", part.table), ("key", part.key)) if value == "?"]
    return places + [
        f"[{name}].fields.{field}"
        for field, rules in part.fields.items()
        if any(r.column == "?" for r in rules)
    ]


def _rules(value: Any, where: str) -> tuple[Rule, ...]:
    """Return the rules of a field: a column, ``{column, form}``, or a list of these, tried in turn."""
    if isinstance(value, list):
        if not value:
            raise _Fault(f"{where} is an empty list.")
        return tuple(rule for item in value for rule in _rules(item, where))
    if isinstance(value, str):
        return (Rule(column=value),)
    if not isinstance(value, Mapping):
        raise _Fault(f"{where} must be a column, or {{column = ..., form = ...}}.")
    _known(value, ("column", "form", "path"), where)
    return (
        Rule(
            column=_text(value, "column", where, needed=True),
            form=_form(value["form"], where) if "form" in value else "",
            path=_text(value, "path", where),
        ),
    )


def _join(value: Any, where: str) -> Join | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise _Fault(f"{where}.join must be {{table = ..., on = ...}}.")
    _known(value, ("table", "on"), f"{where}.join")
    return Join(
        table=_text(value, "table", f"{where}.join", needed=True),
        on=_text(value, "on", f"{where}.join", needed=True),
    )


def _where(value: Any, where: str) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(isinstance(each, str) for each in value.values()):
        raise _Fault(f'{where}.where must be a table of column = "value".')
    return {str(column): str(each) for column, each in value.items()}


def _telling(value: Any) -> dict[str, frozenset[str]]:
    if not isinstance(value, Mapping):
        raise _Fault("telling must be a table of table = [columns].")
    return {str(table): frozenset(str(item) for item in _list(columns)) for table, columns in value.items()}


def _form(value: Any, where: str) -> str:
    if value not in FORMS:
        raise _Fault(f"{where}: there is no form {value!r}{_near(value, FORMS)}. Known: {', '.join(FORMS)}.")
    return str(value)


def _one_of(data: Mapping[str, Any], key: str, known: Iterable[str], where: str, default: Any = None) -> str:
    value = data.get(key, default)
    if value == default and default is not None:
        return str(default)
    if value not in known:
        raise _Fault(f"{where}{'.' if where else ''}{key} must be one of {', '.join(known)}, not {value!r}.")
    return str(value)


def _text(data: Mapping[str, Any], key: str, where: str, *, needed: bool = False) -> str:
    value = data.get(key, "")
    if not isinstance(value, str) or (needed and not value):
        raise _Fault(f"{where}{'.' if where else ''}{key} must be a text{' and is missing' * (not value)}.")
    return value


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _known(data: Mapping[str, Any], names: Iterable[str], where: str) -> None:
    for key in data:
        if key not in names:
            raise _Fault(
                f"{where}{' has' if where else 'there is'} an unknown key {key!r}{_near(key, names)}."
                f" Known: {', '.join(names)}."
            )


def _near(value: object, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(str(value), list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
