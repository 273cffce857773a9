"""``python -m tests.fuzz [TARGET ...] [--seconds 60] [--runs N]``: every target, in a process of its own.

``--seconds`` is for all targets together: 60 in CI, ``--seconds 3600`` for an hour. Ends with 1 when
something was found; inputs lie in ``--out``, and belong into ``tests/fuzz/findings`` once understood.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.fuzz import drive


def main() -> int:
    """Run what the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"all of them: {', '.join(drive.NAMES)}")
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together; 0: no end")
    parser.add_argument("--runs", type=int, default=0, help="most runs per target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=None, help="where inputs go that were found")
    parser.add_argument("--corpus", type=Path, default=None, help="kept between runs of the guided fuzzer")
    parser.add_argument("--plain", action="store_true", help="without atheris although it is installed")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    unknown = set(args.targets) - set(drive.NAMES)
    if unknown:
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(drive.NAMES)}")
    if args.one:
        return _one(args)
    names = args.targets or list(drive.NAMES)
    out = args.out or Path(tempfile.mkdtemp(prefix="eve-replay-findings-"))
    how = "plain mutations" if args.plain or not drive.has_atheris() else "atheris, guided by coverage"
    print(f"{len(names)} targets, {how}")
    found = 0
    for name in names:
        share = ["--seconds", str(args.seconds / len(names))] if args.seconds else ["--seconds", "0"]
        more = ["--plain"] if args.plain else []
        more += ["--corpus", str(args.corpus)] if args.corpus else []
        command = [sys.executable, "-m", "tests.fuzz", "--one", name, *share, "--runs", str(args.runs)]
        command += ["--seed", str(args.seed), "--out", str(out), *more]
        ended = subprocess.run(
            command, cwd=drive.HERE.parent.parent, capture_output=True, text=True, check=False
        )
        count = out / f"{name}.count"
        line = (
            count.read_text() if count.exists() else f"{name}: ended without a count\n{ended.stderr[-2000:]}"
        )
        print(line, flush=True)
        found += "nothing found" not in line
    if found:
        print(f"inputs: {out}")
    return 1 if found else 0


def _one(args: argparse.Namespace) -> int:
    name = args.targets[0]
    if args.plain or not drive.has_atheris():
        target, seeds = drive.load(name)
        watched = drive.Watched(name, target, args.out)
        drive.plain(watched, seeds(), runs=args.runs, seconds=args.seconds, seed=args.seed)
        watched.tell()
        return 0
    import atheris

    with atheris.instrument_imports(include=["eve_replay"]):
        target, seeds = drive.load(name)
    corpus = (args.corpus or Path(tempfile.mkdtemp(prefix="eve-replay-corpus-"))) / name
    watched = drive.Watched(name, target, args.out)
    drive.guided(watched, seeds(), runs=args.runs, seconds=args.seconds, corpus=corpus, seed=args.seed)
    return 0


sys.exit(main())
