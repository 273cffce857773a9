"""Search: ids, names, texts and paths inside decoded payloads, as a stream of hits."""

from itertools import islice

import pytest

from eve_replay.errors import WrongUse
from eve_replay.values import BigInt, JsDate, JsMap
from eve_replay.views.search.search import Pattern, search, search_session
from tests.support.runlog import RunLog
from tests.unit.views._sessions import explorer, journal

RUN = "wrun_01AAAAAAAAAAAAAAAAAAAAAAAA"
STEP = "step_01AAAAAAAAAAAAAAAAAAAAAAAA"


def hits(name, text, **options):
    there = journal(name)
    pattern = Pattern(text, **{k: options.pop(k) for k in ("regex", "case") if k in options})
    return list(search(there.world, pattern, **options))


def test_values_are_found_with_their_path():
    found = hits("crash-in-tool", "cus_42", fields=["values"])
    assert ("run", "input", "$[0].input.message") in [(h.kind, h.where, h.path) for h in found]
    inner = next(h for h in found if h.kind == "step")
    assert inner.path.endswith(".input.customer")
    assert inner.text[inner.start : inner.end] == "cus_42"
    assert inner.key.startswith("step:")


def test_ids_names_and_paths_are_fields_of_their_own():
    assert {h.kind for h in hits("crash-in-tool", "turnStep", fields=["names"])} == {"step"}
    assert {h.field for h in hits("crash-in-tool", "4SKF", fields=["ids"])} == {"ids"}
    paths = hits("crash-in-tool", "chargeId", fields=["paths"])
    assert all(h.path.endswith("chargeId") for h in paths)
    assert hits("crash-in-tool", "chargeId", fields=["values"]) == []


def test_a_text_repeated_in_every_input_is_reported_once():
    once = hits("crash-before-commit", "Receipt", fields=["values"])
    every = hits("crash-before-commit", "Receipt", fields=["values"], every=True)
    assert 0 < len(once) < len(every)


def test_case_counts_only_when_asked_for_or_typed():
    assert hits("crash-in-tool", "CHARGE_CARD", case=False, fields=["values"])
    assert not hits("crash-in-tool", "CHARGE_CARD", fields=["values"])
    assert hits("crash-in-tool", "charge_CARD", case=False, fields=["values"])


def test_expressions():
    assert hits("crash-in-tool", r"ch_[a-z0-9]{8}", regex=True, fields=["values"])
    with pytest.raises(WrongUse, match=r"unterminated|missing"):
        Pattern("(", regex=True)
    assert Pattern("x*", regex=True).find("aaa") is None


def test_the_stream_is_searched_when_it_is_given():
    there = journal("crash-in-tool")
    session = there.session(there.heads[0].id)
    pattern = Pattern("action.result")
    found = list(
        search(there.world, pattern, events_of=lambda run: session.stream_events if run == session.id else ())
    )
    assert {h.kind for h in found} == {"chunk"}
    assert list(search(there.world, pattern)) == []


def test_hits_come_as_they_are_found():
    there = journal("simple-turn")
    assert len(list(islice(search(there.world, Pattern("e")), 3))) == 3


def test_only_some_runs():
    there = journal("crash-in-tool")
    runs = [record.run_id for record in there.records]
    found = hits("crash-in-tool", "wrun", runs=runs[1:])
    assert {h.run_id for h in found} == set(runs[1:])


def test_typed_values_are_found_and_hits_are_safe():
    value = {"at": JsDate(0), "big": BigInt(12345), "map": JsMap([("k", "x\x1b[2J" + "y" * 500 + "needle")])}
    log = RunLog().run(RUN, "workflow//./a//b", input=[value]).step(STEP, "step//./a//c", starts=(1,), end=2)
    world = log.journal().world
    for text, path in (("1970-01-01", "$[0].at"), ("12345", "$[0].big")):
        (hit,) = search(world, Pattern(text))
        assert hit.path == path
    (hit,) = search(world, Pattern("needle"))
    assert hit.path == "$[0].map.entries[0][1]"
    assert hit.text.startswith("…")
    (hit,) = search(world, Pattern("\x1b"))
    assert "\\x1b" in hit.text
    assert hit.text.isprintable()


def test_a_joined_session_is_searched_like_its_world():
    view = explorer("crash-in-tool")
    there = journal("crash-in-tool")
    session = view.session
    stream = lambda run: session.stream_events if run == session.id else ()  # noqa: E731
    for text in ("cus_42", "turnStep", "chargeId", "action.result"):
        pattern = Pattern(text)
        assert list(search_session(session, pattern)) == list(search(there.world, pattern, events_of=stream))
    assert {view.cursor.go(None, hit.key).kind for hit in view.search("cus_42")} <= {
        "run",
        "step",
        "event",
        "chunk",
        "session",
    }
    assert view.search("") == ()
    with pytest.raises(WrongUse, match="not a regular expression"):
        view.search("(", regex=True)
