"""The words all front ends use, with the tone each carries, and how numbers and times are said.

A stored status is never shown as it is: ``word_for("running")`` gives the word, its meaning and its
tone. Durations are said as a person says them, sizes in powers of 1024.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from itertools import pairwise
from types import MappingProxyType

from eve_replay.journal.effects.judge import of_count
from eve_replay.views.kit.safe import safe_text
from eve_replay.views.kit.tone import Tone

__all__ = [
    "WORDS",
    "Word",
    "ago",
    "clock",
    "clocks",
    "day_and_clock",
    "duration",
    "executions",
    "joined",
    "plural",
    "short_ids",
    "size",
    "word_for",
    "zone_name",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word of the vocabulary: what we say, what it means, and its tone."""

    word: str
    meaning: str
    tone: Tone = "plain"


def _words(*words: Word) -> Mapping[str, Word]:
    return MappingProxyType({word.word: word for word in words})


WORDS: Mapping[str, Word] = _words(
    Word(word="pending", meaning="recorded, not yet started"),
    Word(word="running", meaning="started, no end recorded, nothing proves it died", tone="strong"),
    Word(word="completed", meaning="the record says so", tone="committed"),
    Word(word="failed", meaning="the record says so", tone="error"),
    Word(word="cancelled", meaning="the record says so", tone="muted"),
    Word(
        word="interrupted",
        meaning="started, no end recorded, and a later start or a dead owner proves it died",
        tone="again",
    ),
    Word(word="re-executed", meaning="a body that ran again", tone="again"),
    Word(word="replayed", meaning="answered from the record, nothing ran", tone="replayed"),
    Word(word="never-reached", meaning="the crash came before it", tone="muted"),
    Word(word="parked", meaning="waiting by design; for whom; since when", tone="parked"),
    Word(word="waiting", meaning="waiting by design; for whom; since when", tone="parked"),
    Word(word="leased", meaning="an interrupted step that nobody may take over yet", tone="again"),
    Word(word="dormant", meaning="`eve dev` without `--resume`: nothing takes it up again", tone="warning"),
    Word(word="stranded", meaning="another version must replay it, and cannot", tone="harm"),
    Word(
        word="wedged",
        meaning="the files are in a state from which the runtime was seen not to recover",
        tone="harm",
    ),
    Word(word="purged", meaning="payloads deleted by retention", tone="muted"),
    Word(word="undecoded", meaning="bytes are there, value is not", tone="warning"),
    Word(word="ran twice", meaning="two executions or more are recorded", tone="harm"),
    Word(word="may have run twice", meaning="a second execution is possible, not recorded", tone="harm"),
    Word(word="ran once", meaning="exactly one execution", tone="once"),
    Word(word="did not run", meaning="no execution", tone="muted"),
    Word(word="unknown", meaning="the journal cannot tell", tone="unknown"),
    Word(word="observed", meaning="the journal records it"),
    Word(word="implied", meaning="it follows from what is recorded and the rules"),
    Word(word="created", meaning="recorded, not yet started"),
)

#: What other programs call the same thing.
_SYNONYMS = {"paused": "parked", "canceled": "cancelled", "done": "completed", "queued": "pending"}


def word_for(status: str) -> Word:
    """Return the vocabulary's word for a stored status; an unknown status keeps its own text."""
    key = _SYNONYMS.get(status, status)
    return WORDS.get(key) or Word(word=safe_text(status) or "unknown", meaning="a status we do not know")


def executions(minimum: int, maximum: int | None) -> Word:
    """Return how often something ran, in the vocabulary; ``maximum`` None means without bound.

    For a bare count only. What an effect is called is the judge's to say (journal/effects/judge.py).
    """
    said = of_count(minimum, maximum)
    return Word(word=said.word, meaning=said.meaning, tone=said.tone)


def plural(count: int, noun: str, many: str | None = None) -> str:
    """Return ``1 run``, ``2 runs``, ``0 runs``; ``many`` for nouns that do not take an s."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def joined(words: Sequence[str], *, last: str = "and") -> str:
    """Return ``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def duration(seconds: float | timedelta | None) -> str:
    """Return a duration as a person says it: ``12 ms``, ``1.2 s``, ``14 min``, ``3 h 20 min``, ``3 days``.

    An end before its start is ``320 ms backwards``: a sign alone reads like a dash.
    """
    if seconds is None:
        return ""
    if isinstance(seconds, timedelta):
        seconds = seconds.total_seconds()
    if seconds < 0:
        return f"{duration(-seconds)} backwards"  # the clock was set back, or two hosts disagree
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    if seconds < 3570:
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes} min {rest} s" if minutes < 10 and rest else f"{round(seconds / 60)} min"
    minutes = round(seconds / 60)
    if minutes < 48 * 60:
        hours, rest = divmod(minutes, 60)
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    return f"{round(minutes / 1440)} days"


