"""Ledgers: reading them in every form, and joining them with effects."""

import sqlite3

import pytest

from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.journal.effects.build import effects_of
from eve_replay.journal.ledger.join import join, journal_end
from eve_replay.journal.ledger.model import Ledger
from tests.support.synthetic import (
    RUN,
    at,
    attempt,
    call,
    function_step,
    iso,
    model_run,
    session,
    turn_step,
)

ROWS = [
    {"at": iso(1), "effect": "charge", "callId": "c1", "idempotencyKey": "k1", "sessionId": RUN},
    {"at": iso(11), "effect": "charge", "callId": "c1", "idempotencyKey": None, "sessionId": RUN},
]


def twice():
    return effects_of(
        session(
            model_run(
                turn_step(
                    attempt(1, call("c1"), outcome="interrupted"),
                    attempt(2, call("c1", attempt=2, returned=12), start=10),
                )
            )
        )
    )


def test_rows_ndjson_csv_and_arrays_say_the_same(tmp_path):
    rows = Ledger.load(ROWS)
    ndjson = tmp_path / "l.ndjson"
    ndjson.write_text("\n".join(__import__("json").dumps(r) for r in ROWS) + "\n")
    array = tmp_path / "l.json"
    array.write_text(__import__("json").dumps(ROWS))
    table = tmp_path / "l.csv"
    table.write_text(
        "Created At,Effect,Call ID,Idempotency-Key,session id\n"
        f"{iso(1)},charge,c1,k1,{RUN}\n{iso(11)},charge,c1,,{RUN}\n"
    )
    for other in (ndjson, array, table):
        found = Ledger.load(other)
        assert [(e.at, e.effect, e.call_id, e.key) for e in found.entries] == [
            (e.at, e.effect, e.call_id, e.key) for e in rows.entries
        ], other.name


def test_sqlite_and_any_connection(tmp_path):
    path = tmp_path / "l.db"
    link = sqlite3.connect(path)
    link.execute("create table pay (ts real, kind text, stripe text)")
    link.execute("insert into pay values (?, 'charge', 'k1')", (at(1).timestamp(),))
    link.commit()
    query = "select ts, kind, stripe from pay"
    from_file = Ledger.load(path, query=query, columns={"key": "stripe", "effect": "kind"})
    from_link = Ledger.load(link, query=query, columns={"key": "stripe", "effect": "kind"})
    link.close()
    assert from_file.entries[0].at == from_link.entries[0].at == at(1)
    assert from_file.entries[0].key == "k1"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["l.db"]


def test_a_frame_is_anything_with_to_dict():
    class Frame:
        def to_dict(self, orient):
            assert orient == "records"
            return [{"time": 1_800_000_000_000, "tool": "charge", "call": float("nan")}]

    entry = Ledger.load(Frame()).entries[0]
    assert entry.call_id is None and entry.effect == "charge" and entry.at.year == 2027


def test_bad_lines_cost_themselves_only(tmp_path):
    path = tmp_path / "l.ndjson"
    path.write_bytes(b'{"effect": "charge"}\n{"eff\n[1]\n\xff\n{"effect": "mail"}\n')
    book = Ledger.load(path)
    assert book.names == ("charge", "mail")
    assert len(book.receipt.skipped) == 3


def test_wrong_use_is_said(tmp_path):
    with pytest.raises(SourceUnreadable):
        Ledger.load(tmp_path / "none.ndjson")
    with pytest.raises(SourceUnreadable):
        Ledger.load(tmp_path / "none.db", query="select 1")
    with pytest.raises(WrongUse, match="query"):
        Ledger.load(sqlite3.connect(":memory:"))
    with pytest.raises(WrongUse, match="no column"):
        Ledger.load(ROWS, columns={"colour": "x"})
    with pytest.raises(WrongUse):
        Ledger.load(5)
    text = tmp_path / "x.db"
    text.write_text("not a database")
    with pytest.raises(SourceUnreadable, match="SQLite"):
        Ledger.load(text, query="select * from pay")


def test_join_by_call_id_counts():
    joined = join(twice(), Ledger.load(ROWS))
    assert joined.counts[0].count == 2
    assert joined.counts[0].how == ("call-id", "call-id")
    assert joined.counts[0].verdict == "agrees"
    assert not joined.unmatched and not joined.hidden and not joined.missing


