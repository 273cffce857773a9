from eve_replay.journal import Evidence
from eve_replay.views.inspect.evidence import evidence_rows
from tests.unit.views._sessions import explorer


def test_rows_lead_to_what_they_name():
    found = evidence_rows(
        "x",
        "observed",
        [
            Evidence(kind="event", id="evnt_1", run_id="wrun_1"),
            Evidence(kind="event", id="evnt_1", run_id="wrun_1"),
            Evidence(kind="chunk", id="chnk_1"),
            Evidence(kind="record", id="step_1", run_id="wrun_1"),
            Evidence(kind="record", id="wrun_1", run_id="wrun_1"),
            Evidence(kind="rule", id="some-rule-of-ours", note="why"),
        ],
    )
    assert [row.key for row in found] == [
        "event:wrun_1/evnt_1",
        "chunk:chnk_1",
        "step:wrun_1/step_1",
        "run:wrun_1",
        "",
    ]
    assert found[-1].short == "some-rule-of-ours"


def test_every_piece_of_evidence_of_a_recording_can_be_gone_to():
    view = explorer("crash-before-commit")
    for row in view.tree.rows:
        for each in view.inspector.tab(row.key, "evidence").body or ():
            if each.kind in ("log event", "stream event"):
                assert view.cursor.go(None, each.key).event == each.key
