"""What a tool can be asked to keep, however it is interrupted.

Each factory returns a promise: a function from an outcome to the breach it finds, None when it was kept. They
look at the ledger, the results and the trace, never at the tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from eve_replay.workshop.model import Ask, Breach, Case, Deed, Entry, Moment, Outcome, Promise

__all__ = [
    "ask_of",
    "belongs",
    "claims_done",
    "done_or_told",
    "each_deed_at_most_once",
    "each_deed_once",
    "entries_of",
    "it_ends",
    "no_lies",
    "nothing_else",
    "person_only_when_needed",
    "told_of",
]

#: Effects that somebody outside notices. A row is one only where a deed of the case asks for rows.
_NOTICED = frozenset({"charge", "mail", "refund", "reservation"})
#: A result that says with one of these words (as ``status``, or as the whole result) that it is done.
_DONE = frozenset(
    {
        "booked",
        "charged",
        "complete",
        "completed",
        "delivered",
        "done",
        "mailed",
        "ok",
        "paid",
        "refunded",
        "reserved",
        "sent",
        "success",
        "succeeded",
    }
)
#: What may stand beside such a word without taking anything of it back.
_BESIDE = frozenset(
    re.findall(
        r"\w+",
        "a all already an and been charge email error has have invoice is it likely mail message now order "
        "payment probably receipt refund reservation successfully the this to was were with without",
    )
)
#: The same in Chinese, with a word beside the verb that says that it is over.
_DID_ZH = "发送|发出|寄出|送达|投递|付款|支付|扣款|收款|入账|退款|预订|预留|处理|执行|扣费|办理|发|付|收|退"
_DONE_ZH = re.compile(
    rf"(?:邮件|收据|款项|付款|账单|订单|退款|支付|该邮件)?(?:应该|大概)?(?:"
    rf"(?:已经?|都已|均已)(?:成功)?(?:{_DID_ZH}|完成)(?:成功|完成|完毕)?了?|(?:成功)(?:{_DID_ZH})?了?|"
    rf"(?:{_DID_ZH})(?:成功|完成|完毕|好)了?|(?:{_DID_ZH})了|完成了?|好了)"
)
_MARKS = " .。!！?？…~～、，,;；:："
#: A result that says with a field of this name being True that it is done.
_DONE_FLAGS = ("charged", "done", "ok", "paid", "refunded", "reserved", "sent", "success")


def belongs(entry: Entry, deed: Deed) -> bool:
    """Return whether a ledger entry does a deed."""
    return entry.effect == deed.effect and all(
        name in entry.fields and entry.fields[name] == value for name, value in deed.match.items()
    )


def entries_of(outcome: Outcome, deed: Deed) -> tuple[Entry, ...]:
    """Return the ledger entries that do a deed, in order."""
    return tuple(entry for entry in outcome.ledger if belongs(entry, deed))


def _wanted(case: Case) -> Iterator[tuple[Deed, int]]:
    """Each different deed of a case with how often it is wanted: two asks may want the same twice."""
    deeds = list(case.deeds)
    for index, deed in enumerate(deeds):
        if deed not in deeds[:index]:
            yield deed, deeds.count(deed)


def _too_often(outcome: Outcome) -> Breach | None:
    for deed, wanted in _wanted(outcome.case):
        entries = entries_of(outcome, deed)
        if len(entries) > wanted:
            numbers = tuple(entry.number for entry in entries)
            return Breach(
                code="twice", deed=deed, entries=numbers, facts={"count": len(entries), "wanted": wanted}
            )
    return None


def _missing(outcome: Outcome) -> Iterator[Deed]:
    for deed, wanted in _wanted(outcome.case):
        if outcome.count(deed) < wanted:
            yield deed


def each_deed_once() -> Promise:
    """Return: everything wanted is done, and once (breaches ``twice`` and ``missed``)."""

    def promise(outcome: Outcome) -> Breach | None:
        breach = _too_often(outcome)
        if breach is not None:
            return breach
        deed = next(_missing(outcome), None)
        return None if deed is None else Breach(code="missed", deed=deed)

    return promise


def each_deed_at_most_once() -> Promise:
    """Return: nothing is done twice (breach ``twice``)."""
    return _too_often


def done_or_told() -> Promise:
    """Return: everything wanted is done, or a person was told of it (breach ``silent``)."""

    def promise(outcome: Outcome) -> Breach | None:
        for deed in _missing(outcome):
            if not told_of(outcome, deed):
                return Breach(code="silent", deed=deed)
        return None

    return promise


def nothing_else() -> Promise:
    """Return: no effect that nobody asked for, such as another amount or order (breach ``extra``).

    Charges, mails, refunds and reservations count always; rows only of the tables that a deed names. Telling
    a person is no such effect.
    """

    def promise(outcome: Outcome) -> Breach | None:
        deeds = [*outcome.case.deeds, *(deed for ask in _other_asks(outcome.case) for deed in ask.deeds)]
        tables = {deed.match.get("table") for deed in deeds if deed.effect == "row"}
        for entry in outcome.ledger:
            noticed = entry.effect in _NOTICED or (
                entry.effect == "row" and entry.fields.get("table") in tables
            )
            if noticed and not any(belongs(entry, deed) for deed in deeds):
                return Breach(code="extra", entries=(entry.number,))
        return None

    return promise


def no_lies() -> Promise:
    """Return: no result says that something is done which is not (breach ``lied``).

    A result says so when it is a dict whose ``status`` is a word such as ``done``, ``sent``, ``charged``,
    ``paid``, ``reserved``, ``ok`` or ``already ...`` one of them; or one that has such a word as a field that
    is True (``{"sent": True}``); or when it is such a word itself.
    """

    def promise(outcome: Outcome) -> Breach | None:
        for (turn, answer, position), result in sorted(outcome.results.items()):
            if not claims_done(result):
                continue
            ask = ask_of(outcome, turn, answer, position)
            for deed in ask.deeds if ask is not None else ():
                if outcome.count(deed) == 0:
                    return Breach(
                        code="lied",
                        deed=deed,
                        facts={"turn": turn, "answer": answer, "position": position, "result": result},
                    )
        return None

    return promise


def person_only_when_needed() -> Promise:
    """Return: a person is told only of what a program cannot know (breach ``bothered``).

    Without a crash or a lost answer before it in that step there is nothing unknown. Nor is there where the
    same call, run by a process that died since, had acted and then written into the store that it is done
    (with one of the words of :func:`no_lies`): that note is there to be read.
    """

    def promise(outcome: Outcome) -> Breach | None:
        for entry in outcome.ledger:
            if entry.effect != "person":
                continue
            before = outcome.trace[: max(entry.moment, 0)]
            if not any(m.fault is not None and (m.turn, m.step) == (entry.turn, entry.step) for m in before):
                return Breach(code="bothered", entries=(entry.number,), facts=dict(entry.fields))
            note = _own_note(outcome, entry, before)
            if note is not None:
                facts = {**entry.fields, "because": "noted", "note": note.facts["key"]}
                return Breach(
                    code="bothered", entries=(entry.number,), facts={**facts, "value": note.facts["value"]}
                )
        return None

    return promise


def _own_note(outcome: Outcome, told: Entry, before: Sequence[Moment]) -> Moment | None:
    """Return the last thing an earlier run of a call wrote into the store, if it says that it is done."""
    place = (told.turn, told.step, told.position)
    acted = [
        (each.process, each.moment)
        for each in outcome.ledger
        if each.effect in _NOTICED and (each.turn, each.step, each.position) == place
    ]
    names: dict[object, Moment | None] = {}
    for index, moment in enumerate(before):
        facts = moment.facts
        if moment.kind != "acted" or facts.get("service") != "store":
            continue
        own = (moment.turn, moment.step, moment.position) == place and moment.process < told.process
        after = any(process == moment.process and sent < index for process, sent in acted)
        if facts.get("did") == "deleted":
            names.pop(facts.get("key"), None)
        elif facts.get("did") == "set":
            done = own and after and claims_done(facts.get("value"))
            names[facts.get("key")] = moment if done else None
    return next(filter(None, reversed(names.values())), None)


def it_ends() -> Promise:
    """Return: it comes to an end, without an exception (``hangs``, ``diverged``, ``runaway``, ``threw``)."""

    def promise(outcome: Outcome) -> Breach | None:
        if outcome.ended in ("hangs", "deaf", "diverged", "runaway"):
            return Breach(code="hangs" if outcome.ended == "deaf" else outcome.ended)
        for (turn, answer, position), result in sorted(outcome.results.items()):
            if isinstance(result, Mapping) and set(result) == {"error"} and _threw(outcome, turn, position):
                return Breach(
                    code="threw",
                    facts={"turn": turn, "answer": answer, "position": position, "error": result["error"]},
                )
        return None

    return promise


#: Errors of Python itself: nobody raises these to tell the model something.
_SLIPS = frozenset(
    {
        "AssertionError",
        "AttributeError",
        "ImportError",
        "IndexError",
        "KeyError",
        "NameError",
        "RecursionError",
        "TypeError",
        "UnboundLocalError",
        "ZeroDivisionError",
    }
)


def _threw(outcome: Outcome, turn: int, position: int) -> bool:
    """Whether the error is the tool's own: a result ``{"error": ...}`` may also be what it returned.

    A tool that has told a person and then raises an error of its own choice says the same to the model as one
    that returns "unknown": a runtime such as eve hands both on. That is no breach.
    """
    for index, moment in enumerate(outcome.trace):
        if moment.kind != "threw" or (moment.turn, moment.position) != (turn, position):
            continue
        place = (moment.turn, moment.step, moment.position, moment.process)
        told = any(
            each.kind == "call"
            and each.service == "people"
            and (each.turn, each.step, each.position, each.process) == place
            for each in outcome.trace[:index]
        )
        if not told or str(moment.facts.get("type", "")) in _SLIPS:
            return True
    return False


def claims_done(result: object) -> bool:
    """Return whether a result says that the work is done (see :func:`no_lies`)."""
    if isinstance(result, Mapping):
        status = result.get("status")
        if isinstance(status, str):
            return _says_done(status)
        return any(result.get(name) is True for name in _DONE_FLAGS)
    return isinstance(result, str) and _says_done(result)


def _says_done(text: str) -> bool:
    """Whether a word for "done" is claimed: alone, or with words that take nothing of it back.

    "probably sent" is a claim, since whoever reads it goes on; "not sent" and "maybe sent" are none. In
    Chinese a verb alone is none: a word for "already", "with success" or "completely" has to stand beside it.
    """
    said = text.strip().strip(_MARKS).casefold()
    if _DONE_ZH.fullmatch(said):
        return True
    words = re.findall(r"[a-z]+", said)
    rest = "".join(said.split())
    plain = rest.isascii() and bool(words)
    return plain and any(word in _DONE for word in words) and all(word in _DONE | _BESIDE for word in words)


def told_of(outcome: Outcome, deed: Deed) -> bool:
    """Return whether a person was told of a deed: its subject or facts name it.

    What names a deed are the values of its ``match`` that no other deed of the case shares.
    """
    others = [each for each in outcome.case.deeds if each != deed]
    values = list(deed.match.items())
    own = [
        value
        for name, value in values
        if not any(name in other.match and other.match[name] == value for other in others)
    ]
    names = [str(value) for value in own or [value for _, value in values]]
    every = [str(value) for _, value in values]
    for entry in outcome.ledger:
        if entry.effect != "person":
            continue
        said = [str(value) for value in entry.fields.values()]
        for name in names:
            if any(_named(name, text, every) or (len(text) > 2 and _word_in(text, name)) for text in said):
                return True
    return False


def _named(name: str, text: str, every: Sequence[str]) -> bool:
    """Whether a text names it, also where it was glued to what else names the same deed: ``to + subject``."""
    if _word_in(name, text):
        return True
    for other in every:
        if other and name not in other:
            text = text.replace(other, " ")
    return _word_in(name, text)


def _word_in(word: str, text: str) -> bool:
    """Whether the text has it as a whole word: ``INV-1`` is not in ``INV-12`` or ``INV-1-2``.

    A word ends where the sort of character changes: between a digit and a letter, before and behind any
    Chinese character, at ``_``. (English word boundaries would hide every name in a Chinese sentence.)
    """
    if not word:
        return False
    for found in re.finditer(re.escape(word), text):
        before, after = text[: found.start()][-2:], text[found.end() :][:2]
        if not _goes_on(word[-1], after) and not _goes_on(word[0], before[::-1]):
            return True
    return False


def _goes_on(edge: str, beyond: str) -> bool:
    """Whether a word that ends with ``edge`` goes on with what lies beyond (nearest character first)."""
    if beyond[:1] == "-" and edge.isdigit():
        beyond = beyond[1:]
    near = beyond[:1]
    both_digits = edge.isdigit() and near.isdigit()
    letters = edge.isascii() and edge.isalpha() and near.isascii() and near.isalpha()
    return both_digits or letters


def ask_of(outcome: Outcome, turn: int, answer: int, position: int) -> Ask | None:
    """Return what a result answers, None for no such call.

    A model that was asked again may have asked for something else in its place.
    """
    case = outcome.case
    try:
        asks = case.turns[turn].answers[answer]
        if case.model == "other" and answer in case.turns[turn].other:
            place = (turn, answer)
            asked = [m for m in outcome.trace if m.kind == "model" and (m.turn, m.step) == place]
            if asked and asked[-1].facts.get("answered"):
                asks = case.turns[turn].other[answer]
        return asks[position]
    except IndexError:
        return None


def _other_asks(case: Case) -> Iterator[Ask]:
    for turn in case.turns:
        for asks in turn.other.values():
            yield from asks