def test_join_by_key_where_the_call_id_is_missing():
    found = effects_of(
        session(model_run(turn_step(attempt(1, call("c1", returned=2, output={"idempotencyKey": "k9"})))))
    )
    joined = join(found, Ledger.load([{"effect": "charge", "key": "k9"}]))
    assert joined.counts[0].how == ("key",)


def test_join_by_time_and_name():
    steps = (
        function_step(attempt(1), step_id="s1", name="step//./app//chargeCard"),
        function_step(attempt(1), step_id="s2", name="step//./app//printLabel"),
    )
    rows = [
        {"at": iso(5), "effect": "label"},
        {"at": iso(5), "effect": "charge"},
        {"at": iso(500), "effect": "charge"},
    ]
    joined = join(effects_of(session(model_run(*steps))), Ledger.load(rows))
    assert [(c.effect.tool, c.count) for c in joined.counts] == [("chargeCard", 1), ("printLabel", 1)]
    assert [e.line for e in joined.unmatched] == [3]


def test_steps_of_the_same_name_share_the_lines():
    steps = [function_step(attempt(1), step_id=f"s{n}", name="step//./app//slow") for n in range(3)]
    rows = [{"at": iso(1), "effect": "slow"} for _ in range(3)]
    joined = join(effects_of(session(model_run(*steps))), Ledger.load(rows))
    assert [c.count for c in joined.counts] == [1, 1, 1]


def test_more_effects_than_starts_is_flagged():
    """T48 (wf#3553): the body ran twice, the journal has one start."""
    found = effects_of(session(model_run(turn_step(attempt(1, call("c1", returned=2))))))
    joined = join(found, Ledger.load(ROWS))
    assert joined.hidden[0].count == 2
    assert joined.hidden[0].verdict == "more effects than starts"


def test_a_ledger_that_outlives_the_journal_is_not_held_against_it():
    open_ = session(model_run(turn_step(attempt(1, call("c1"), outcome="running", window_end=None))))
    ends = {RUN: at(2)}
    joined = join(effects_of(open_), Ledger.load(ROWS), ends=ends)
    assert joined.counts[0].verdict == "the ledger goes on longer"
    assert not joined.hidden
    assert journal_end(open_) is None  # it tells of no instant at all
    assert journal_end(session(model_run(turn_step(attempt(1))))) is None


def test_starts_without_an_effect_and_tools_it_does_not_cover():
    found = effects_of(
        session(
            model_run(
                turn_step(
                    attempt(
                        1,
                        call("c1", returned=2),
                        call("c2", returned=2, position=1),
                        call("w", name="get_weather", returned=2, position=2),
                    )
                )
            )
        )
    )
    joined = join(found, Ledger.load(ROWS[:1]))
    assert [(c.effect.call_id, c.count) for c in joined.counts] == [("c1", 1), ("c2", 0), ("w", None)]
    assert [c.effect.call_id for c in joined.missing] == ["c2"]


def test_another_sessions_line_is_not_ours():
    joined = join(twice(), Ledger.load([{"effect": "charge", "callId": "c1", "sessionId": "wrun_other"}]))
    assert len(joined.unmatched) == 1


def test_a_count_column_only_when_mapped():
    rows = [{"effect": "charge", "callId": "c1", "n": 3}]
    assert join(twice(), Ledger.load(rows)).counts[0].count == 1
    assert join(twice(), Ledger.load(rows, columns={"count": "n"})).counts[0].count == 3


OTHER = "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64T"


@pytest.mark.parametrize(
    "foreign",
    [
        {"stepId": "step_01M8NVET2Q9XT7ZZ1AMCAAJ64Z"},
        {"stepId": "s2"},
        {"runId": OTHER},
        {"sessionId": OTHER},
    ],
)
def test_a_line_that_names_another_step_run_or_session_is_not_joined(foreign):
    """Not by name, not by time, not because nothing else lies there (sdk4_crash, after-kill)."""
    steps = [
        function_step(attempt(1, outcome="running", window_end=None), step_id="s1"),
        function_step(attempt(1, start=900), step_id="s2", name="step//./app//mail"),
    ]
    found = effects_of(session(model_run(*steps)))
    for effect in ("charge", "email", ""):
        line = {"at": iso(3), "effect": effect, **foreign}
        own = {"at": iso(2), "effect": "charge", "stepId": "s1"}
        joined = join(found, Ledger.load([own, line]))
        assert joined.counts[0].count == 1, (effect, foreign)


