"""Processes, steps and the model in words: who runs what, for the how-many-eth time, and how much later."""

from __future__ import annotations

from collections.abc import Mapping

from eve_replay.workshop.explain.calls import written
from eve_replay.workshop.explain.evidence import Evidence
from eve_replay.workshop.explain.words import TOLD, cut, fill, spell
from eve_replay.workshop.model import Ask, Language, Moment, Outcome

__all__ = ["StepTeller"]


class StepTeller:
    """Tells what processes, steps and the model do; :class:`Teller` in ``teller`` the rest."""

    def __init__(self, outcome: Outcome, language: Language) -> None:
        self.outcome = outcome
        self.language: Language = language
        self.seen = Evidence(outcome)
        self.trace = outcome.trace

    def say(self, name: str, /, **fields: object) -> str:
        """Return a sentence of :data:`TOLD`."""
        return fill(TOLD[name], self.language, fields)

    def step(self, moment: Moment) -> str:
        """Return which step a moment is in: ``step 1``, ``turn 2, step 1``."""
        size = max(1, self.outcome.case.calls_per_step)
        number = moment.step // size + 1
        if len(self.outcome.case.turns) > 1:
            return self.say("step-turn", turn=moment.turn + 1, number=number)
        return self.say("step", number=number)

    def _several(self, moment: Moment) -> bool:
        """Whether it has to be said which tool is called: there are several in the answer."""
        if self.seen.workflow:
            return True
        return len(self._asks(moment)) > 1

    # -- processes --------------------------------------------------------------------------------------

    def _tell_start(self, index: int, moment: Moment) -> str:
        if moment.facts.get("first"):
            return self.say("starts-first")
        name = "stuck" if moment.facts.get("hangs") else "starts"
        following = self._next_told(index)
        if name == "starts" and following is not None and following.kind != "model":
            name = "goes-on"
        return self.say(name, later=self._later(index, moment), process=moment.process)

    def _next_told(self, index: int) -> Moment | None:
        process = self.trace[index].process
        return next(
            (each for each in self.trace[index + 1 :] if each.kind != "replayed" and each.process == process),
            None,
        )

    def _told_later(self, index: int) -> bool:
        """Whether the next thing that is told of a process tells of its start too."""
        moment = self._next_told(index)
        if moment is None or self._replays(index):
            return False
        return moment.kind == "model" or (moment.kind == "tool" and bool(moment.facts.get("workflow")))

    def _replays(self, index: int) -> bool:
        return index + 1 < len(self.trace) and self.trace[index + 1].kind == "replayed"

    def _later(self, index: int, moment: Moment) -> str:
        start = next(
            (
                each
                for each in self.trace[: index + 1]
                if each.kind == "start" and each.process == moment.process and "crashed" in each.facts
            ),
            None,
        )
        if start is None:
            return ""
        here = self.trace[index] if moment.kind != "start" else self._next_told(index) or moment
        crashed = start.facts.get("crashed")
        passed = here.seconds - (crashed if isinstance(crashed, (int, float)) else 0.0)
        waits = start.facts.get("waits")
        rules = start.facts.get("rules")
        leased = (
            isinstance(rules, list) and "lease" in rules and isinstance(waits, (int, float)) and waits > 0
        )
        name = "later-lease" if leased else "later"
        return self.say(name, time=spell(passed, self.language))

    def _tell_replayed(self, index: int, moment: Moment) -> str:
        if "name" in moment.facts:
            return self.say("replayed-name", name=cut(moment.facts["name"]))
        if moment.tool:
            result = moment.facts.get("result")
            unknown = isinstance(result, Mapping) and str(result.get("error", "")).startswith("interrupted")
            return self.say("not-run-again" if unknown else "replayed-call", tool=cut(moment.tool))
        return self.say("replayed", step=self.step(moment))

    def _tell_dormant(self, index: int, moment: Moment) -> str:
        return self.say("dormant")

    def _tell_stopped(self, index: int, moment: Moment) -> str:
        return self.say("stopped-deaf" if moment.facts.get("deaf") else "stopped")

    def _tell_wedged(self, index: int, moment: Moment) -> str:
        return self.say("wedged")

    # -- the model ----------------------------------------------------------------------------------------

    def _asks(self, moment: Moment) -> tuple[Ask, ...]:
        try:
            turn = self.outcome.case.turns[moment.turn]
            asks = turn.answers[moment.step]
        except IndexError:
            return ()
        if self.outcome.case.model == "other" and self._asked_before(moment):
            return turn.other.get(moment.step, asks)
        return asks

    def _asked_before(self, moment: Moment) -> bool:
        """Whether the model had answered this once before the process of this moment asked."""
        asked = next(
            (
                each
                for each in reversed(self.trace)
                if each.kind == "model"
                and (each.turn, each.step, each.attempt) == (moment.turn, moment.step, moment.attempt)
                and each.process == moment.process
            ),
            None,
        )
        answered = asked.facts.get("answered") if asked is not None else 0
        return isinstance(answered, int) and answered > 0

    def _calls(self, moment: Moment) -> dict[int, str]:
        """Call ids by position, as far as their tools were called in this attempt."""
        return {
            each.position: each.call_id
            for each in self.trace
            if each.kind == "tool"
            and (each.turn, each.step, each.attempt, each.process)
            == (moment.turn, moment.step, moment.attempt, moment.process)
        }

    def _tell_model(self, index: int, moment: Moment) -> str:
        first = self._first_of_process(index)
        asks = TOLD["and"].get(self.language).join(self._ask(ask) for ask in self._asks(moment))
        fields: dict[str, object] = {"process": moment.process, "step": self.step(moment), "asks": asks}
        fields["later"] = self._later_once(index, moment)
        again, closing = bool(moment.facts.get("again")), bool(moment.facts.get("closing"))
        if moment.fault is not None:
            return self.say("again-asking" if again else "asking", **fields)
        if closing:
            return self.say("again-closing" if again else "closing", **fields)
        if not first and moment.step % max(1, self.outcome.case.calls_per_step):
            return self.say("asks-inside", **fields)
        if again:
            return self._asked_again(moment, fields) if first else self.say("again-here", **fields)
        if fields["later"]:
            return self.say("again-asks", **fields)
        return self.say("asks" if first else "asks-further", **fields)

    def _later_once(self, index: int, moment: Moment) -> str:
        """How much later a process goes on, where its start has not said so yet."""
        start = next((i for i in range(index, -1, -1) if self.trace[i].kind == "start"), None)
        if start is None or self.trace[start].facts.get("first") or not self._told_later(start):
            return ""
        told = next((i for i in range(start + 1, len(self.trace)) if self._tells_start(i)), None)
        return self._later(index, moment) if told == index else ""

    def _tells_start(self, index: int) -> bool:
        moment = self.trace[index]
        return moment.kind == "model" or (moment.kind == "tool" and bool(moment.facts.get("workflow")))

    def _asked_again(self, moment: Moment, fields: dict[str, object]) -> str:
        model, answered = self.outcome.case.model, self._asked_before(moment)
        if not answered:
            return self.say("again-asks", **fields)
        if model == "other":
            return self.say("again-order" if self._reordered(moment) else "again-other", **fields)
        name = "again-same" if model == "same" else "again-new"
        calls = self._calls(moment)
        if len(self._asks(moment)) == 1 and 0 in calls:
            return self.say(name, calls=calls[0], **fields)
        return self.say(f"{name}-many", **fields)

    def _reordered(self, moment: Moment) -> bool:
        """Whether the model names the same calls as the first time, in another order."""
        turn = self.outcome.case.turns[moment.turn]
        once = list(turn.answers[moment.step]) if moment.step < len(turn.answers) else []
        again = list(self._asks(moment))
        return once != again and len(once) == len(again) and all(ask in again for ask in once)

    def _first_of_process(self, index: int) -> bool:
        process = self.trace[index].process
        return not any(each.kind == "model" and each.process == process for each in self.trace[:index])

    def _ask(self, ask: Ask) -> str:
        return written(ask.tool, ask.input)

    def _tell_tool(self, index: int, moment: Moment) -> str:
        given = moment.facts.get("input")
        if moment.facts.get("workflow"):
            return self._tell_body(index, moment)
        if moment.facts.get("step"):
            starts = moment.attempt
            return self.say(
                "runs-step" if starts < 2 else "runs-step-again", name=cut(moment.facts.get("name", ""))
            )
        return self.say("tool", call=written(moment.tool, given))

    def _tell_body(self, index: int, moment: Moment) -> str:
        """A workflow body starts, or is replayed over what is recorded."""
        fields: dict[str, object] = {"process": moment.process}
        later = self._later_once(index, moment)
        if later:
            return self.say("replays-later", later=later, **fields)
        if moment.facts.get("records") or moment.process > 1:
            return self.say("replays", **fields)
        return self.say("runs-body", call=written(moment.tool, moment.facts.get("input")), **fields)
