"""The four incidents of the last lesson: one is handed to each learner, by the name they type.

An incident is a recorded world of an order desk (samples ``incident-1`` to ``incident-4``) and the ledger of
its payment and mail server. What went wrong in it is computed by ``tasks/_incident.py``, nowhere typed in.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from eve_replay import samples
from eve_replay.errors import NotFound
from eve_replay.journal import Journal, Session
from eve_replay.journal.ledger.model import Ledger
from eve_replay.values import preview
from eve_replay.workshop.glosses import gloss
from eve_replay.workshop.model import Language
from eve_replay.workshop.opinion import Opinion, instant_of

__all__ = ["Incident", "incident", "number_of"]

_IDS = ("mailId", "refundId", "chargeId")
_NUMBER = re.compile(r"(?:incident-)?([1-9])")


@dataclass(frozen=True, eq=False)
class Incident:
    """One incident.

    Attributes:
        name: its sample's name.
    """

    name: str

    @property
    def source(self) -> str:
        """What any command and ``er.open_journal`` take."""
        return f"sample:{self.name}"

    @cached_property
    def journal(self) -> Journal:
        """The recorded world."""
        return Journal(samples.open(self.name))

    @cached_property
    def ledger(self) -> Ledger:
        """What the payment and the mail server did, as ``why`` takes it."""
        return Ledger.from_rows(self.lines, origin=f"{self.name}/ledger.ndjson")

    @cached_property
    def lines(self) -> Sequence[dict[str, Any]]:
        """The same, line by line, as the servers wrote it."""
        return tuple(samples.ledger(self.name))

    @cached_property
    def sessions(self) -> Sequence[Session]:
        """Its sessions, oldest first."""
        # An id begins with the time at which it was made.
        return tuple(sorted(self.journal.sessions, key=lambda each: each.id))

    def session(self, ending: str) -> Session:
        """Return the session whose id is, or ends in, some text.

        Raises:
            NotFound: none does, or several do.
        """
        wanted = ending.strip().strip("…. ").rpartition("_")[2].upper()
        found = [each for each in self.sessions if wanted and each.id.upper().endswith(wanted)]
        if len(found) != 1:
            raise NotFound(
                f"{self.name} has no session {ending[:40]!r}."
                if not found
                else f"Several sessions end in {ending[:40]!r}.",
                hint="Give the last four characters or more.",
            )
        return found[0]

    def money(self, language: Language = "zh") -> list[dict[str, object]]:
        """Return what the payment server did: the rows of a table, with short ids and the time of the day.

        Args:
            language: ``en`` shows what Chinese customers wrote in English; ``zh`` everything as recorded.
        """
        return [
            {
                "at": _time(line),
                "effect": line["effect"],
                "id": _id(line),
                **{name: _shown(line, name, language) for name in ("order", "invoice", "customer", "cents")},
                "session": str(line["sessionId"])[-4:],
                "call_id": line["callId"],
                "key": f"…{line['idempotencyKey'][-20:]}" if line["idempotencyKey"] else "",
            }
            for line in self.lines
            if line["effect"] != "mail"
        ]

    def mails(self, language: Language = "zh") -> list[dict[str, object]]:
        """Return what the mail server did, likewise. It knows nothing of sessions and calls."""
        return [
            {
                "at": _time(line),
                "effect": "mail",
                "id": _id(line),
                "to": line["to"],
                "subject": _shown(line, "subject", language),
            }
            for line in self.lines
            if line["effect"] == "mail"
        ]

    def calls(self, session: Session | str) -> list[dict[str, object]]:
        """Return every tool call of a session, once per attempt that asked for it: the rows of a table."""
        found = self.session(session) if isinstance(session, str) else session
        return [
            {
                "turn": call.coordinate.turn_id if call.coordinate else "",
                "step": call.coordinate.step_index if call.coordinate else None,
                "position": call.position,
                "attempt": attempt.n,
                "tool": call.name,
                "call_id": call.call_id,
                "asked": _clock(call.requested_at),
                "returned": _clock(call.returned_at),
                "result": _result(call.output) if call.returned_at is not None else "",
            }
            for step in found.steps
            for attempt in step.attempts
            for call in attempt.tool_calls
            if call.requested_at is not None
        ]

    def titles(self, language: Language = "zh") -> list[dict[str, object]]:
        """Return its conversations, oldest first: the rows of a table, nothing judged."""
        return [
            {"session": each.id[-4:], "title": gloss(each.title or "", language)} for each in self.sessions
        ]

    def suspect(self, ending: str) -> Session:
        """Return the suspected session; while nobody is suspected, the first one that had a step run again.

        Raises:
            NotFound: there is no such session.
        """
        if ending.strip():
            return self.session(ending)
        again = [each for each in self.sessions if any(len(step.attempts) > 1 for step in each.steps)]
        return (again or self.sessions)[0]

    def why(self, suspect: str, language: Language = "en") -> Opinion:
        """Return what ``why`` says of the worst session, once somebody has said which one they suspect.

        Raises:
            NotFound: there is no such session.
        """
        if not suspect.strip():
            return Opinion("", None, language)
        from eve_replay.checks import Voice
        from eve_replay.guidance import why_all

        you = self.session(suspect).id[-4:]
        found = why_all(self.sessions, voice=Voice(now=instant_of(self.lines)), ledger=self.ledger)
        return Opinion(you, found.reports[0], language)

    def __repr__(self) -> str:
        return f"{self.name}: {len(self.sessions)} sessions, {len(self.lines)} lines in the ledger"


def incident(who: str | int) -> Incident:
    """Return somebody's incident.

    Args:
        who: a name; the same name always gets the same incident. ``1`` to ``4`` choose one outright.
    """
    return _incident(samples.names("incidents")[number_of(who) - 1])


def number_of(who: str | int) -> int:
    """Return the number of somebody's incident, from 1. Case, width and spaces of the name do not matter."""
    count = len(samples.names("incidents"))
    text = unicodedata.normalize("NFKC", str(who)).casefold().strip()
    chosen = _NUMBER.fullmatch(text)
    if chosen is not None and int(chosen[1]) <= count:
        return int(chosen[1])
    digest = hashlib.sha256("".join(text.split()).encode("utf-8", "backslashreplace")).digest()
    return digest[0] % count + 1


@cache
def _incident(name: str) -> Incident:
    return Incident(name)


def _shown(line: Mapping[str, Any], name: str, language: Language) -> object:
    value = line.get(name, "")
    return gloss(value, language) if isinstance(value, str) else value


def _time(line: Mapping[str, Any]) -> str:
    return str(line["at"])[11:23]


def _id(line: Mapping[str, Any]) -> str:
    return next((str(line[name]) for name in _IDS if name in line), "")


def _result(output: object) -> str:
    """Return the id that the outside gave it, else the first words of the result."""
    found = _id(output) if isinstance(output, Mapping) else ""
    return found or preview(output, 60)


def _clock(at: Any) -> str:
    return "" if at is None else f"{at:%H:%M:%S}.{at.microsecond // 1000:03d}"