def ago(then: datetime | None, now: datetime, *, coarse: bool = False) -> str:
    """Return ``3 days ago``, ``just now``, ``in 14 min``; empty when ``then`` is None.

    With ``coarse`` only the largest unit is said: ``2 h ago`` for two and a half hours.
    """
    if then is None:
        return ""
    seconds = (now - then).total_seconds()
    if abs(seconds) < 1:
        return "just now"
    said = duration(abs(seconds))
    if coarse:
        said = " ".join(said.split(" ")[:2])
    return f"{said} ago" if seconds > 0 else f"in {said}"


def size(count: int) -> str:
    """Return a number of bytes: ``512 B``, ``3.4 KB``, ``2.2 MB`` (powers of 1024)."""
    if count < 1024:
        return f"{count} B"
    value = float(count)
    for unit in ("KB", "MB", "GB", "TB"):
        value /= 1024
        if value < 1023.95 or unit == "TB":
            break
    return f"{value:.1f} {unit}"


def clock(when: datetime | None, zone: tzinfo | None = None, *, millis: bool = False) -> str:
    """Return the time of day in ``zone`` (None: the machine's own), ``08:54:50`` or ``08:54:50.335``."""
    if when is None:
        return ""
    return when.astimezone(zone).strftime("%H:%M:%S") + (f".{when.microsecond // 1000:03d}" if millis else "")


def clocks(
    times: Iterable[datetime | None], zone: tzinfo | None = None, *, millis: bool = False
) -> list[str]:
    """Return the times of rows that are read one after the other.

    The time of day is enough within one day. Where they span several, the day stands in front of the first
    one and wherever it changes: without it three days read like a second.
    """
    known = [None if when is None else when.astimezone(zone) for when in times]
    several = len({when.date() for when in known if when is not None}) > 1
    out: list[str] = []
    before = None
    for when in known:
        said = clock(when, zone, millis=millis)
        if several and when is not None:
            said = f"{when:%Y-%m-%d} {said}" if when.date() != before else said
            before = when.date()
        out.append(said)
    return out


def day_and_clock(when: datetime | None, zone: tzinfo | None = None) -> str:
    """Return ``2026-11-30 08:54:50`` in ``zone``, empty when ``when`` is None."""
    return when.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S") if when is not None else ""


def zone_name(when: datetime, zone: tzinfo | None = None) -> str:
    """Return how the zone of a shown time is called: ``UTC``, ``CET (UTC+01:00)``."""
    local = when.astimezone(zone)
    offset = local.isoformat()[-6:]
    name = safe_text(local.tzname() or "")
    if name == "UTC":
        return "UTC"
    return f"UTC{offset}" if not name[:1].isalpha() or name.startswith("UTC") else f"{name} (UTC{offset})"


#: Characters of a short id at most; an id that needs more is shown whole.
_LONGEST_TAIL = 26


def short_ids(ids: Sequence[str], *, minimum: int = 4) -> dict[str, str]:
    """Return a short form per id, prefix and as many last characters as tell these ids apart.

    ``wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S`` becomes ``wrun_…J64S``. Every command accepts the last
    characters (without prefix) in place of the whole id.
    """
    unique = list(dict.fromkeys(ids))
    # Sorted from the last character, ids with a long common end stand side by side: n log n, not n squared.
    order = sorted(unique, key=lambda each: each[::-1])
    common = dict.fromkeys(unique, 0)
    for one, other in pairwise(order):
        alike = _common_end(one, other)
        common[one], common[other] = max(common[one], alike), max(common[other], alike)
    out: dict[str, str] = {}
    for each in unique:
        length = max(minimum, common[each] + 1)
        out[each] = _shortened(each, each[-length:]) if length <= _LONGEST_TAIL else each
    return out


def _common_end(one: str, other: str) -> int:
    length = 0
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b:
            break
        length += 1
    return length


def _shortened(whole: str, tail: str) -> str:
    prefix, underscore, rest = whole.partition("_")
    if not underscore:
        prefix, rest = "", whole
    if len(rest) <= len(tail) + 1 or len(whole) <= 14:
        return whole
    return f"{prefix}{underscore}…{tail}"
