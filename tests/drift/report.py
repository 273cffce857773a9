"""What was found for one target: as text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

KINDS = ("layout", "event type", "field", "prefix", "tag", "code", "decode", "reader")


@dataclass(slots=True, kw_only=True)
class Report:
    """What is new in one recording.

    Attributes:
        name: target and what was recorded.
        news: kind to what the reader does not know, each with where it was seen first.
        seen: how much was looked at.
        notes: what could not be compared, and why.
    """

    name: str
    news: dict[str, dict[str, str]] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    failed: str = ""

    def new(self, kind: str, what: str, where: str) -> None:
        """Note one thing once, with the first place."""
        self.news.setdefault(kind, {}).setdefault(what, where)

    def to_json(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "name": self.name,
            "news": self.news,
            "seen": self.seen,
            "notes": self.notes,
            "failed": self.failed,
        }


def told(report: Report) -> str:
    """Return a report as text."""
    if report.failed:
        return f"{report.name}: not recorded\n  {report.failed}"
    seen = ", ".join(f"{count} {what}" for what, count in report.seen.items())
    head = f"{report.name}: {'nothing new' if not report.news else 'NEW'} ({seen})"
    lines = [head]
    for kind in KINDS:
        for what, where in sorted(report.news.get(kind, {}).items()):
            lines.append(f"  {kind:11} {what}  ({where})")
    lines += [f"  note: {note}" for note in report.notes]
    return "\n".join(lines)
