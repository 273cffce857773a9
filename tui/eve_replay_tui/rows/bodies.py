"""The body of an inspector tab as rows, whatever it holds; what is open in it is kept here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

from eve_replay.views.diffs.diff import DiffView, diff_lines
from eve_replay.views.inspect.evidence import EvidenceRow
from eve_replay.views.inspect.inspector import Tab
from eve_replay.views.inspect.raw import RawView
from eve_replay.views.inspect.records import EventRow
from eve_replay.views.inspect.value import ValueTree
from eve_replay.views.kit.base import plain_json
from eve_replay.views.kit.text import line, paragraph
from eve_replay.views.session.attempts import AttemptRow
from eve_replay.views.session.effects import EffectRow
from eve_replay.views.session.messages import MessageRow
from eve_replay.views.session.state import StateView
from eve_replay.views.session.stream import StreamRow
from eve_replay_tui.lines import TextRow
from eve_replay_tui.rows import tables
from eve_replay_tui.rows.values import first_open, value_copy, value_text

__all__ = ["TabBody"]


class TabBody:
    """One opened tab: its rows for a width, and what is folded in it.

    Args:
        tab: the tab.
        zone: zone of shown times.
        opened: folds that were open the last time the same kind of tab was shown, None at first.
        start: first row of the page.
    """

    def __init__(
        self, tab: Tab, zone: tzinfo | None, *, opened: set[str] | None = None, start: int = 0
    ) -> None:
        self.tab = tab
        self.zone = zone
        self.start = start
        self.page = 200
        self.opened = set(opened) if opened is not None else self._first()

    def _first(self) -> set[str]:
        body = self.tab.body
        if isinstance(body, ValueTree):
            return first_open(body)
        if isinstance(body, StateView):
            out: set[str] = set()
            for name, tree in (("after|", body.after), ("before|", body.before if not body.after else None)):
                if tree is not None:
                    out |= {name + "$"}
            return out
        return set()

    def toggle(self, fold: str) -> None:
        """Open or close something."""
        if "more:" in fold:
            self.page *= 5
        elif fold in self.opened:
            self.opened.discard(fold)
        else:
            self.opened.add(fold)
            self._keep_defaults(fold)

    def _keep_defaults(self, fold: str) -> None:
        """A stream event that is opened shows its data with the folds it would have by itself."""
        body = self.tab.body
        if fold.startswith("chunk|") and isinstance(body, tuple):
            key = fold.removeprefix("chunk|")
            for row in body:
                if isinstance(row, StreamRow) and row.key == key:
                    self.opened |= first_open(row.data, budget=30, prefix=f"{key}|")

    def build(self, width: int) -> list[TextRow]:
        """Return all rows."""
        tab = self.tab
        out: list[TextRow] = []
        if self.start:
            out.append(
                TextRow(line=line((f"from {self.start:,} on, Enter goes back", "tool")), fold="page:-")
            )
        if tab.note:
            tone = "warning" if tab.note.startswith("undecoded") else "muted"
            out += [
                TextRow(line=each)
                for each in paragraph(tab.note, width=width, tone=tone)  # type: ignore[arg-type]
            ]
        out += self._body(width)
        if tab.more and tab.name in ("events", "stream", "messages"):
            back = tab.name == "messages"
            what = "earlier" if back else "more"
            text = f"{tab.more:,} {what}, Enter shows them"
            row = TextRow(line=line((text, "tool")), fold="page:+")
            out.insert(0, row) if back else out.append(row)
        return out

    def _body(self, width: int) -> list[TextRow]:
        body = self.tab.body
        if body is None:
            return []
        if isinstance(body, ValueTree):
            return value_text(body, self.opened, width, page=self.page)
        if isinstance(body, DiffView):
            return [TextRow(line=each) for each in diff_lines(body, width=width)]
        if isinstance(body, StateView):
            return self._state(body, width)
        return self._list(body, width)

    def _list(self, body: Sequence[Any], width: int) -> list[TextRow]:
        first = body[0] if body else None
        if isinstance(first, EventRow):
            return tables.event_text(body, width, self.zone)
        if isinstance(first, StreamRow):
            return tables.stream_text(body, self.opened, width, self.zone)
        if isinstance(first, AttemptRow):
            return tables.attempt_text(body, width, self.zone)
        if isinstance(first, EffectRow):
            return tables.effect_text(body, width, self.zone)
        if isinstance(first, MessageRow):
            return tables.message_text(body, width)
        if isinstance(first, RawView):
            return tables.raw_text(body, width)
        if isinstance(first, EvidenceRow):
            return tables.evidence_text(body, width)
        return []

    def _state(self, view: StateView, width: int) -> list[TextRow]:
        out: list[TextRow] = []
        for row in view.law:
            tone = "muted" if row.expected else "warning"
            text = f"{row.path}: the step before left {row.left}, this one got {row.got}. {row.why}"
            out += [
                TextRow(line=each)
                for each in paragraph(text, width=width, tone=tone)  # type: ignore[arg-type]
            ]
        label = max((len(part.path) for part in view.parts), default=0)
        for origin, title in (("checkpoint", "in the checkpoint"), ("rebuilt", "rebuilt from the code")):
            parts = [part for part in view.parts if part.origin == origin]
            if not parts:
                continue
            out.append(TextRow(line=line((title, "strong"))))
            for part in parts:
                sign = "~ " if part.changed else "  "
                text = part.text or ("not present" if origin == "checkpoint" else part.note or part.what)
                out.append(
                    TextRow(
                        line=line(
                            (sign, "again"),
                            (f"{part.path:<{label}}  ", "tool" if part.present else "muted"),
                            (text, part.tone),
                        ),
                        copy=part.text,
                    )
                )
        for name, title, tree in (
            ("after|", "the state after it", view.after),
            ("before|", "the state before it", view.before),
        ):
            if tree is not None:
                out.append(TextRow(line=()))
                out.append(TextRow(line=line((title, "strong"))))
                out += value_text(tree, self.opened, width, prefix=name, page=self.page)
        return out

    # -- what leaves the screen --------------------------------------------------------------------------

    def copy_text(self, row: TextRow | None) -> str:
        """Return what to copy for a row: a value whole, an id whole, else the line as shown."""
        if row is None:
            return ""
        node = row.data
        if node is not None and hasattr(node, "value"):
            return value_copy(node.value)
        return row.copy or "".join(span.text for span in row.line).strip()

    def export(self) -> tuple[str, str]:
        """Return the whole body as ``(extension, text)``: values and tables as JSON, diffs as text."""
        body = self.tab.body
        if body is None:
            return "txt", f"{self.tab.note}\n"
        if isinstance(body, ValueTree):
            return "json", value_copy_json(body.root.value)
        if isinstance(body, DiffView):
            lines = diff_lines(body, width=200)
            return "txt", "\n".join("".join(span.text for span in each) for each in lines) + "\n"
        data = [plain_json_row(each) for each in body] if isinstance(body, tuple) else plain_json_row(body)
        return "json", json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def value_copy_json(value: object) -> str:
    """Return a value as tagged JSON, strings too."""
    from eve_replay import to_tagged

    return json.dumps(to_tagged(value), ensure_ascii=False, indent=2) + "\n"


def plain_json_row(row: Any) -> object:
    """Return a view-model as JSON data, by its own way where it has one."""
    return row.to_json() if hasattr(row, "to_json") else plain_json(row)
