"""What people mistype. A type checker has to find something wrong in each line that ends in ``# wrong``."""

import eve_replay as er
from eve_replay import opne_world  # wrong
from eve_replay.workshop import chekc  # wrong

journal = er.open_jurnal("sample:crash-in-tool")  # wrong
session = er.open_journal("sample:crash-in-tool").session()
er.no_such  # wrong
er.explore(session, policy={"charge_card": "claim"})  # wrong
er.explore(3.5)  # wrong
er.crash_lab(session, polcy=1)  # wrong
er.attempt_diff(session, "1")  # wrong
er.simulate(session, 53.5)  # wrong
er.simulate(session, "in-tool", model="new-ids")  # wrong
er.matrix(session, question="turn_0")  # wrong
er.matrix(session, lease_seconds=20)  # wrong
er.forecast(session, runtime="flue")  # wrong
er.why(session, lease=20)  # wrong
er.why(session, ledger=3)  # wrong
er.Question(model="luck")  # wrong
er.Question(strategys={})  # wrong
er.Question().model = "other"  # wrong
session.turns[0].steps[0].attempts[0].outcome == "done-for"  # wrong
step = session.steps[0]
step.inptu  # wrong
step.input.value  # wrong
assert step.input is not None
step.input.value["args"]  # wrong
step.input.value.upper()  # wrong
