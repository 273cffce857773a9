"""A JS value as a foldable tree: plain rows that a terminal, a notebook or a TUI draws.

Rows carry the JS type, a one-line text, the path to copy, and what is odd about the value: a cycle, a value
shared with another place, bytes that did not decode. Children are made when a row is opened, so a tree of
a two-megabyte payload costs what is on screen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from eve_replay.redaction.veil import glimpse, veiled
from eve_replay.values import (
    UNDEFINED,
    Boxed,
    JsBytes,
    JsError,
    JsMap,
    JsSet,
    SparseArray,
    Tagged,
    Undecoded,
    Unknown,
    type_name,
)
from eve_replay.values.paths import children, join_path
from eve_replay.views.kit.base import View
from eve_replay.views.kit.safe import cut, display_width, safe_lines, safe_text, wrap
from eve_replay.views.kit.text import Line, Span, line
from eve_replay.views.kit.tone import Tone
from eve_replay.views.kit.words import plural, size

__all__ = ["ValueNode", "ValueRow", "ValueTree", "value_lines", "value_node", "value_rows"]

_CONTAINERS = (dict, list, JsMap, JsSet, SparseArray, JsError, Tagged, Boxed, Unknown)
_PREVIEW = 200
#: A container whose preview is no longer than this is shown on one line.
_ON_A_LINE = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueNode(View):
    """One value somewhere in a tree.

    Attributes:
        path: where it is, ``$.args[0].history``: the form ``--path`` and ``Payload.at`` take.
        label: how its parent calls it: a key, ``[3]``, a Map key with ``=>``; empty for the root.
        kind: JS type word (``string``, ``object``, ``Map``, ``TypeError`` ...).
        text: one safe line: the value itself, or what a container holds.
        tone: ``warning`` for what did not decode, ``error`` for errors, ``muted`` for nothing values.
        count: how many children it has; 0 for leaves.
        value: the value itself, for front ends that copy or search it.
    """

    path: str
    label: str
    kind: str
    text: str
    tone: Tone = "plain"
    count: int = 0
    value: object = field(default=None, repr=False, compare=False)

    def to_json(self) -> dict[str, object]:
        """Return everything but the value, which may be large or cyclic."""
        return {
            "path": self.path,
            "label": self.label,
            "kind": self.kind,
            "text": self.text,
            "tone": self.tone,
            "count": self.count,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRow(View):
    """One visible row of a tree.

    Attributes:
        node: the value; None for a row that stands for several: children left out, or undefined fields.
        depth: 0 for the root.
        open: its children follow.
        note: what is odd: ``cycle to $.a``, ``same as $.b``, or the text of a row without node.
        path: the node's path, or the parent's for a row without node.
    """

    node: ValueNode | None
    depth: int
    open: bool = False
    note: str = ""
    path: str = "$"

    def to_json(self) -> dict[str, object]:
        """Return the row as JSON data."""
        return {
            "node": self.node.to_json() if self.node else None,
            "depth": self.depth,
            "open": self.open,
            "note": self.note,
            "path": self.path,
        }


def _count(value: object) -> int:
    if isinstance(value, SparseArray):
        return len(value.entries)
    if isinstance(value, (dict, list, JsMap, JsSet)):
        return len(value)
    if isinstance(value, (JsError, Tagged)):
        return len(value.fields)
    return 1 if isinstance(value, (Boxed, Unknown)) else 0


def _summary(value: object) -> tuple[str, Tone]:
    """The one-line text and tone of a value."""
    if isinstance(value, Undecoded):
        where = f" at byte {value.offset}" if value.offset is not None else ""
        return safe_text(f"undecoded: {value.reason}{where}. {value.message}".rstrip()), "warning"
    if isinstance(value, Unknown):
        return safe_text(f"{value.message}: {glimpse(value.payload, limit=_PREVIEW)}"), "warning"
    if isinstance(value, JsError):
        message = value.message
        return safe_text(
            f"{value.name}: {veiled(message)}" if isinstance(message, str) else str(value.name)
        ), "error"
    if isinstance(value, JsBytes):
        more = " …" if len(value.data) > 16 else ""
        return f"{glimpse(value)}, {size(len(value.data))}: {value.data[:16].hex(' ')}{more}", "plain"
    if isinstance(value, SparseArray):
        return f"length {value.length}, {len(value.entries)} filled", "plain"
    if value is UNDEFINED:
        return "undefined", "muted"
    return glimpse(value, limit=_PREVIEW), "muted" if value is None else "plain"


def value_node(value: object, *, path: str = "$", label: str = "") -> ValueNode:
    """Return the node of one value (its children are not looked at beyond a preview)."""
    text, tone = _summary(value)
    if label and tone == "plain" and isinstance(value, str | int | float):
        text = veiled(text, name=label)
    return ValueNode(
        path=path,
        label=safe_text(label),
        kind=type_name(value),
        text=text,
        tone=tone,
        count=_count(value),
        value=value,
    )


def _labelled(value: object) -> Iterator[tuple[str, str, object]]:
    """Yield ``(label, path step as text, child)``; simple Map keys become labels of their values."""
    if isinstance(value, JsMap):
        for index, (key, item) in enumerate(value.entries):
            here = f".entries[{index}]"
            if _count(key):
                yield f"key {index}", f"{here}[0]", key
                yield f"value {index}", f"{here}[1]", item
            else:
                yield f"{glimpse(key, limit=40)} =>", f"{here}[1]", item
        return
    for segment, child in children(value):
        if isinstance(segment, int):
            label = f"[{segment}]"
        elif isinstance(segment, str):
            label = segment
        else:
            label = f"[{segment[-1]}]"
        yield label, join_path("", segment), child


class ValueTree:
    """A value and its tree. Holds no state of what is open: that belongs to the front end.

    Attributes:
        root: the node of the whole value.
    """

    __slots__ = ("root",)

    def __init__(self, value: object, *, path: str = "$", label: str = "") -> None:
        self.root = value_node(value, path=path, label=label)

    def children(self, node: ValueNode, *, start: int = 0, limit: int | None = None) -> tuple[ValueNode, ...]:
        """Return a page of a node's children, ``limit`` of them from ``start``."""
        if isinstance(node.value, list):
            stop = len(node.value) if limit is None else min(start + limit, len(node.value))
            return tuple(
                value_node(node.value[i], path=f"{node.path}[{i}]", label=f"[{i}]")
                for i in range(start, stop)
            )
        out: list[ValueNode] = []
        for index, (label, step, child) in enumerate(_labelled(node.value)):
            if limit is not None and index >= start + limit:
                break
            if index >= start:
                out.append(value_node(child, path=node.path + step, label=label))
        return tuple(out)

    def rows(
        self,
        *,
        open_paths: Collection[str] = ("$",),
        page: int = 200,
        group_undefined: bool = False,
        both_ends: bool = False,
    ) -> tuple[ValueRow, ...]:
        """Return the visible rows when the containers at ``open_paths`` are open.

        A container that is its own ancestor is shown as ``cycle to PATH``, one met before as ``same as
        PATH``; neither opens again. At most ``page`` children of a container are shown, with a row that
        says how many are left out; with ``both_ends`` a long list shows its first and last ones. With
        ``group_undefined`` fields that are undefined share one row.
        """
        out: list[ValueRow] = []
        seen: dict[int, str] = {}
        ancestors: set[int] = set()
        stack: list[tuple[ValueNode | ValueRow | int, int]] = [(self.root, 0)]
        while stack:
            item, depth = stack.pop()
            if isinstance(item, int):
                ancestors.discard(item)
                continue
            if isinstance(item, ValueRow):
                out.append(item)
                continue
            identity = id(item.value)
            is_container = isinstance(item.value, _CONTAINERS) and item.count > 0
            note = ""
            if is_container and identity in seen:
                note = f"{'cycle to' if identity in ancestors else 'same as'} {safe_text(seen[identity])}"
            elif is_container:
                seen[identity] = item.path
            opened = is_container and not note and item.path in open_paths
            out.append(ValueRow(node=item, depth=depth, open=opened, note=note, path=item.path))
            if opened:
                ancestors.add(identity)
                stack.append((identity, depth))
                below = self._below(item, depth + 1, page, group_undefined, both_ends)
                stack.extend((each, depth + 1) for each in reversed(below))
        return tuple(out)

    def _below(
        self, node: ValueNode, depth: int, page: int, group_undefined: bool, both_ends: bool
    ) -> list[ValueNode | ValueRow]:
        def remark(note: str) -> ValueRow:
            return ValueRow(node=None, depth=depth, note=note, path=node.path)

        shown = _first_page(self, node, page, both_ends)
        nodes: list[ValueNode | ValueRow] = []
        undefined: list[str] = []
        for child in shown:
            if group_undefined and child.value is UNDEFINED and isinstance(node.value, (dict, Tagged)):
                undefined.append(child.label)
            else:
                nodes.append(child)
        if undefined:
            nodes.append(remark(f"undefined: {', '.join(undefined)}"))
        if node.count > page:
            place = page - page // 2 if both_ends and isinstance(node.value, list) else len(nodes)
            nodes.insert(place, remark(plural(node.count - page, "more item")))
        return nodes


