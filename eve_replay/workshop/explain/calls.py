"""What a call to the outside is in words, and what the outside did about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eve_replay.workshop.explain.evidence import Dealing
from eve_replay.workshop.explain.words import SERVICES, TOLD, cut, fill, named, quote, spell
from eve_replay.workshop.model import Language, Moment

__all__ = ["acted_words", "call_words", "pairs", "short_call", "written"]

_MAIN: Mapping[str, tuple[str, ...]] = {
    "charge": ("order", "cents"),
    "refund": ("id",),
    "reserve": ("item", "count"),
    "send": ("to", "subject"),
    "insert": ("table",),
    "select": ("table",),
    "update": ("table",),
    "tell": ("subject",),
    "lookup": ("key",),
}


def pairs(fields: object, skip: Sequence[str] = ()) -> str:
    """Return ``invoice INV-7, cents 4200``: fields of a call as a person reads them."""
    if not isinstance(fields, Mapping):
        return cut(fields)
    said = [
        f"{cut(name)} {cut(value)}"
        for name, value in fields.items()
        if name not in skip and value not in (None, "")
    ]
    return ", ".join(said)


def written(name: object, given: object) -> str:
    """Return a call as it is written in Python: ``send_mail(to="ann@example.com", subject="Offer")``."""
    if not isinstance(given, Mapping):
        return f"{cut(name)}({cut(given) if given is not None else ''})"
    said = (
        f'{cut(key)}="{cut(value)}"' if isinstance(value, str) else f"{cut(key)}={cut(value)}"
        for key, value in given.items()
    )
    return f"{cut(name)}({', '.join(said)})"


def short_call(moment: Moment) -> str:
    """Return a call as code: ``charge(INV-7, 4200)``, ``set_nx(INV-7)``."""
    facts = moment.facts
    names = _MAIN.get(moment.method, ("key",) if "key" in facts else ())
    said = [cut(facts[name]) for name in names if facts.get(name) is not None]
    if moment.service == "payments" and moment.method == "find":
        said = [f"{cut(name)}={cut(value)}" for name, value in facts.items()]
    name = "transaction" if moment.method == "commit" else moment.method
    return f"{name}({', '.join(said)})"


def call_words(moment: Moment, language: Language, *, keys: bool = True) -> str:
    """Return what a tool asks of the outside, as a sentence.

    Args:
        moment: the call.
        language: of the sentence.
        keys: whether the service looks at keys: otherwise a missing one is not worth a word.
    """
    facts, method = moment.facts, moment.method
    fields: dict[str, object] = {name: cut(value) for name, value in facts.items()}
    key = facts.get("key")
    if method in ("charge", "refund", "send", "reserve"):
        word = "request" if method == "reserve" else "key"
        if method == "send":
            fields["subject"] = quote(facts.get("subject", ""), language)
        if key is None and not keys:
            return fill(TOLD[f"{method}-plain"], language, fields)
        fields["keyed"] = (
            TOLD[f"without-{word}"].get(language)
            if key is None
            else fill(TOLD[f"with-{word}"], language, {"key": quote(key, language)})
        )
        return fill(TOLD[method], language, fields)
    if moment.service == "store":
        fields["key"] = quote(key, language)
        fields["value"] = quote(facts.get("value"), language)
        return fill(TOLD[method.replace("_", "-")], language, fields)
    if method == "find":
        return fill(TOLD["find" if facts else "find-all"], language, {"what": pairs(facts)})
    if method == "lookup":
        return fill(TOLD["lookup"], language, {"key": quote(key, language)})
    if method in ("insert", "update", "select"):
        what = pairs(facts, ("table", "unique", "where"))
        name = "select-all" if method == "select" and not what else method
        return fill(TOLD[name], language, {**fields, "what": what})
    if method == "commit":
        return fill(TOLD["transaction"], language, {"what": _writes(facts.get("writes"), language)})
    if method == "tell":
        return fill(TOLD["tell"], language, {"subject": quote(facts.get("subject", ""), language)})
    return fill(TOLD["other-call"], language, {"call": short_call(moment)})


def _writes(writes: object, language: Language) -> str:
    if not isinstance(writes, list):
        return ""
    said = []
    for each in writes:
        verb = "insert" if "insert" in each else "update"
        said.append(f"{verb} {cut(each[verb])} ({pairs(each, (verb, 'where'))})")
    return TOLD["comma"].get(language).join(said)


def acted_words(
    facts: Mapping[str, object], dealing: Dealing | None, seconds: float, language: Language
) -> str:
    """Return what the outside did, as a sentence; empty where the call has said it all.

    Args:
        facts: of the ``acted`` line.
        dealing: the call it belongs to, None for what the outside did by itself.
        seconds: when.
        language: of the sentence.
    """
    did = str(facts.get("did", ""))
    service = named(SERVICES, str(facts.get("service", "")), language)
    fields: dict[str, object] = {
        **{name: cut(value) for name, value in facts.items()},
        "service": service,
        "Service": service[:1].upper() + service[1:],
    }
    name = _name(did, facts, dealing)
    if did == "forgot":
        fields["after"] = spell(_number(facts.get("after")), language)
        fields["hours"] = spell(_number(facts.get("hours")) * 3600, language)
    elif did == "key-reused":
        fields["first"] = pairs(facts.get("first"), ("method",))
    elif did in ("taken", "got"):
        fields["value"] = quote(facts.get("value"), language)
        fields["since"] = spell(seconds - _number(facts.get("since")), language)
    elif did == "found":
        ids = facts.get("ids")
        fields["ids"] = TOLD["comma"].get(language).join(map(cut, ids)) if isinstance(ids, list) else ""
        rows = facts.get("rows")
        fields["rows"] = "; ".join(pairs(row) for row in rows) if isinstance(rows, list) else ""
    return fill(TOLD[name], language, fields) if name in TOLD else ""


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _name(did: str, facts: Mapping[str, object], dealing: Dealing | None) -> str:
    if did == "charged":
        if facts.get("key") is None or facts.get("first"):
            return "charged"
        return "charged-ignored" if facts.get("ignored") else "charged-key"
    if did == "replayed":
        return "replayed-key"
    if did == "sent" and facts.get("service") == "outbox":
        return "sent-outbox"
    if did == "claimed" and facts.get("ran_out"):
        return "claimed-ran-out"
    if did == "got" and facts.get("value") is None:
        return "got-ran-out" if facts.get("ran_out") else "got-none"
    if did == "found":
        if not facts.get("count"):
            return "found-none"
        return "found-rows" if "rows" in facts else "found"
    if did == "updated" and not facts.get("count"):
        return "updated-none"
    if did in ("set", "deleted", "inserted", "updated", "committed", "told"):
        return ""
    return did
