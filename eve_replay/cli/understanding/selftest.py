"""``eve-replay selftest``: journals that mean harm, read by every front end on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import click

from eve_replay.cli.shared.common import Shell, command, echo, echo_table, emit_json, finish
from eve_replay.views.kit.table import Column, Table
from eve_replay.views.kit.text import line
from eve_replay.views.kit.words import plural

__all__ = ["cli"]

#: Processor seconds and megabytes one reading may take; starting Python and loading the package is in it.
_SECONDS, _MEGABYTES = 4.0, 500
_PATIENCE = 120
_COMMANDS = (
    "runs",
    "sessions",
    "why",
    "doctor",
    "forecast",
    "dump",
    "receipt",
    "search zebra",
    "frames {} events",
)
_MAKE = (
    "import sys, pathlib; from eve_replay.proof.evil import evil_inputs;"
    "evil_inputs(pathlib.Path(sys.argv[1]))"
)
_PAGE = (
    "import sys, warnings; warnings.simplefilter('ignore'); from eve_replay import open_journal, explore;"
    "j = open_journal(sys.argv[1]);"
    "[explore(j, session=head.id).save(sys.argv[2]) for head in list(j.heads)[:1]]"
)
_TERMINAL = (
    "import sys, asyncio; from eve_replay_tui import Options, ReplayApp\n"
    "async def run():\n"
    "    async with ReplayApp(Options(source=sys.argv[1], live=False)).run_test(size=(120, 40)) as pilot:\n"
    "        for key in ('enter', 'n', 'n', 'w', 's', 'escape'):\n"
    "            await pilot.pause(); await pilot.press(key)\n"
    "asyncio.run(run())"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    source: str
    by: str
    seconds: float
    megabytes: int
    wrong: str


@command("selftest")
@click.option("--only", metavar="TEXT", help="Only inputs whose name contains this.")
def cli(shell: Shell, only: str | None) -> None:
    """Make journals that mean harm, read them with every front end, and look at what that cost.

    They hold text that a terminal or a browser would obey, values without end, files that open to gigabytes,
    names that leave their archive. A reading is right when it ends by itself within 4 s of processor time and
    500 MB, without a defect, and prints nothing that a terminal obeys. Nothing is written but in a temporary
    folder, which is removed.
    """
    with tempfile.TemporaryDirectory(prefix="eve-replay-selftest-", ignore_cleanup_errors=True) as place:
        # Made by a process of its own: what this one holds would be counted for those it starts.
        subprocess.run([sys.executable, "-c", _MAKE, place], check=True, cwd=place)
        inputs = [path for path in sorted(Path(place).iterdir()) if not only or only in path.name]
        readings = [reading for path in inputs for reading in _readings(path, Path(place))]
    wrong = [reading for reading in readings if reading.wrong]
    if shell.json:
        rows = [
            {"input": r.source, "by": r.by, "seconds": r.seconds, "megabytes": r.megabytes, "wrong": r.wrong}
            for r in readings
        ]
        emit_json(shell, "selftest", "inputs made here", None, readings=rows, wrong=len(wrong))
    else:
        echo_table(shell, _table(readings))
        for each in wrong:
            echo(shell, [line((f"{each.by} of {each.source}: {each.wrong}", "harm"))])
        said = f"{plural(len(readings), 'reading')} of {plural(len(inputs), 'input')}"
        echo(
            shell,
            [line((f"{said}: {f'{len(wrong)} went wrong' if wrong else 'all as they should'}.", "strong"))],
        )
    finish(shell, problems=bool(wrong))


def _readings(path: Path, place: Path) -> Iterator[_Reading]:
    start = [sys.executable, "-m", "eve_replay"]
    for words in _COMMANDS:
        name, _, rest = words.partition(" ")
        after = [part for part in rest.split() if part != "{}"]
        yield _reading(path, name, [*start, name, str(path), *after], place)
    packed = place / "out.everun"
    yield _reading(path, "pack", [*start, "pack", str(path), "--redact", "--force", "-o", str(packed)], place)
    if find_spec("anywidget") is not None:
        yield _reading(
            path, "notebook", [sys.executable, "-c", _PAGE, str(path), str(place / "out.html")], place
        )
    if find_spec("textual") is not None:
        yield _reading(path, "terminal UI", [sys.executable, "-c", _TERMINAL, str(path)], place)


def _reading(path: Path, by: str, words: list[str], place: Path) -> _Reading:
    """Run one front end over one input; its processor time and memory are known on POSIX."""
    with (place / "said").open("wb") as said, (place / "noted").open("wb") as noted:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=noted, cwd=place)
        seconds, megabytes, code = _waited(process)
    out = (place / "said").read_bytes().decode("utf-8", "replace")
    error = (place / "noted").read_bytes().decode("utf-8", "replace")
    wrong = ""
    if code is None:
        wrong = f"did not end within {_PATIENCE} s"
    elif "defect in eve-replay" in error or (
        code not in (0, 1, 2, 3) and by not in ("notebook", "terminal UI")
    ):
        wrong = f"a defect (exit code {code}): {error.strip()[-200:]}"
    elif "Traceback" in error and "EveReplayError" not in error and not _refused(error):
        wrong = f"an exception: {error.strip().splitlines()[-1][:200]}"
    elif by not in ("notebook", "terminal UI") and (sign := _obeyed(out + error)):
        wrong = f"prints U+{ord(sign):04X} as it is"
    elif seconds > _SECONDS or megabytes > _MEGABYTES:
        wrong = f"costs {seconds:.1f} s and {megabytes} MB"
    return _Reading(source=path.name, by=by, seconds=round(seconds, 2), megabytes=megabytes, wrong=wrong)


def _refused(error: str) -> bool:
    last = error.strip().splitlines()[-1] if error.strip() else ""
    return last.startswith(("eve_replay.errors.", "eve_replay.limits."))


def _waited(process: subprocess.Popen[bytes]) -> tuple[float, int, int | None]:
    try:
        if hasattr(os, "wait4"):
            import threading

            timer = threading.Timer(_PATIENCE, process.kill)
            timer.start()
            _, status, used = os.wait4(process.pid, 0)
            timer.cancel()
            code = os.waitstatus_to_exitcode(status)
            process.returncode = code
            unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
            return used.ru_utime + used.ru_stime, used.ru_maxrss // unit, None if code == -9 else code
        return 0.0, 0, process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        return 0.0, 0, None


def _obeyed(text: str) -> str:
    """Return a character that a terminal would obey or that reorders a line, empty when there is none."""
    for sign in set(text):
        if sign not in "\n\t" and unicodedata.category(sign) in ("Cc", "Cf", "Zl", "Zp"):
            return sign
    return ""


def _table(readings: list[_Reading]) -> Table:
    rows = []
    for name in dict.fromkeys(reading.source for reading in readings):
        some = [reading for reading in readings if reading.source == name]
        slow, big = max(some, key=lambda r: r.seconds), max(some, key=lambda r: r.megabytes)
        wrong = sum(bool(reading.wrong) for reading in some)
        rows.append(
            (
                name,
                str(len(some)),
                f"{slow.seconds:.1f} s ({slow.by})",
                f"{big.megabytes} MB ({big.by})",
                f"{wrong} wrong" if wrong else "as it should",
            )
        )
    columns = tuple(Column(title=title) for title in ("input", "read", "most time", "most memory", "result"))
    return Table(columns=columns, rows=tuple(rows))
