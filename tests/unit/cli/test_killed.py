"""A command that is killed leaves the old file or none, a world untouched, and nothing that stays."""

import hashlib
import os
import random
import signal
import subprocess
import sys

import pytest

from eve_replay.worlds.registry import open_world
from tests.support import corpus

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills processes")
#: Dies on its own at the n-th write to the file: the moments that matter, whatever the machine's speed.
DIES = """
import io, os, signal, sys
from eve_replay.cli.shared import files
left = int(sys.argv.pop(1))
real = files.Path.open
def opened(self, mode="r", *rest, **more):
    file = real(self, mode, *rest, **more)
    if self.suffix != ".part":
        return file
    class Dying(io.RawIOBase):
        def writable(self): return True
        def seekable(self): return True
        def seek(self, *at): return file.seek(*at)
        def tell(self): return file.tell()
        def write(self, data):
            global left
            left -= 1
            if left < 0:
                file.write(data[: len(data) // 2]); file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            return file.write(data)
        def close(self): file.close()
    return Dying()
files.Path.open = opened
from eve_replay.cli import main
sys.exit(main())
"""
COMMANDS = {
    "redacted": ("x.everun", ["pack", "SOURCE", "-o", "TARGET", "--force", "--redact"]),
    "table": ("x.csv", ["frames", "SOURCE", "events", "--out", "TARGET", "--force"]),
    "trace": ("x.json", ["trace", "SOURCE", "-o", "TARGET", "--force"]),
}


def hashes(folder):
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_killed_while_it_writes(name, tmp_path):
    world = corpus.scratch("sdk5-crash", tmp_path) / "data"
    before = hashes(world)
    file, words = COMMANDS[name]
    target = tmp_path / file
    words = [str({"SOURCE": world, "TARGET": target}.get(word, word)) for word in words]
    killed = 0
    for moment, old in ((0, None), (random.Random(name).randrange(1, 4), b"the old one")):
        target.unlink(missing_ok=True)
        if old:
            target.write_bytes(old)
        words_now = [sys.executable, "-c", DIES, str(moment), *words]
        ended = subprocess.run(words_now, capture_output=True, check=False)
        if ended.returncode == -signal.SIGKILL:
            killed += 1
            assert (target.read_bytes() if target.exists() else None) == old
    assert killed
    done = subprocess.run([sys.executable, "-m", "eve_replay", *words], capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert target.stat().st_size > 40 and not list(tmp_path.glob(".*.part"))
    assert hashes(world) == before
    if file.endswith(".everun"):
        with open_world(str(target)) as packed:
            assert len(list(packed.runs())) == len(list(open_world(str(world)).runs()))


def test_killed_at_any_moment(tmp_path):
    world = corpus.scratch("sdk5-crash", tmp_path) / "data"
    before = hashes(world)
    for number, name in enumerate(("why", "watch")):
        words = [sys.executable, "-m", "eve_replay", name, str(world)]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(0.15 + 0.1 * number)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    assert hashes(world) == before
