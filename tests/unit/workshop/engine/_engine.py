"""Small cases and a tiny outside for the tests of the engine."""

from eve_replay.workshop.model import Ask, Case, Deed, Turn
from eve_replay.workshop.wire import Call


def ask(tool="act", *, order="o1", effect="deed", **input):
    """A call that wants one deed."""
    given = {"order": order, **input}
    return Ask(tool=tool, input=given, deeds=(Deed(effect=effect, match={"order": order}),))


def case(*answers, turns=1, name="case", **more):
    """A case of so many equal turns; without answers one call of ``act``."""
    each = answers or ((ask(),),)
    return Case(name=name, turns=tuple(Turn(message="go", answers=each) for _ in range(turns)), **more)


class Tiny:
    """An outside with one ledger: ``do`` acts, ``look`` reads, both fast; ``slow`` acts, can be in flight."""

    def __init__(self, wire, setting=None):
        self.wire = wire
        self.done = []
        self.settled = 0

    def _act(self, order, key):
        if key is not None and any(known == (order, key) for known in self.done):
            return "again"
        self.done.append((order, key))
        self.wire.happened("tiny", "deed", {"order": order}, key)
        return "done"

    def _call(self, method, order, key, **more):
        facts = {"order": order, "key": key}
        call = Call(service="tiny", method=method, facts=facts, **more)
        return self.wire.call(call, lambda: self._act(order, key), lambda: None)

    def do(self, order, key=None):
        return self._call("do", order, key)

    def slow(self, order, key=None):
        return self._call("slow", order, key, slow=True, may_time_out=True)

    def look(self, order):
        call = Call(service="tiny", method="look", facts={"order": order}, reads=True)
        return self.wire.call(call, lambda: sum(known == order for known, _ in self.done))

    def refuse(self):
        def act():
            raise ValueError("refused")

        return self.wire.call(Call(service="tiny", method="refuse", facts={}), act)

    def settle(self):
        self.settled += 1


def once(outcome):
    """A promise: every deed of the case once."""
    from eve_replay.workshop.model import Breach

    for deed in outcome.case.deeds:
        count = outcome.count(deed)
        if count != 1:
            return Breach(code="twice" if count else "missed", deed=deed)
    return None


def kinds(outcome):
    """Kinds of the numbered moments, in order."""
    return [moment.kind for moment in outcome.trace if moment.number is not None]


def point(outcome, kind, which=0, **where):
    """Number of the ``which``-th moment of a kind."""
    found = [
        moment.number
        for moment in outcome.trace
        if moment.number is not None
        and moment.kind == kind
        and all(getattr(moment, name) == value for name, value in where.items())
    ]
    return found[which]
