"""The cursor of the browser and this one make the same moves: both read ``tests/js/cursor.json``.

``EVE_REPLAY_UPDATE=1`` writes the file anew from this one.
"""

import json
import os
from pathlib import Path

import pytest

from eve_replay.errors import NotFound
from eve_replay.notebook.widget_data import _stop
from tests.unit.views._sessions import explorer

FILE = Path(__file__).parents[3] / "js" / "cursor.json"
NAMES = ("crash-before-commit", "subagent", "sdk5-crash")
#: Every so many places of a session; all of them say little more.
STRIDE = 3


def made(name):
    """Return stops and every move from every third place, with the numbers of Python's cursor."""
    view = explorer(name)
    cursor = view.cursor
    points = [stop.id for stop in cursor.stops][2::5]
    cursor.set_points(points)
    places = [(i, level) for i, stop in enumerate(cursor.stops) for level in range(len(stop.path))][::STRIDE]
    moves = {}
    for action in cursor.actions:
        there = [cursor.move(cursor.at(i, level=level), action) for i, level in places]
        moves[action] = [[i, level, to.index, to.level] for (i, level), to in zip(places, there, strict=True)]
    finds = []
    keys = list(dict.fromkeys(key for stop in cursor.stops for key in stop.path))
    for key in keys[:: max(1, len(keys) // 20)]:
        for text in (key, key.rpartition("/")[2], key[-6:], key[-2:]):
            try:
                to = cursor.go(None, text)
                finds.append([text, to.index, to.level])
            except NotFound:
                finds.append([text, None, None])
    stops = [_stop(stop) for stop in cursor.stops]
    return {"name": name, "stops": stops, "points": points, "moves": moves, "finds": finds}


@pytest.mark.parametrize("name", NAMES)
def test_the_moves_are_those_of_the_cases(name):
    now = json.loads(json.dumps(made(name)))
    if os.environ.get("EVE_REPLAY_UPDATE"):
        known = json.loads(FILE.read_text("utf-8"))["sessions"] if FILE.exists() else []
        sessions = sorted(
            [each for each in known if each["name"] != name] + [now], key=lambda each: each["name"]
        )
        lines = ",\n".join(json.dumps(each, separators=(",", ":"), ensure_ascii=False) for each in sessions)
        FILE.write_text(f'{{"sessions":[\n{lines}\n]}}\n', "utf-8")
    case = next(each for each in json.loads(FILE.read_text("utf-8"))["sessions"] if each["name"] == name)
    for part in ("stops", "points", "moves", "finds"):
        assert now[part] == case[part], part
