"""Files of ours are written aside: no half file under the final name, no leftovers."""

import os
import signal
import subprocess
import sys

import pytest

from eve_replay.cli.shared.files import written_aside
from eve_replay.errors import WrongUse


def test_it_takes_the_name_when_all_is_written(tmp_path):
    target = tmp_path / "table.csv"
    with written_aside(target, force=False) as file:
        file.write(b"new")
        assert not target.exists()
    assert target.read_bytes() == b"new" and list(tmp_path.iterdir()) == [target]


def test_the_old_file_stays_until_then_and_when_it_fails(tmp_path):
    target = tmp_path / "table.csv"
    target.write_bytes(b"old")
    with pytest.raises(WrongUse, match="exists"), written_aside(target, force=False):
        raise AssertionError("not reached")
    with pytest.raises(ZeroDivisionError), written_aside(target, force=True) as file:
        file.write(b"half")
        1 / 0  # noqa: B018
    assert target.read_bytes() == b"old" and list(tmp_path.iterdir()) == [target]


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    with (
        pytest.raises(WrongUse, match="cannot be written"),
        written_aside(tmp_path / "no" / "table.csv", force=True),
    ):
        raise AssertionError("not reached")


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_killed_in_the_middle_leaves_the_old_file_and_the_next_one_cleans_up(tmp_path):
    target = tmp_path / "table.csv"
    target.write_bytes(b"old")
    code = (
        "import sys, time; from pathlib import Path; from eve_replay.cli.shared.files import written_aside\n"
        "with written_aside(Path(sys.argv[1]), force=True) as file:\n"
        "    file.write(b'half'); file.flush(); print('ready', flush=True); time.sleep(60)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(target)], stdout=subprocess.PIPE)
    assert child.stdout.readline().strip() == b"ready"
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert target.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 2
    with written_aside(target, force=True) as file:
        file.write(b"new")
    assert target.read_bytes() == b"new" and list(tmp_path.iterdir()) == [target]
