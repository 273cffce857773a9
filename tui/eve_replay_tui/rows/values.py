"""Value trees: JS types, folds, long texts that open to their end."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Collection

from eve_replay import to_tagged
from eve_replay.views.inspect.value import ValueNode, ValueRow, ValueTree
from eve_replay.views.kit.safe import safe_lines, wrap
from eve_replay.views.kit.text import Line, Span, line
from eve_replay.views.kit.words import plural
from eve_replay_tui.cells import cells as cell_width
from eve_replay_tui.lines import TextRow

__all__ = ["first_open", "value_copy", "value_text"]

#: Types that the text of a value shows by itself.
_OBVIOUS = frozenset({"string", "number", "boolean", "null", "undefined", "bigint"})
_LISTS = frozenset({"array", "Map", "Set"})


def first_open(tree: ValueTree, *, budget: int = 60, prefix: str = "") -> set[str]:
    """Return the folds to show open at first: level by level, as long as about ``budget`` rows suffice."""
    opened: set[str] = set()
    used = 1
    queue = deque([tree.root])
    while queue:
        node = queue.popleft()
        if not node.count:
            continue
        if used + min(node.count, 200) > budget and node is not tree.root:
            continue
        opened.add(prefix + node.path)
        used += min(node.count, 200)
        if used <= budget:
            queue.extend(tree.children(node, limit=budget))
    return opened


def value_text(
    tree: ValueTree, opened: Collection[str], width: int, *, prefix: str = "", page: int = 200
) -> list[TextRow]:
    """Return the rows of a tree.

    Args:
        tree: the value.
        opened: folds that are open: ``PREFIX`` and the path, ``text:`` before it for a long text.
        width: cells.
        prefix: put before every fold, where a pane shows several trees.
        page: children shown of one container.
    """
    skip = len(prefix)
    paths = {each[skip:] for each in opened if each.startswith(prefix)}
    out: list[TextRow] = []
    for row in tree.rows(open_paths=paths, page=page):
        out.extend(_rows(row, paths, width, prefix))
    return out


def _rows(row: ValueRow, opened: Collection[str], width: int, prefix: str) -> list[TextRow]:
    pad = " " * min(2 * row.depth, width // 2)
    node = row.node
    if node is None:
        more = row.note.endswith("more items") or row.note.endswith("more item")
        return [
            TextRow(
                line=line((f"{pad}  {row.note}", "muted"), (", Enter shows them" if more else "", "muted")),
                fold=f"{prefix}more:{row.path}" if more else "",
            )
        ]
    colon = "" if not node.label or node.label[0] == "[" or node.label.endswith("=>") else ":"
    label = f"{node.label}{colon} " if node.label else ""
    container = node.count > 0 and not row.note
    sign = "▾ " if row.open else "▸ " if container else "  "
    head = (Span(pad + sign, "muted"), Span(label, "tool" if node.label else "muted"))
    room = width - cell_width(pad) - 2 - cell_width(label)
    if row.note:
        return [_row(node, (*head, Span(f"{node.kind}, {row.note}", "muted")))]
    if container:
        return [_row(node, (*head, *_container(node, row.open)), fold=prefix + row.path)]
    text = node.value if isinstance(node.value, str) else None
    if text is not None and (cell_width(node.text) > room or "\n" in text):
        fold = f"text:{row.path}"
        if fold in opened:
            return _long(node, pad, label, text, width, prefix + fold)
        size = plural(len(text), "character")
        sign_head = (Span(f"{pad}▸ ", "muted"), head[1])
        return [_row(node, (*sign_head, Span(f"{size} ", "muted"), Span(node.text)), fold=prefix + fold)]
    kind = "" if node.kind in _OBVIOUS or node.text.startswith(node.kind) else f"{node.kind} "
    if node.tone == "warning":
        parts = wrap(node.text, max(room, 20))
        first = _row(node, (*head, Span(parts[0], node.tone)))
        indent = " " * (cell_width(pad) + 2 + cell_width(label))
        return [first, *(_row(node, (Span(indent), Span(part, node.tone))) for part in parts[1:])]
    return [_row(node, (*head, Span(kind, "muted"), Span(node.text, node.tone)))]


def _container(node: ValueNode, opened: bool) -> Line:
    what = plural(node.count, "item") if node.kind in _LISTS else plural(node.count, "field")
    head = Span(f"{node.kind}, {what}  ", "muted")
    if opened and node.tone != "error":
        return (head,)
    return (head, Span(node.text, node.tone if node.tone != "plain" else "muted"))


def _long(node: ValueNode, pad: str, label: str, text: str, width: int, fold: str) -> list[TextRow]:
    """Return a text to its end, wrapped, its own line ends kept."""
    out = [
        _row(
            node,
            (
                Span(f"{pad}▾ ", "muted"),
                Span(label, "tool"),
                Span(plural(len(text), "character"), "muted"),
            ),
            fold=fold,
        )
    ]
    indent = pad + "    "
    room = max(width - len(indent), 20)
    for each in safe_lines(text[:200_000]):
        out.extend(_row(node, (Span(indent), Span(part)), fold=fold) for part in wrap(each, room))
    if len(text) > 200_000:
        out.append(_row(node, line((f"{indent}and {len(text) - 200_000:,} more characters", "muted"))))
    return out


def _row(node: ValueNode, content: Line, *, fold: str = "") -> TextRow:
    return TextRow(line=content, fold=fold, data=node)


def value_copy(value: object) -> str:
    """Return a value as text to copy: a string as it is, everything else as tagged JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(to_tagged(value), ensure_ascii=False, indent=2)
