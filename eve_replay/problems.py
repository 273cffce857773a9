"""What went wrong while reading, kept beside what was read: problems, gaps and the coverage receipt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from eve_replay.brief import Brief

__all__ = ["LISTS", "Gap", "Lacking", "Problem", "Receipt", "Severity", "Skipped"]

Severity = Literal["info", "warning", "error"]
#: The lists a reader returns: runs of a store; events, steps, hooks and the like of a run; stream chunks.
Lacking = Literal["runs", "events", "steps", "others", "chunks"]

LISTS: tuple[Lacking, ...] = get_args(Lacking)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Problem(Brief):
    """One thing that is wrong or doubtful.

    Attributes:
        severity: ``info``, ``warning`` or ``error``.
        code: stable machine word, for example ``torn-file``.
        where: the file, row, event id or JSON path it concerns.
        message: one plain sentence.
        hint: what to do about it, one sentence, may be empty.
    """

    severity: Severity
    code: str
    where: str
    message: str
    hint: str = ""

    def to_json(self) -> dict[str, str]:
        """Return the problem as an entry of ``receipt.problems`` (docs/json.md)."""
        return {
            "severity": self.severity,
            "code": self.code,
            "where": self.where,
            "message": self.message,
            "hint": self.hint,
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Skipped(Brief):
    """Something that was seen and could not be used: where it lies, what it is, why it was left out."""

    where: str
    what: str
    why: str

    def to_json(self) -> dict[str, str]:
        """Return the shape of docs/json.md, ``{where, what, why}``."""
        return {"where": self.where, "what": self.what, "why": self.why}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A list that is known not to be whole: no negative sentence may stand on it.

    Attributes:
        of: which list.
        run_id: the run whose list it is, empty when it may be any run's.
        name: of ``chunks``, the stream; empty when it may be any.
        why: what is missing and why, a clause that can follow a colon.
    """

    of: Lacking
    why: str
    run_id: str = ""
    name: str = ""

    def to_json(self) -> dict[str, str]:
        """Return ``{of, why, runId, name}``, empty parts left out."""
        parts = {"of": self.of, "runId": self.run_id, "name": self.name, "why": self.why}
        return {name: value for name, value in parts.items() if value}


@dataclass(slots=True, repr=False)
class Receipt(Brief):
    """Coverage of one load: what was seen, parsed, decoded, skipped and why.

    Whether a list is whole is a fact of its own (``gaps``, ``missing``): a file that was skipped tells what
    was not read, a gap tells which statement can no longer be made. "Nothing is open" asks ``events``, "no
    run" asks ``runs``.

    Counts are of files or rows (``seen``, ``parsed``) and of payloads (``decoded``). A world owns one
    receipt and adds to it while it is read, so it is complete only for what has been asked so far.
    The same problem is recorded once however often a file is read again.
    """

    seen: int = 0
    parsed: int = 0
    decoded: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    _keys: set[tuple[str, str, str]] = field(default_factory=set, repr=False)

    def skip(self, *, where: str, what: str, why: str) -> None:
        """Record one thing that could not be used (once per place and reason)."""
        key = (where, what, why)
        if key not in self._keys:
            self._keys.add(key)
            self.skipped.append(Skipped(where=where, what=what, why=why))

    def problem(self, severity: Severity, code: str, where: str, message: str, hint: str = "") -> None:
        """Record one problem (once per code, place and message)."""
        key = (code, where, message)
        if key not in self._keys:
            self._keys.add(key)
            self.problems.append(
                Problem(severity=severity, code=code, where=where, message=message, hint=hint)
            )

    def gap(self, of: Lacking, why: str, *, run_id: str = "", name: str = "") -> None:
        """Record that a list is not whole (once per list and reason)."""
        found = Gap(of=of, why=why, run_id=run_id, name=name)
        key = (f"gap {of}", f"{run_id} {name}", why)
        if key not in self._keys:
            self._keys.add(key)
            self.gaps.append(found)

    def missing(self, of: Lacking, run_id: str = "", name: str = "") -> str:
        """Return why a list is not known to be whole, empty when nothing says so.

        Args:
            of: which list.
            run_id: whose; the list of runs has no owner. Empty asks for all runs at once.
            name: of ``chunks``, the stream; empty asks for any.
        """
        for gap in self.gaps:
            mine = not run_id or gap.run_id in ("", run_id)
            if gap.of == of and mine and (not name or gap.name in ("", name)):
                return gap.why
        return ""

    @property
    def clean(self) -> bool:
        """Whether nothing was skipped and no problem above ``info`` was found."""
        return not self.skipped and all(p.severity == "info" for p in self.problems)

    def to_json(self) -> dict[str, object]:
        """Return the object ``receipt`` of docs/json.md."""
        out: dict[str, object] = {
            "seen": self.seen,
            "parsed": self.parsed,
            "decoded": self.decoded,
            "skipped": [s.to_json() for s in self.skipped],
            "problems": [p.to_json() for p in self.problems],
        }
        if self.gaps:
            out["gaps"] = [gap.to_json() for gap in self.gaps]
        return out
