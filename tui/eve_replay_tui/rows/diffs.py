"""Comparisons as rows: unified as the command line writes them, or in two columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from eve_replay.views.diffs.attempts import AttemptDiffView
from eve_replay.views.diffs.diff import DiffView, diff_lines
from eve_replay.views.diffs.steps import step_diff_lines, step_diff_view
from eve_replay.views.kit.safe import cut, pad, wrap
from eve_replay.views.kit.text import Line, Span, line, paragraph
from eve_replay.views.kit.tone import TONES, Tone
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.session.listing import attempt_diff_lines
from eve_replay_tui.lines import TextRow

__all__ = ["attempt_diff_rows", "step_diff_rows"]

#: Below this two columns are too narrow to read.
_WIDE = 76


def attempt_diff_rows(view: AttemptDiffView, width: int, *, beside: bool, every: bool) -> list[TextRow]:
    """Return an attempt diff; on a narrow screen always as one flow."""
    if not beside or width < _WIDE:
        return [
            TextRow(line=each, key=view.second) for each in attempt_diff_lines(view, width=width, every=every)
        ]
    page = _Beside(width, view.first, view.second)
    page.text(view.summary, "harm" if any(each.harmful for each in view.repeats) else "plain")
    page.rule(view.left, view.right)
    for repeat in view.repeats:
        page.head(f"{TONES[repeat.tone].sign} {repeat.tool} {repeat.word}", repeat.tone, repeat.call_id)
        page.sides(repeat.first, repeat.second, repeat.tone)
    for model in view.models:
        if every or (model.text, model.calls) != ("same", "same"):
            page.head(f"model call, {model.place}", "strong", model.sentence)
            page.sides(model.before or "no text", model.after or "no text", model.tone)
            if model.tokens_before or model.tokens_after:
                page.sides(model.tokens_before, model.tokens_after, "muted")
    for call in view.calls:
        if every or (call.request, call.result) != ("same", "same"):
            page.head(call.name, "strong", call.sentence)
            first, second = call.first, call.second
            same_ids = first is not None and second is not None and first.call_id == second.call_id
            if not same_ids:
                page.sides(first.call_id if first else "", second.call_id if second else "", "again")
            page.sides(first.input if first else "", second.input if second else "", "muted")
            page.sides(
                (first.result or first.status) if first else "not called",
                (second.result or second.status) if second else "not called",
                call.tone,
            )
            for diff in (call.input_diff, call.result_diff):
                page.diff(diff)
    facts = [fact for fact in view.facts if every or (fact.verdict != "same" and not fact.expected)]
    if facts:
        page.head("facts", "strong")
    for fact in facts:
        page.labelled(fact.name, fact.before, fact.after, fact.tone)
        if fact.note:
            page.text(fact.note, "muted", indent=4)
        page.diff(fact.diff)
    hidden = [fact.name for fact in view.facts if fact not in facts]
    if hidden:
        page.text(f"the same, or always new in a re-run: {', '.join(hidden)}. f shows them.", "muted")
    return page.rows


class _Beside:
    """Rows in two columns; the left one jumps to the first attempt, everything else to the second."""

    def __init__(self, width: int, first: str, second: str) -> None:
        self.width = width
        self.key = second
        self.column = (width - 3) // 2
        self.rows: list[TextRow] = []

    def add(self, content: Line) -> None:
        self.rows.append(TextRow(line=content, key=self.key))

    def text(self, text: str, tone: Tone, *, indent: int = 0) -> None:
        for each in paragraph(text, width=self.width, indent=indent, tone=tone):
            self.add(each)

    def head(self, text: str, tone: Tone, note: str = "") -> None:
        self.add(())
        self.add(line((text, tone), (f"  {note}" if note else "", "muted")))

    def rule(self, left: str, right: str) -> None:
        self.add(())
        self.add(
            (
                Span(pad(cut(left, self.column), self.column), "strong"),
                Span(" │ ", "muted"),
                Span(right, "strong"),
            )
        )

    def sides(self, left: str, right: str, tone: Tone) -> None:
        if not left and not right:
            return
        one, two = wrap(left, self.column - 2), wrap(right, self.column - 2)
        for n in range(max(len(one), len(two))):
            a = one[n] if n < len(one) else ""
            b = two[n] if n < len(two) else ""
            tones: tuple[Tone, Tone] = (tone, tone)
            if left == right:
                tones = ("muted", "muted")
            self.add(
                (
                    Span("  " + pad(a, self.column - 2), tones[0]),
                    Span(" │ ", "muted"),
                    Span("  " + b, tones[1]),
                )
            )

    def labelled(self, name: str, left: str, right: str, tone: Tone) -> None:
        head = pad(cut(name, 12), 14)
        one, two = wrap(left or "-", self.column - 16), wrap(right or "-", self.column - 2)
        for n in range(max(len(one), len(two))):
            a = one[n] if n < len(one) else ""
            b = two[n] if n < len(two) else ""
            self.add(
                (
                    Span("  " + (head if not n else " " * 14), "tool"),
                    Span(pad(a, self.column - 16), tone),
                    Span(" │ ", "muted"),
                    Span("  " + b, tone),
                )
            )

    def diff(self, view: DiffView | None) -> None:
        if view is None or view.same:
            return
        for each in diff_lines(view, width=self.width, indent=4):
            self.add(each)


def step_diff_rows(
    explorer: Explorer, first: str, second: str
) -> tuple[str, str, Callable[[int, bool], Sequence[TextRow]]]:
    """Return both names and a builder of the rows of a step diff (made in a worker thread).

    Raises:
        LookupError: one of the steps is not in the session.
    """
    lookup = explorer.inspector.lookup
    one, two = lookup.find(first).step, lookup.find(second).step
    if one is None or two is None:
        raise LookupError("one of the steps is not in this session")
    view = step_diff_view(one, two)

    def build(width: int, beside: bool) -> list[TextRow]:
        if not beside or width < _WIDE:
            return [TextRow(line=each, key=second) for each in step_diff_lines(view, width=width)]
        page = _Beside(width, first, second)
        page.rule(view.left, view.right)
        for fact in view.facts:
            if fact.verdict != "same":
                page.labelled(fact.name, fact.before, fact.after, fact.tone)
        for name, diff in (("input", view.input), ("output", view.output), ("error", view.error)):
            if diff is not None:
                page.head(name, "strong", diff.summary)
                _columns(page, diff)
        for call in view.calls:
            page.head(call.name, "strong", call.sentence)
            page.sides(
                call.first.input if call.first else "not called",
                call.second.input if call.second else "not called",
                call.tone,
            )
        return page.rows

    return view.left, view.right, build


def _columns(page: _Beside, diff: DiffView) -> None:
    """A value diff in two columns: each difference under its path."""
    for row in diff.visible(only_changes=True):
        indent = "  " * row.depth
        if row.children and row.kind != "moved":
            if row.depth:
                page.add(line((f"  {indent}{row.label}", "muted")))
            continue
        name = row.label if row.depth else row.path
        label = f"  {indent}{row.sign} {name}"
        page.add(
            line(
                (cut(label, page.width), row.tone),
                (f"  moved from {row.moved_from}" if row.moved_from else "", "muted"),
            )
        )
        if row.kind != "moved":
            page.sides(row.before, row.after, row.tone)
    if diff.truncated:
        page.text(f"and {diff.truncated:,} more rows", "muted")
    if diff.same:
        page.text("the same", "muted", indent=2)