def _first_page(tree: ValueTree, node: ValueNode, page: int, both_ends: bool) -> tuple[ValueNode, ...]:
    """The children shown at first; of a long list the first and the last, where history grows."""
    if not both_ends or not isinstance(node.value, list) or node.count <= page:
        return tree.children(node, limit=page)
    head = page - page // 2
    return tree.children(node, limit=head) + tree.children(node, start=node.count - page // 2)


def value_rows(value: object, *, budget: int = 40, page: int = 20, path: str = "$") -> tuple[ValueRow, ...]:
    """Return about ``budget`` rows of a value: level by level, containers open as long as they fit.

    A container whose children would not fit stays closed, later and smaller ones still open; one that fits
    on a line stays closed too. Long lists show ``page`` items, half of them from the end.
    """
    tree = ValueTree(value, path=path)
    opened: set[str] = set()
    used = 1
    seen: set[int] = set()
    queue = deque([tree.root])
    while queue:
        node = queue.popleft()
        if not isinstance(node.value, _CONTAINERS) or not node.count:
            continue
        if id(node.value) in seen:
            opened.add(node.path)  # whichever of the two comes first on screen is the one that opens
            continue
        if node is not tree.root and len(glimpse(node.value, limit=_ON_A_LINE + 1)) <= _ON_A_LINE:
            continue
        cost = min(node.count, page) + (node.count > page)
        if used + cost > budget and node is not tree.root:
            continue
        seen.add(id(node.value))
        opened.add(node.path)
        used += cost
        queue.extend(_first_page(tree, node, page, True))
    return tree.rows(open_paths=opened, page=page, group_undefined=True, both_ends=True)


def value_lines(
    rows: tuple[ValueRow, ...], *, width: int = 80, indent: int = 0, whole_text: bool = False
) -> list[Line]:
    """Return rows as lines of text, labels in the muted tone, closed containers with their preview.

    With ``whole_text`` strings are shown to their end, over several lines.
    """
    out: list[Line] = []
    for row in rows:
        pad = " " * min(indent + 2 * row.depth, width // 2)
        if row.node is None:
            out.append(line((pad + cut(safe_text(row.note), max(width - len(pad), 10)), "muted")))
            continue
        node = row.node
        colon = "" if not node.label or node.label[0] == "[" or node.label.endswith("=>") else ":"
        head = Span(f"{pad}{node.label}{colon} " if node.label else pad, "muted")
        room = max(width - display_width(head.text), 10)
        if row.note:
            out.append((head, Span(cut(f"{node.kind}, {row.note}", room), "muted")))
        elif row.open:
            what = plural(node.count, "item") if node.kind in ("array", "Map", "Set") else ""
            text = node.text if node.tone == "error" else f"{node.kind} of {what}" if what else node.kind
            out.append((head, Span(cut(text, room), node.tone if node.tone == "error" else "muted")))
        elif whole_text and isinstance(node.value, str):
            for index, part in enumerate(safe_lines(veiled(node.value, name=node.label))):
                out.append((head if not index else Span(" " * (len(pad) + 2)), Span(part)))
        elif node.tone == "warning" or (whole_text and node.tone == "error"):
            blank = Span(" " * display_width(head.text))
            for index, part in enumerate(wrap(node.text, room)):
                out.append((blank if index else head, Span(part, node.tone)))
        else:
            out.append((head, Span(cut(node.text, room), node.tone)))
    return out