def test_columns_that_only_look_like_ours_claim_nothing():
    """An order number, a web session, the number of a step: nothing that an effect here could have."""
    found = effects_of(session(model_run(function_step(attempt(1), step_id="step_1"))))
    line = {"at": iso(3), "effect": "charge", "call": "ord_1", "session": "web-7", "step": "2", "run": "x"}
    assert join(found, Ledger.load([line])).counts[0].how == ("time",)


def test_a_step_id_that_two_runs_share_goes_to_the_run_that_is_named():
    runs = [
        model_run(function_step(attempt(1), step_id="step_1", run_id=run_id), run_id=run_id)
        for run_id in (RUN, OTHER)
    ]
    found = effects_of(session(*runs))
    joined = join(found, Ledger.load([{"effect": "charge", "stepId": "step_1", "runId": OTHER}]))
    assert {c.effect.run_id: c.count for c in joined.counts} == {RUN: 0, OTHER: 1}


def test_a_call_of_another_id_is_another_call():
    """sweep T1: a later charge of the same turn, which the journal of the crash does not know yet."""
    found = effects_of(
        session(model_run(turn_step(attempt(1, call("mock-1"), outcome="running", window_end=None))))
    )
    lines = [{"at": iso(n), "effect": "charge", "callId": f"mock-{n}"} for n in (1, 2)]
    joined = join(found, Ledger.load(lines))
    assert [(c.count, c.how) for c in joined.counts] == [(1, ("call-id",))]
    assert [e.line for e in joined.unmatched] == [2]


def test_a_call_id_that_a_crash_lost_is_found_by_time():
    """The model gives the repeated call a new id; the first one is only in the ledger."""
    found = effects_of(
        session(
            model_run(
                turn_step(
                    attempt(1, outcome="interrupted"),
                    attempt(2, call("mock-b", attempt=2, returned=12), start=10),
                )
            )
        )
    )
    rows = [{"at": iso(t), "effect": "charge", "callId": f"mock-{i}"} for t, i in ((2, "a"), (11, "b"))]
    joined = join(found, Ledger.load(rows))
    assert [(c.count, c.how, c.verdict) for c in joined.counts] == [(2, ("time", "call-id"), "agrees")]


def test_a_neighbours_line_beside_the_window_is_never_the_one_too_many():
    """redisr_failed: two runs a tenth of a second apart, lines without ids; one session is looked at."""
    steps = [
        function_step(attempt(1, start=0.0, window_end=at(1), outcome="failed"), step_id="s1"),
        function_step(attempt(1, start=1.1, window_end=at(2.1), outcome="failed"), step_id="s1"),
    ]
    lines = Ledger.load([{"at": iso(t), "effect": "charge"} for t in (0.97, 1.15)])
    for step, own in zip(steps, (1, 2), strict=True):
        joined = join(effects_of(session(model_run(step))), lines)
        assert [[e.line for e in c.entries] for c in joined.counts] == [[own]]
        assert not joined.hidden


def test_a_second_line_inside_the_window_is_one_too_many():
    found = effects_of(session(model_run(function_step(attempt(1), step_id="s1"))))
    lines = Ledger.load([{"at": iso(t), "effect": "charge"} for t in (1, 2)])
    assert join(found, lines).hidden[0].count == 2


def test_lines_written_beside_the_effect_do_not_count():
    found = effects_of(session(model_run(function_step(attempt(1), step_id="step_1"))))
    for names in (["charge", "audit"], ["audit", "charge"], ["ledger", "audit"]):
        rows = [{"at": iso(2), "effect": name, "stepId": "step_1"} for name in names]
        joined = join(found, Ledger.load(rows))
        assert joined.counts[0].count == 1 and not joined.unmatched, names


def test_a_turn_step_holds_calls_of_other_names():
    found = effects_of(session(model_run(turn_step(attempt(1, call("c1", returned=2))))))
    step_id = found[0].step_id
    rows = [{"at": iso(2), "effect": name, "stepId": step_id} for name in ("charge", "restart")]
    joined = join(found, Ledger.load(rows))
    assert joined.counts[0].count == 1 and [e.line for e in joined.unmatched] == [2]
