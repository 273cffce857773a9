"""An outcome told moment by moment: each moment of a trace has the sentences that belong to it.

A call and what the outside did about it are told at the call, so that a story reads in the order in which a
person would tell it; what landed late is told where it landed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from eve_replay.workshop.explain.calls import acted_words, call_words, pairs, short_call
from eve_replay.workshop.explain.evidence import Dealing
from eve_replay.workshop.explain.steps import StepTeller
from eve_replay.workshop.explain.words import SERVICES, TOLD, cut, fill, named, quote, spell
from eve_replay.workshop.model import Moment
from eve_replay.workshop.outside.refusals import REFUSALS

__all__ = ["Teller"]

#: Moments a story tells only when a fault falls there; the stage shows them all.
QUIET = frozenset({"pause", "returned", "commit", "commit-lock", "commit-record", "committed"})
_DEATHS = {
    "model": "dies-model",
    "pause": "dies-pause",
    "returned": "dies-returned",
    "commit": "dies-commit",
    "commit-lock": "dies-commit-lock",
    "commit-record": "dies-commit-record",
    "committed": "dies-committed",
}
#: Why a request lands inside the call of a later process.
_INSIDE = ("key", "late", "waited")
_IN_CALL = {
    "crash-before": "dies-before",
    "crash-in-flight": "dies-in-flight",
    "crash-after": "dies-after",
}
#: Errors of the outside.
_TOLD_BEFORE = frozenset({"BadRequest", "KeyReused", "Timeout", "UniqueViolation"})
#: Deaths before anything of the step was committed.
_UNCOMMITTED = frozenset({"model", "call", "pause", "returned", "commit"})


class Teller(StepTeller):
    """Tells one outcome in one language."""

    @cached_property
    def _dealings(self) -> Mapping[int, Dealing]:
        return {each.index: each for each in self.seen.dealings}

    @cached_property
    def _late(self) -> frozenset[int]:
        """Acts of the outside that are told where they happened: what landed late, what came by itself."""
        own = {
            index for each in self.seen.dealings for index, _ in each.did if not self._is_late(each, index)
        }
        return frozenset(
            index for index, moment in enumerate(self.trace) if moment.kind == "acted" and index not in own
        )

    def _is_late(self, dealing: Dealing, index: int) -> bool:
        return dealing.call.fault == "crash-in-flight" and index > dealing.index

    # -- one moment -----------------------------------------------------------------------------------

    def sentences(self, index: int) -> tuple[str, ...]:
        """Return the sentences of one moment of the trace, none where nothing is to be told."""
        moment = self.trace[index]
        method = getattr(self, f"_tell_{moment.kind.replace('-', '_')}", None)
        said = method(index, moment) if method is not None else ()
        if isinstance(said, str):
            said = (said,)
        return tuple(_capital(each.strip()) for each in said if each.strip())

    def quiet(self, index: int) -> bool:
        """Return whether a story leaves a moment out: nothing goes wrong or changes there."""
        moment = self.trace[index]
        if moment.kind == "model" and moment.facts.get("closing"):
            return moment.fault is None
        if moment.kind == "tool":
            return not self._several(moment)
        if moment.kind == "note":
            return False
        if moment.kind == "start":
            return self._told_later(index) or bool(moment.facts.get("first"))
        if moment.kind == "returned":
            return moment.fault is not None or self.trace[index - 1].kind == "threw" or not self._idle(index)
        if moment.kind == "pause":
            return not moment.facts.get("durable")
        return moment.kind in QUIET

    def _idle(self, index: int) -> bool:
        """Whether the execution that returns here has changed nothing outside that somebody wanted."""
        body = self.seen.body(index)
        for each in self.seen.dealings:
            if each.index < index and self.seen.body(each.index) == body:
                if each.timed_out or any(facts.get("entries") for _, facts in each.did):
                    return each.timed_out
                if each.facts("replayed"):
                    return False
        return not self.seen.workflow

    # -- calls --------------------------------------------------------------------------------------------

    def _tell_call(self, index: int, moment: Moment) -> tuple[str, ...]:
        if moment.fault == "crash-before":
            return (self.say("about-to", call=short_call(moment)),)
        said = [call_words(moment, self.language, keys=self._heeds_keys(moment.service))]
        for landing in self._waited_for(index):
            said += self._landing(landing)
        dealing = self._dealings[index]
        for when, facts in dealing.did:
            if not self._is_late(dealing, when):
                said.append(self._acted(facts, dealing, self.trace[when].seconds))
        return tuple(said)

    def _heeds_keys(self, service: str) -> bool:
        return bool(self.outcome.case.setting.get(service, {}).get("keys", service != "mail"))

    def _waited_for(self, index: int) -> list[int]:
        """Requests that were carried out first: they landed inside this call."""
        found = []
        for each in range(index + 1, len(self.trace)):
            moment = self.trace[each]
            if moment.kind == "landed" and moment.facts.get("because") in _INSIDE:
                found.append(each)
            elif moment.kind != "acted" and not moment.facts.get("late"):
                break
        return found

    def _landing(self, index: int) -> list[str]:
        """What is told of a request that lands: that it does, and what the outside does then."""
        moment = self.trace[index]
        name = f"landed-{moment.facts.get('because')}"
        service = named(SERVICES, moment.service, self.language)
        said = [self.say(name, process=moment.process, service=service)] if name in TOLD else []
        for each in range(index + 1, len(self.trace)):
            if each not in self._late or self.trace[each].process != moment.process:
                break
            said.append(self._acted(self.trace[each].facts, None, self.trace[each].seconds))
        return said

    @cached_property
    def _landed_acts(self) -> frozenset[int]:
        """Acts that are told with their landing."""
        found = set()
        for index, moment in enumerate(self.trace):
            if moment.kind == "landed":
                for each in range(index + 1, len(self.trace)):
                    if each not in self._late or self.trace[each].process != moment.process:
                        break
                    found.add(each)
        return frozenset(found)

    def _tell_acted(self, index: int, moment: Moment) -> str:
        if index not in self._late or index in self._landed_acts:
            return ""
        return self._acted(moment.facts, None, moment.seconds)

    def _acted(self, facts: Mapping[str, object], dealing: Dealing | None, seconds: float) -> str:
        if facts.get("did") == "charged" and facts.get("key") is not None:
            facts = {**facts, **self._key_history(facts)}
        return acted_words(facts, dealing, seconds, self.language)

    def _key_history(self, facts: Mapping[str, object]) -> Mapping[str, object]:
        """Whether it is the first charge of its kind (nobody wonders at the key), or the key was heeded."""
        numbers = facts.get("entries")
        number = numbers[0] if isinstance(numbers, list) and numbers else 0
        before = [each for each in self.outcome.ledger if each.effect == "charge" and each.number < number]
        forgotten = any(
            each.kind == "acted"
            and each.facts.get("did") == "forgot"
            and each.facts.get("key") == facts["key"]
            for each in self.trace
        )
        charged = self.seen.entry(number)
        about = _about(charged.fields) if charged is not None else None
        before = [each for each in before if each.key == facts["key"] or _about(each.fields) == about]
        same = any(each.key == facts["key"] for each in before)
        late = charged is not None and any(each.process > charged.process for each in before)
        return {"first": not before or (same and forgotten) or late, "ignored": same and not forgotten}

    def _tell_landed(self, index: int, moment: Moment) -> tuple[str, ...]:
        return () if moment.facts.get("because") in _INSIDE else tuple(self._landing(index))

    def _tell_timeout(self, index: int, moment: Moment) -> str:
        call = next((each for each in reversed(self.trace[:index]) if each.kind == "call"), None)
        return self.say("refused" if call is not None and call.fault == "refused" else "lost")

    def _tell_threw(self, index: int, moment: Moment) -> str:
        error = str(moment.facts.get("error", "")).rstrip(".")
        name = error.partition(":")[0]
        if name in _TOLD_BEFORE:  # what was refused has been said at the call, in this language
            error = name
        return self.say("threw-step" if moment.facts.get("again") else "threw", error=cut(error, 200))

    def _tell_diverged(self, index: int, moment: Moment) -> str:
        found = str(moment.facts.get("found", ""))
        recorded = quote(moment.facts.get("recorded", ""), self.language)
        if not found:
            return self.say("ends-early", recorded=recorded)
        return self.say("another-way", found=quote(found, self.language), recorded=recorded)

    def _tell_bad_request(self, index: int, moment: Moment) -> str:
        text = REFUSALS.get(str(moment.facts.get("code")))
        why = fill(text, self.language, moment.facts) if text is not None else ""
        return self.say("bad-request", why=why)

    # -- deaths and quiet moments ---------------------------------------------------------------------------

    def _tell_crash(self, index: int, moment: Moment) -> tuple[str, ...]:
        place = next((each for each in reversed(self.trace[:index]) if each.fault is not None), None)
        if place is None:
            return (self.say("dies-other", process=moment.process),)
        if place.kind == "call":
            name = _IN_CALL.get(str(place.fault), "dies-other")
        elif place.facts.get("unbegun"):
            name = "dies-unbegun"
        elif place.kind == "pause" and place.facts.get("for") == "person":
            name = "dies-waiting"
        elif place.kind == "pause" and place.facts.get("durable"):
            name = "dies-parked"
        elif place.kind == "returned" and self.seen.workflow:
            name = "dies-returned-step" if place.position >= 0 else "dies-returned-body"
        else:
            name = _DEATHS.get(place.kind, "dies-other")
        said = [self.say(name, process=moment.process)]
        if place.kind in _UNCOMMITTED and place.attempt > 0 and self.outcome.case.runtime == "eve":
            said.append(self.say("nothing-committed"))
        return tuple(said)

    def _tell_pause(self, index: int, moment: Moment) -> str:
        seconds = moment.facts.get("seconds")
        if moment.facts.get("durable") and isinstance(seconds, (int, float)):
            before = self.trace[index - 1] if index else moment
            name = "sleeps" if before.kind != "start" else "sleeps-on" if seconds > 0 else "slept"
            return self.say(name, time=spell(float(seconds), self.language))
        return (
            self.say("pause", time=spell(float(seconds), self.language))
            if isinstance(seconds, (int, float))
            else ""
        )

    def _tell_returned(self, index: int, moment: Moment) -> str:
        result = moment.facts.get("result", moment.facts.get("error"))
        if result is None:
            return self.say("returned-nothing")
        return self.say("returned", result=pairs(result))

    def _tell_commit(self, index: int, moment: Moment) -> str:
        return self.say("commit")

    def _tell_commit_lock(self, index: int, moment: Moment) -> str:
        return ""

    _tell_commit_record = _tell_commit_lock

    def _tell_committed(self, index: int, moment: Moment) -> str:
        if self.seen.workflow:
            return self.say("committed", step=cut(moment.tool)) if moment.tool and moment.step >= 0 else ""
        return self.say("committed", step=self.step(moment))

    def _tell_note(self, index: int, moment: Moment) -> str:
        if moment.facts.get("what") == "no-answer":
            return self.say("no-answer")
        name = "printed" if moment.facts.get("printed") else "note"
        return self.say(name, text=cut(moment.facts["text"])) if "text" in moment.facts else ""

    def _tell_asked(self, index: int, moment: Moment) -> str:
        return self.say("asked", text=quote(moment.facts.get("question", ""), self.language))

    def _tell_told(self, index: int, moment: Moment) -> str:
        return self.say("told", text=quote(moment.facts.get("answer", ""), self.language))


def _about(fields: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if name != "id"}


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text[:1].isascii() else text
