"""Lesson 9: an incident. Say what happened, what to give back, and repair the tools.

The report is judged part by part. What is right is computed from the recording (``_incident.truth``); what is
said about a wrong part names the place in the journal or the ledger where it can be seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, islice
from typing import cast

from eve_replay.errors import NotFound
from eve_replay.journal import Step
from eve_replay.journal.effects.build import Effect
from eve_replay.recovery import CLASSES
from eve_replay.views.kit.safe import cut, safe_text
from eve_replay.workshop.explain.words import fill
from eve_replay.workshop.incidents import Incident, incident
from eve_replay.workshop.model import Language, Text
from eve_replay.workshop.task import Judgement, Prediction, Task
from eve_replay.workshop.tasks._desk import TOOLS, desk_task
from eve_replay.workshop.tasks._incident import PLACE, TOO_LATE, Request, Truth, truth
from eve_replay.workshop.tasks._incident_words import HINTS, PARTS, WORDS

__all__ = ["TASK"]

#: What is wrong with one part: a code, the name of its sentence, and what that needs.
_Wrong = tuple[str, str, Mapping[str, object]]
#: More names than these nobody has found.
_MOST_WORDS = 1000
#: How a headline begins; the report's own begins so already.
_NOT_YET = re.compile(r"^(Not yet[:,] |还不行[：，])")
_OTHER_NAMES = {
    "session_id": "session",
    "run_id": "session",
    "turn_id": "turn",
    "step_index": "step",
    "callid": "call_id",
    "sessionid": "session",
    "turnid": "turn",
    "stepindex": "step",
    "chargeid": "charge_id",
    "mailid": "mail_id",
    "idempotencykey": "idempotency_key",
}


def _judge(answer: object, seed: int, language: Language) -> Judgement:
    if not isinstance(answer, Mapping):
        return _said(("not-a-dict", "not-a-dict", {}), (), language)
    report = cast("Mapping[str, object]", answer)
    case = incident(str(report.get("who", "")))
    right: list[str] = []
    for part, wrong in _parts(report, truth(case)):
        if wrong is not None:
            return _said(wrong, right, language)
        right.append(part)
    return _tools(report.get("tools"), case, seed, language)


def _parts(report: Mapping[str, object], found: Truth) -> Iterable[tuple[str, _Wrong | None]]:
    yield "session", _session(_word(report.get("session")), found)
    yield "twice", _twice(_words(report.get("twice")), found)
    yield "kept", _kept(_word(report.get("kept")), found)
    yield "refund", _refund(_words(report.get("refund")), found)
    yield "crash", _crash(_word(report.get("crash")), found)
    yield "key", _key(_words(report.get("key")), found)


def _said(wrong: _Wrong, right: Sequence[str], language: Language) -> Judgement:
    code, name, fields = wrong
    words = fill(WORDS[name], language, fields)
    if right:
        parts = ("、" if language == "zh" else ", ").join(PARTS[part].get(language) for part in right)
        words = fill(WORDS["right-so-far"], language, {"parts": parts}) + (
            words if language == "zh" else f" {words}"
        )
    return Judgement(code=code, words=Text(words, words))


# -- part A -----------------------------------------------------------------------------------------------


def _session(given: str, found: Truth) -> _Wrong | None:
    if not given:
        return "wrong-session", "session-empty", {}
    try:
        session = found.incident.session(given)
    except NotFound:
        return "wrong-session", "session-unknown", {"given": given, "incident": found.incident.name}
    if session.id == found.session.id:
        return None
    again = next((step for step in session.steps if len(step.attempts) > 1), None)
    if again is None:
        return "wrong-session", "session-wanted", {"given": given}
    return "wrong-session", "session-again", {"given": given, **_place(again)}


def _place(step: Step) -> dict[str, object]:
    where = step.coordinates[0] if step.coordinates else None
    return {"turn": where.turn_id if where else step.turn_id, "step": where.step_index if where else "?"}


def _twice(given: Sequence[str], found: Truth) -> _Wrong | None:
    if not given:
        return "missed-one", "twice-empty", _place(found.step)
    named: list[Effect] = []
    for name in given:
        owner = found.owner(name)
        if owner is None:
            return "not-doubled", "twice-unknown", {"given": name}
        effect, _ = owner
        facts = {"given": name, "tool": effect.tool, "position": effect.position}
        if effect in found.silent:
            return "not-doubled", "twice-silent", facts
        if effect not in found.doubled:
            where = effect.coordinate
            place = {"turn": where.turn_id, "step": where.step_index} if where is not None else {}
            return "not-doubled", "twice-single", {"turn": "?", "step": "?", **facts, **place}
        named.append(effect)
    if any(effect not in named for effect in found.doubled):
        return "missed-one", "twice-more", _place(found.step)
    return None


def _kept(given: str, found: Truth) -> _Wrong | None:
    if not found.kept:
        return ("wrong-kept", "kept-none", {}) if given else None
    if given == found.kept:
        return None
    if not given:
        return "wrong-kept", "kept-empty", {}
    if given in found.refund:
        return "wrong-kept", "kept-lost", {"given": given}
    known = found.owner(given) is not None
    return "wrong-kept", "kept-other" if known else "refund-unknown", {"given": given}


def _refund(given: Sequence[str], found: Truth) -> _Wrong | None:
    for name in given:
        if name in found.refund:
            continue
        owner = found.owner(name)
        line = owner[1].line.fields if owner is not None and owner[1] is not None else None
        if name == found.kept:
            return "wrong-refund", "refund-kept", {"given": name}
        if line is None:
            return "wrong-refund", "refund-unknown", {"given": name}
        if "chargeId" not in line:
            return "wrong-refund", "refund-mail", {"given": name}
        if not found.refund:
            return "wrong-refund", "refund-none", {"given": name}
        return "wrong-refund", "refund-wanted", {"given": name, "about": line.get("invoice", "")}
    if any(name not in given for name in found.refund):
        return "wrong-refund", "refund-empty", {}
    return None


def _crash(given: str, found: Truth) -> _Wrong | None:
    wanted = {**{name: name for name in CLASSES}, **{words: name for name, words in CLASSES.items()}}
    klass = wanted.get(given.lower().replace("_", "-")) or wanted.get(given.lower())
    if klass == found.crash:
        return None
    if klass is None:
        known = ", ".join(("in-model", "in-tool", "tools-returned", "committed"))
        return "wrong-crash", "crash-unknown" if given else "crash-empty", {"given": given, "classes": known}
    name = f"crash-{klass}" if f"crash-{klass}" in WORDS and klass != "unknown" else "crash-other"
    return "wrong-crash", name, _place(found.step)


def _key(given: Sequence[str], found: Truth) -> _Wrong | None:
    if not given:
        return "no-key", "key-empty", {"tool": found.tool}
    known = list(dict.fromkeys(name for each in found.requests for name in each.fields))
    names = []
    for word in given:
        plain = word.strip().lower().replace("-", "_").replace(" ", "_")
        name = _OTHER_NAMES.get(plain, plain)
        if name in TOO_LATE:
            return "key-late", "key-late", {"given": word}
        if name not in known:
            return (
                "unknown-field",
                "key-unknown",
                {"tool": found.tool, "given": word, "fields": ", ".join(known)},
            )
        names.append(name)
    return _tried(names, found.requests, found.doubled)


def _tried(names: Sequence[str], requests: Sequence[Request], doubled: Sequence[Effect]) -> _Wrong | None:
    """Try a key on every line of the ledger: repeats must get one key, different wishes different ones."""
    for first, second in combinations(requests, 2):
        keys = [":".join(_short(each.fields.get(name)) for name in names) for each in (first, second)]
        same = first.effect is second.effect
        if same and first.effect in doubled and keys[0] != keys[1]:
            return "key-changed", "key-changed", {"first": keys[0], "second": keys[1]}
    for first, second in combinations(requests, 2):
        keys = [":".join(_short(each.fields.get(name)) for name in names) for each in (first, second)]
        if first.effect is not second.effect and keys[0] == keys[1]:
            return "key-merged", "key-merged", {"first": first.id, "second": second.id, "key": keys[0]}
    return None


def _short(value: object) -> str:
    text = str(value)
    return f"…{text[-4:]}" if text.startswith("wrun_") else text


# -- part B -----------------------------------------------------------------------------------------------


def _tools(tools: object, case: Incident, seed: int, language: Language) -> Judgement:
    from eve_replay.workshop.grading.check import check

    tried = 0
    if not isinstance(tools, Mapping) or not tools:
        return _said(("no-tools", "no-tools", {}), (), language)
    for tool in TOOLS:
        answer = tools.get(tool)
        if answer is None:
            return _said(("no-tools", "no-tool", {"tool": tool}), (), language)
        verdict = check(desk_task(tool, case.name, {}), answer, language=language, seeds=(seed,))
        tried += verdict.tried
        if not verdict.passed:
            said = _NOT_YET.sub("", verdict.headline)
            words = fill(WORDS["tool"], language, {"tool": tool, "words": said})
            return Judgement(
                code=verdict.code,
                words=Text(words, words),
                tried=tried,
                story=verdict.story,
                why=verdict.why,
                next=verdict.next,
                outcome=verdict.outcome,
            )
    passed = Text(
        "The report is right in all parts, and both tools hold: every deed once, in the session of the"
        " incident and in one with wishes that look alike.",
        "报告的每一项都正确，两个工具也都守住了承诺：无论在出事的会话里，还是在意图彼此相像的会话里，每件事都"
        "只"
        "做一次。",
    )
    return Judgement(words=passed, tried=tried)


def _word(value: object) -> str:
    return cut(safe_text(str(value)), 60).strip() if isinstance(value, str | int) else ""


def _words(value: object) -> tuple[str, ...]:
    if isinstance(value, str | int):
        value = [value] if value != "" else []
    if not isinstance(value, Iterable):
        return ()
    return tuple(word for each in islice(value, _MOST_WORDS) if (word := _word(each)))


# -- the prediction ---------------------------------------------------------------------------------------


def _alike() -> Mapping[str, object]:
    """Count pairs of charges of one customer and amount in all incidents, and the repeats among them."""
    pairs = repeats = 0
    for number in range(1, 5):
        found = truth(incident(number))
        lines = [request for some in found.requests_of.values() for request in some]
        charges = [each for each in lines if "chargeId" in each.line.fields and each.fields.get("customer")]
        for first, second in combinations(charges, 2):
            if all(first.fields[name] == second.fields[name] for name in ("customer", "cents")):
                pairs += 1
                repeats += first.effect is second.effect
    return {"pairs": pairs, "repeats": repeats, "wanted": pairs - repeats}


def _by_eye() -> int:
    found = _alike()
    return 2 if found["repeats"] and found["wanted"] else 0 if found["repeats"] else 1


TASK = Task(
    lesson="09",
    slug="the-incident",
    title=Text("The incident", "事故"),
    answer="report",
    kind="judged",
    judge=_judge,
    predictions={
        "by-eye": Prediction(
            question=Text(
                "The ledger of an order desk has two charges: the same customer, the same amount, seconds"
                " apart. Was one of them a mistake?",
                "订单 agent 的账本里有两笔扣款：客户相同，金额相同，只隔几秒。其中一笔是错的吗？",
            ),
            choices=(
                Text("yes, it was charged twice", "是，扣了两次"),
                Text("no, two things were bought", "不是，买了两样东西"),
                Text("the ledger alone cannot tell", "只看账本说不清"),
            ),
            answer=_by_eye,
            reveal=Text(
                "The four ledgers of this lesson have {pairs} such pairs. {repeats} are repeats of one call,"
                " {wanted} were wanted: two invoices, or a customer who bought twice. The journal tells them"
                " apart, because it knows which call a line belongs to.",
                "这一课的四份账本里，这样的扣款共有 {pairs} 对。其中 {repeats} 对是同一个调用的重复，"
                "{wanted} 对是本来就想要的：两张账单，或者客户买了两次。能分清它们的是日志，因为日志知道一行"
                "属于哪个调用。",
            ),
            facts=_alike,
            source="sample:incident-1 to sample:incident-4 (ledgers, journals)",
        ),
    },
    hints=HINTS,
    good=Text(
        "The report holds, and both tools do every deed once in all schedules that were tried. What is left"
        " for a person: a mail that went out twice cannot be called back, and somebody has to write to the"
        " customer. What the repair rests on: the providers honour the keys, and remember them longer than"
        " your process stays away.",
        "报告成立；在所有试过的崩溃方式里，两个工具都把每件事只做一次。剩下的要由人来做：发了两次的邮件收不回"
        "来，要有人给客户写信。修复靠的是：支付服务和邮件服务认键，而且记得比你的进程停机的时间更久。",
    ),
    minutes=30,
    finds=Text(
        "How to find out what a crash did twice, whom to pay back, and which repair would have prevented it.",
        "怎样查出一次崩溃让什么做了两次，该退款给谁，怎样修复本来可以避免它。",
    ),
)

assert set(PLACE).isdisjoint(TOO_LATE)
