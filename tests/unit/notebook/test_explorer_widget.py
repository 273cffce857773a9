"""The explorer both ways: selection, expressions, links, breakpoints, and what stays hidden."""

import ast

import pytest

import eve_replay as er
from eve_replay.notebook.python_path import Root, python_path
from eve_replay.views.inspect.value import ValueTree
from tests.support.corpus import scenario

pytest.importorskip("anywidget")
SDK = "local-sdk/local5_crash"


@pytest.fixture
def journal():
    return er.open_journal("sample:crash-in-tool")


@pytest.fixture
def session(journal):
    return journal.session()


def moved(widget, **position):
    """What the page does when somebody moves."""
    widget.position = {"tab": "input"} | position


def test_what_is_selected_is_the_object(journal, session):
    w = er.explore(session)
    w.select(session)  # another test may have been elsewhere: a place is remembered
    assert w.selected is session
    again = session.repeated[0].attempts[1]
    call = again.tool_calls[0]
    heard = []
    w.on_select(heard.append)
    for thing in (session.turns[0], session.repeated[0], again, call, session.runs[0].events[4]):
        w.select(thing)
        assert w.selected is thing and heard[-1] is thing and w.goal["key"] == w.position["key"]
    w.select(call.call_id)
    assert w.selected.call_id == call.call_id
    w.on_select(heard.append, remove=True)
    before = len(heard)
    w.select(session)
    assert len(heard) == before
    with pytest.raises(er.WrongUse, match="cannot be selected"):
        w.select(3)
    with pytest.raises(er.NotFound):
        w.select("evnt_nowhere")
    with pytest.raises(er.NotFound):
        w.select(er.open_journal("sample:simple-turn").session().turns[0])


def test_expressions_lead_to_the_very_thing(journal, session):
    w = er.explore(session)
    keys = {row.key for row in w.moments.view.tree.rows} | {stop.key for stop in w.moments.stops}
    for key in keys:
        moved(w, key=key)
        if key.startswith("session:") and key[8:] != session.id:
            continue  # a subagent's session is another one's
        found = eval(w.expression, {"journal": journal})
        assert repr(found) == repr(w.selected) or "beside" in key, key
    looked = 0
    for key in sorted(keys):
        for tab in () if key.startswith("model:") else ("input", "output"):
            body = w.moments.view.inspector.tab(key, tab).body
            first = body.children(body.root)[:1] if isinstance(body, ValueTree) else ()
            for node in first:
                moved(w, key=key, tab=tab, path=node.path)
                assert repr(eval(w.expression, {"journal": journal})) == repr(w.selected_value), (key, tab)
                looked += 1
    assert looked > 20
    turn = next(row.key for row in w.moments.view.tree.rows if row.kind == "step" and "turnStep" in row.label)
    moved(w, key=turn, path="$.args[0].serializedContext")
    assert eval(w.expression, {"journal": journal}) == w.selected_value != {}
    assert eval(w.link.replace(f"journal.session({session.id!r})", "s"), {"er": er, "s": session})


def test_it_stops_where_the_condition_fits(session):
    w = er.run_until(session, lambda m: m.tool == "charge_card")
    assert w.moment.label == "charge_card requested" and w.moment.attempt.n == 1
    assert w.breaks["text"] == 'm.tool == "charge_card"'

    def ask(index, *, back=False):
        return w._answer({"do": "hit", "id": w.breaks["id"], "index": index, "back": back})["index"]

    second = ask(w.moment.index)
    assert w.moments[second].attempt.n == 2
    assert ask(second, back=True) == w.moment.index and ask(w.moment.index, back=True) is None
    last = er.run_until(session, lambda m: m.tool == "charge_card", backwards=True).moment
    assert last.type == "action.result"
    after = er.run_until(session, lambda m: m.type == "turn.completed", after=last)
    assert after.moment.index > last.index
    tokens = '$["eve.harness.requestEnvelopeTokens"]'  # what is stored in the session's state
    rich = er.run_until(session, lambda m: m.state.at(tokens) > 1000)
    assert rich.moment.label == "turnStep: completed" and rich.moment.state.at(tokens) == 3029
    before = rich.moments[rich.moment.index - 1]
    assert not before.state.at(tokens) and len(before.state.history) < len(rich.moment.state.history)
    w.break_on(None)
    assert not w.breaks
    with pytest.raises(er.NotFound, match="moments looked at"):
        er.run_until(session, lambda m: m.tool == "refund")
    with pytest.raises(er.WrongUse, match=r"moment 0 .*AttributeError"):
        er.run_until(session, lambda m: m.nothing)
    with pytest.raises(er.WrongUse, match="no function"):
        er.run_until(session, "charge_card")


def test_secrets_stay_hidden_until_asked_for():
    secret = "sk_live_" + "51Habcdefghijklmnopqrstuv"
    from eve_replay.views.inspect import value

    shown = value.value_node({"note": f"key {secret}"}).text
    assert secret not in shown
    hidden, open_ = (er.explore("sample:crash-in-tool", reveal=each) for each in (False, True))
    for each, shows in ((hidden, False), (open_, True)):
        way = each._answer({"do": "way", "value": secret, "looked": 0})["way"]
        assert (secret in str(way)) == shows
    ask = {"do": "probe"}
    hidden._answer, open_._answer = (
        each._answering(lambda _request: value.value_node({"note": f"key {secret}"}).text)
        for each in (hidden, open_)
    )
    assert secret not in hidden._answer(ask) and secret in open_._answer(ask)


@pytest.mark.parametrize(
    ("source", "tool", "count"),
    [(SDK, "charge", 2), ("sample:flue-durable-end", "provision_workspace", 6)],
)
def test_breakpoints_in_other_frameworks(source, tool, count):
    where = scenario(source) / "final" if source == SDK else source
    hits = [m for m in er.moments(where) if m.tool == tool]
    assert len(hits) >= count
    w = er.run_until(where, lambda m: m.tool == tool, after=hits[0])
    assert w.moment == hits[1] and w.breaks["text"] == "m.tool == tool"


@pytest.mark.parametrize(
    "kind", ["session", "run", "turn", "step", "attempt", "model", "call", "event", "chunk", "act"]
)
def test_an_id_never_becomes_code(kind):
    evil = "x') or __import__('os').abort() or ('"
    for of in ("journal", "session"):
        for tab in ("", "input"):
            key = f"{kind}:{'/'.join([evil] * 5)}"
            text = python_path(key, tab, f'$["{evil}"]', root=Root(text="s", of=of))
            names = {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
            assert "__import__" not in names, text
