"""The samples inside the package."""

from __future__ import annotations

from importlib import resources

import pytest

from eve_replay import samples
from eve_replay.errors import UnknownSource
from eve_replay.journal import Journal
from eve_replay.samples._shelf import places
from eve_replay.worlds.registry import open_world


@pytest.mark.parametrize("name", samples.names())
def test_each_sample_is_whole(name):
    world = samples.open(name)
    for run in world.runs():
        assert list(world.events(run.run_id))
        list(world.steps(run.run_id))
        list(world.others(run.run_id))
    assert world.receipt.clean and world.label == f"sample:{name}"
    assert samples.describe(name)
    assert samples.ledger(name) and all("effect" in line for line in samples.ledger(name))
    assert samples.marks(name)
    assert samples.facts(name)["steps"]
    assert samples.read(name, "facts.json")


@pytest.mark.parametrize("name", samples.names("workshop"))
def test_each_recording_of_the_workshop_opens(name):
    world = samples.open(name)
    assert world.label == f"sample:{name}" and list(world.runs())
    assert samples.describe(name)
    facts = samples.facts(name)
    assert facts["timeline"]
    assert facts["scenario"].startswith(name) or name == "pay-minted-ids"
    # Nothing happened outside where a person said no; everywhere else the tools wrote it down.
    assert bool(samples.ledger(name)) is (name != "approval-denied")
    if facts.get("eveVersion"):
        assert samples.marks(name)


@pytest.mark.parametrize("name", samples.names("incidents"))
def test_each_incident_is_a_world_with_a_ledger(name):
    journal = Journal(samples.open(name))
    assert len(list(journal.sessions)) >= 5 and journal.world.receipt.clean
    assert {"charge", "mail"} <= {line["effect"] for line in samples.ledger(name)}
    assert len({line["pid"] for line in samples.marks(name)}) == 2
    with pytest.raises(FileNotFoundError):  # its own account would be the answer of the lesson
        samples.facts(name)


def test_recordings_are_not_in_the_package_twice():
    shared = [name for group in ("tour", "workshop", "incidents") for name in samples.names(group)]
    assert len(set(shared)) == len(shared)
    minted = {line["idempotencyKey"] for line in samples.ledger("pay-minted-ids")}
    assert len(minted) == len(samples.ledger("pay-minted-ids")) == 2


def test_an_archive_is_unpacked_once():
    first, again = places("pay-with-key"), places("pay-check-then-act")
    assert first[0][0] is again[0][0]


def test_what_really_happened():
    effects = [line["effect"] for line in samples.ledger("crash-in-tool")]
    assert sorted(effects) == ["charge", "charge", "email", "email"]


def test_beginnings_of_names():
    assert samples.open("crash").label == open_world("sample:crash").label == "sample:crash-in-tool"
    with pytest.raises(UnknownSource, match="several"):
        samples.open("")
    with pytest.raises(UnknownSource, match="no sample 'x'"):
        open_world("sample:x")
    with pytest.raises(FileNotFoundError):
        samples.read("crash", "nothing")


def test_a_wrong_name_is_answered_briefly():
    for name, words in (("pay", "pay-with-key"), ("incident-9", "incident-4"), ("moon", "crash-in-tool")):
        with pytest.raises(UnknownSource) as caught:
            samples.open(name)
        assert words in caught.value.hint and len(caught.value.hint) < 220
    assert samples.open("stran").label == "sample:stranded"


def test_writing_one_out(tmp_path):
    folder = samples.extract("crash", tmp_path)
    assert folder == tmp_path / "crash-in-tool"
    assert [r.run_id for r in open_world(str(folder / "data")).runs()] == [
        r.run_id for r in samples.open("crash").runs()
    ]
    with pytest.raises(FileExistsError):
        samples.extract("crash", tmp_path)


def test_writing_one_out_whose_markers_lie_elsewhere(tmp_path):
    folder = samples.extract("pay-with-key", tmp_path)
    assert {each.name for each in folder.iterdir()} == {"data", "ledger.ndjson", "facts.json", "marks.ndjson"}
    assert len(list(open_world(str(folder / "data")).runs())) == 2


def test_they_are_small_and_say_where_they_come_from():
    files = {f.name: f for f in resources.files(samples).iterdir()}
    assert sum(len(f.read_bytes()) for n, f in files.items() if n.endswith(".xz")) < 450_000
    assert "Apache-2.0" in files["README.md"].read_text("utf-8")
