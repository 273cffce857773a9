import json

import pytest

from eve_replay.errors import WrongUse
from eve_replay.views.session.explorer import Explorer
from eve_replay.views.session.timeline import Timeline
from tests.unit.views._sessions import explorer


def test_everything_is_made_once_and_is_json():
    view = explorer("crash-in-tool")
    assert view.tree is view.tree
    assert view.timeline is view.timeline
    assert view.effects is view.effects
    json.dumps([view.tree.to_json(), view.timeline.to_json(), view.row().to_json()])
    json.dumps([row.to_json() for row in view.transcript()])
    json.dumps([row.to_json() for row in view.effect_rows()])
    json.dumps([stop.to_json() for stop in view.cursor.stops])


def test_a_policy_decides_what_an_effect_is():
    session = explorer("crash-in-tool").session
    view = Explorer(session, {"charge_card": "read-only", "send_email": "read-only"})
    assert not any(badge.tone == "harm" for row in view.tree.rows for badge in row.badges)
    assert view.effect_rows(reading=False) == ()
    with pytest.raises(WrongUse, match="there is no class"):
        Explorer(session, {"charge_card": "magic"})


def test_an_unknown_turn_has_an_empty_timeline():
    assert explorer("crash-in-tool").turn_timeline("turn_9") == Timeline.nothing()


def test_nothing_is_decoded_for_the_tree_the_timeline_and_the_moves(monkeypatch):
    from eve_replay.codec import Payload
    from tests.support.corpus import scenario
    from tests.unit.views._sessions import journal

    there = journal("crash-in-tool")
    session = there.session(there.heads[0].id)
    view = Explorer(session)
    assert view.effects
    monkeypatch.setattr(Payload, "value", property(lambda self: pytest.fail("a payload was decoded")))
    assert view.tree.rows
    assert view.timeline.rows
    assert len(view.cursor) > 0
    assert view.inspector.tabs(view.tree.rows[1].key)
    assert scenario("crash-in-tool").exists()
