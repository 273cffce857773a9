"""Whether a process of this machine works on a folder: with real processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from eve_replay.machine import look

pytestmark = pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="Linux shows processes in /proc")

SERVER = """
import socket
s = socket.create_server(('127.0.0.1', 0))
print(s.getsockname()[1], flush=True)
input()
"""
HOLDS = "import sys; f = open(sys.argv[1]); print('ready', flush=True); input()"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "app" / ".eve" / ".workflow-data"
    folder.mkdir(parents=True)
    (folder / "version.txt").write_text("1")
    return folder


def started(code, *words, cwd):
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def ended(process):
    process.stdin.close()
    process.wait(10)


def test_nobody_works_on_it(project):
    seen = look(project)
    assert seen.alive is not True and not seen.workers
    assert "No process" in seen.words and seen.line.startswith(("Observed", "Unknown"))


def test_a_server_whose_working_folder_is_the_project_works_on_it(project):
    process = started(SERVER, cwd=project.parents[1])
    try:
        port = int(process.stdout.readline())
        seen = look(project)
        assert seen.alive is True and seen.line.startswith("Observed")
        assert [(each.pid, each.ports) for each in seen.workers] == [(process.pid, (port,))]
        assert str(project.parents[1]) in seen.workers[0].how
        assert look(project.parents[2] / "another" / ".workflow-data").alive is not True
        assert look(None, port=port).workers[0].how == f"it listens on port {port}"
    finally:
        ended(process)
    assert look(project).alive is not True


def test_whoever_has_a_file_of_it_open_works_on_it(project, tmp_path):
    process = started(HOLDS, str(project / "version.txt"), cwd=tmp_path)
    try:
        process.stdout.readline()
        (worker,) = look(project).workers
        assert worker.pid == process.pid and "version.txt open" in worker.how
    finally:
        ended(process)


def test_a_process_that_only_stands_there_does_not(project):
    process = started("print('ready', flush=True); input()", cwd=project.parents[1])
    try:
        process.stdout.readline()
        assert look(project).alive is not True
    finally:
        ended(process)


def test_without_proc_nothing_is_known(project, tmp_path):
    seen = look(project, proc=tmp_path)
    assert seen.alive is None and "Linux only" in seen.words and seen.line.startswith("Unknown")


def test_processes_that_may_not_be_looked_at_leave_it_open(project, tmp_path, monkeypatch):
    proc = tmp_path / "proc"
    (proc / "self").mkdir(parents=True)
    (proc / "self" / "cwd").symlink_to(tmp_path)
    (proc / "77").mkdir()
    monkeypatch.setattr(Path, "read_bytes", lambda self: (_ for _ in ()).throw(PermissionError(13, "no")))
    seen = look(project, proc=proc)
    assert seen.alive is None and "1 others could not be looked at" in seen.words
