"""An explorer that follows a folder while it is written."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import threading
import time
import zlib

import pytest

import eve_replay as er
from eve_replay.errors import WrongUse
from eve_replay.notebook import explore
from tests.support.corpus import data, scenario


@pytest.fixture
def growing(tmp_path):
    """Give a folder whose last events are not written yet, and what writes them."""
    whole, folder = data("crash-in-tool"), tmp_path / "data"
    shutil.copytree(whole, folder)
    late = [path for path in folder.glob("events/**/*.json") if path.stem[-26:] > f"{15:026d}"]
    assert late
    for path in late:
        path.unlink()

    def write():
        for path in late:
            shutil.copy(whole / path.relative_to(folder), path)

    return folder, write


def moments(widget):
    return len(json.loads(zlib.decompress(base64.b64decode(widget.packed)))["data"]["stops"])


def wait_until(true, seconds=8.0):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    return true()


def watchers():
    return [each for each in threading.enumerate() if each.name == "eve-replay notebook"]


def test_new_events_arrive_without_running_the_cell_again(growing):
    folder, write = growing
    widget = explore(str(folder), live=True)
    before, text = moments(widget), widget._text
    time.sleep(0.3)
    write()
    assert wait_until(lambda: moments(widget) > before)
    assert wait_until(lambda: moments(widget) == moments(explore(str(data("crash-in-tool")))))
    assert widget._text != text or moments(widget) > before
    widget.close()
    assert wait_until(lambda: not watchers())


def test_in_a_notebook_it_reads_where_the_cells_run(growing):
    folder, write = growing
    read_in = []

    async def cell():
        widget = explore(er.open_journal(str(folder)), live=True)
        widget.observe(lambda _: read_in.append(threading.current_thread()), names="packed")
        await asyncio.sleep(0.3)
        write()
        for _ in range(160):
            await asyncio.sleep(0.05)
            if read_in:
                break
        widget.close()

    asyncio.run(cell())
    assert set(read_in) == {threading.main_thread()}


def test_what_cannot_be_followed_is_said():
    with pytest.raises(WrongUse, match="cannot be watched"):
        explore(str(scenario("crash-in-tool") / "oracle.json"), live=True)
    with pytest.raises(WrongUse, match="does not say where it was read from"):
        explore(er.open_journal("sample:crash-in-tool").session(), live=True)
