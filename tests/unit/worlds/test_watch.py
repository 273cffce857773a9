"""Following a folder while it is written to, half-written files included; nothing of it is touched."""

from __future__ import annotations

import json
import sys
import threading
import time

import pytest

from eve_replay.cli import run as run_cli
from eve_replay.ids import ulid_time
from eve_replay.worlds.base import Watchable
from eve_replay.worlds.live import follow
from eve_replay.worlds.local import watch as local_watch
from eve_replay.worlds.local.opener import MemoryTree, open_tree
from eve_replay.worlds.postgres import watch as postgres_watch
from eve_replay.worlds.registry import open_world
from tests.support.corpus import data


def target_with_first_files(name, folder):
    """Return a copy that holds the runs and nothing of the log yet, and the files still to come."""
    source = data(name)
    later = []
    for path in sorted(source.rglob("*")):
        place = folder / path.relative_to(source)
        if path.is_dir():
            place.mkdir(parents=True, exist_ok=True)
        elif "events" in path.relative_to(source).parts[:1]:
            later.append((path, place))
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())
    return later


def write(later, pause):
    for number, (path, place) in enumerate(later):
        content = path.read_bytes()
        if number % 4 == 1:  # filled in place, in two writes
            with place.open("wb") as file:
                file.write(content[: len(content) // 2])
                file.flush()
                time.sleep(3 * pause)
                file.write(content[len(content) // 2 :])
        else:
            part = place.with_name(f"{place.name}.tmp.1")
            part.write_bytes(content)
            part.rename(place)
        time.sleep(pause)


@pytest.mark.parametrize("how", ["notices", "looks"])
def test_events_arrive_once_and_in_order_while_they_are_written(how, tmp_path, monkeypatch):
    if how == "looks":
        monkeypatch.setitem(sys.modules, "watchfiles", None)
        monkeypatch.setattr(local_watch, "_EVERY", 0.05)
    else:
        pytest.importorskip("watchfiles")
    later = target_with_first_files("crash-in-tool", tmp_path)
    world = open_world(str(tmp_path), kind="local")
    assert isinstance(world, Watchable)
    stop = threading.Event()
    found = []
    wanted = len(list(later))
    writer = threading.Timer(0.4, write, (later, 0.02))
    limit = threading.Timer(30, stop.set)
    limit.daemon = True
    writer.start()
    limit.start()
    for event in follow(world, stop):
        found.append(event)
        if len(found) == wanted:
            stop.set()
    writer.join()
    limit.cancel()
    expected = [e.event_id for r in world.runs() for e in world.events(r.run_id)]
    assert sorted(e.event_id for e in found) == sorted(expected)
    assert len(found) == wanted
    for run in world.runs():
        of_run = [e.event_id for e in found if e.run_id == run.run_id]
        assert sorted(of_run) == sorted(e.event_id for e in world.events(run.run_id))


def test_what_is_there_can_come_first_and_archives_end_at_once():
    stop = threading.Event()
    stop.set()
    world = open_world(str(data("crash-in-tool")))
    assert list(follow(world, stop)) == []
    assert len(list(follow(world, stop, old=False))) == sum(
        len(list(world.events(run.run_id))) for run in world.runs()
    )
    tree = MemoryTree({"runs/wrun_1.json": b'{"runId":"wrun_1"}'})
    assert list(open_tree(tree).changes(threading.Event())) == []


def test_the_command_prints_lines_and_stops_by_itself(capsys):
    source = str(data("crash-in-tool"))
    assert run_cli(["watch", source, "--for", "0.2", "--all", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines and all(line["eventId"] and line["runId"] for line in lines)
    assert run_cli(["watch", source, "--for", "0.2", "--all"]) == 0
    out = capsys.readouterr().out
    assert len(out.splitlines()) == len(lines)
    assert "step_started" in out
    assert run_cli(["watch", source, "--for", "-1"]) == 2
    assert run_cli(["watch", "sample:crash-in-tool", "--for", "0.2"]) in (0, 2)


def test_ctrl_c_gives_130(monkeypatch):
    from eve_replay.worlds import live

    def interrupted(world, stop, *, old=True):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(live, "follow", interrupted)
    assert run_cli(["watch", str(data("crash-in-tool"))]) == 130


def test_a_database_is_asked_by_event_id_with_room_for_late_commits():
    class Database:
        def __init__(self):
            self.ids = ["wevt_01M8NW0WYBJEQ01GXV4H6W56NH"]
            self.asked = []

        def refresh(self):
            if len(self.asked) == 0 and len(self.ids) == 1:
                self.ids.append("wevt_01M8NW0X6SPAJ0DQKPVKG0VFR3")
            else:
                stop.set()

        def newest_event(self):
            return self.ids[-1]

        def touched_since(self, event_id):
            self.asked.append(event_id)
            return {"wrun_1"}

    stop = threading.Event()
    database = Database()
    assert list(postgres_watch.changes(database, stop, every=0.01)) == [{"wrun_1"}]
    since = ulid_time(database.asked[0])
    assert 9 <= (ulid_time(database.ids[0]) - since).total_seconds() <= 11
    assert postgres_watch._earlier("evnt_7") == "evnt_7"


@pytest.mark.postgres
def test_a_real_database_tells_of_new_events():
    from tests.support import pgserver
    from tests.support.corpus import scenario

    server = pgserver.server()
    url = server.create("watched", scenario("postgres/sdk5_sleephook") / "final" / "dump.sql")
    world = open_world(url)
    run = next(iter(world.runs()))
    stop = threading.Event()
    limit = threading.Timer(20, stop.set)
    limit.daemon = True
    limit.start()

    def add():
        with server.connect("watched") as link:
            link.execute(
                "insert into workflow.workflow_events (id, type, run_id, correlation_id) "
                "values ('wevt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'step_started', %s, 'step_x')",
                (run.run_id,),
            )

    threading.Timer(1.2, add).start()
    found = []
    for event in follow(world, stop):
        found.append(event.event_id)
        stop.set()
    limit.cancel()
    world.close()
    assert found == ["wevt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ"]
