"""Ledgers: reading them in every form, and joining them with effects."""

import sqlite3

import pytest

from eve_replay.errors import SourceUnreadable, WrongUse
from eve_replay.journal.effects import effects_of
from eve_replay.journal.ledger import Ledger
from eve_replay.journal.ledger_join import join, journal_end
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
