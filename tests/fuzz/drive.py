"""Runs fuzz targets: with atheris (coverage-guided) where it is installed, with plain mutations where not.

A finding is an exception, an input that takes more than ``SLOW`` seconds of processor time, or memory that
grows past ``MEMORY``. Each kind is kept once, with the input, and the run goes on.
"""

from __future__ import annotations

import hashlib
import importlib.util
import random
import resource
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

SLOW = 2.0
#: Kilobytes of resident memory; the parts of atheris itself take about 100 MB of it.
MEMORY = 700_000
HERE = Path(__file__).parent
FINDINGS = HERE / "findings"
#: Modules of targets, read on demand: what is imported under atheris is instrumented.
HOMES = {
    "decoders": ("payload", "layers", "json", "cbor", "clone", "streams", "redaction", "small-formats"),
    "stores": (
        "pgdump",
        "pgdump-inserts",
        "pgdump-archive",
        "sqldump",
        "sqlite",
        "rdb",
        "bundle",
        "export",
        "ledger",
        "archive",
    ),
    "journals": ("local", "journal"),
}
NAMES = tuple(name for names in HOMES.values() for name in names)


def load(name: str) -> tuple[Callable[[bytes], None], Callable[[], list[bytes]]]:
    """Return a target and what gives its seeds."""
    home = next(home for home, names in HOMES.items() if name in names)
    module = importlib.import_module(f"tests.fuzz.{home}")
    target: tuple[Callable[[bytes], None], Callable[[], list[bytes]]] = module.TARGETS[name]
    return target


def has_atheris() -> bool:
    """Return whether the coverage-guided fuzzer is installed."""
    return importlib.util.find_spec("atheris") is not None


@dataclass(slots=True)
class Watched:
    """A target that is watched: counts runs and keeps one input per kind of finding."""

    name: str
    target: Callable[[bytes], None]
    out: Path | None = None
    runs: int = 0
    slowest: float = 0.0
    told: float = 0.0
    kinds: dict[str, str] = field(default_factory=dict)

    def __call__(self, data: bytes) -> None:
        """Run one input."""
        self.runs += 1
        before = time.process_time()
        try:
            self.target(data)
        except Exception as error:
            trace = traceback.extract_tb(error.__traceback__)
            where = " < ".join(f"{Path(at.filename).name}:{at.lineno}" for at in reversed(trace[-4:]))
            self._keep(f"{type(error).__name__} {where}", data, traceback.format_exc())
        spent = time.process_time() - before
        self.slowest = max(self.slowest, spent)
        if spent > SLOW:
            self._keep(f"slow {len(data)} bytes", data, f"{spent:.1f} s of processor time")
        if time.monotonic() - self.told > 0.5:
            self.told = time.monotonic()
            if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > MEMORY:
                self._keep("memory", data, "more memory than allowed (the input may be an earlier one)")
            self.tell()

    def _keep(self, kind: str, data: bytes, text: str) -> None:
        if kind in self.kinds or len(self.kinds) > 50:
            return
        self.kinds[kind] = text
        if self.out is not None:
            mark = hashlib.sha1(kind.encode()).hexdigest()[:10]
            self.out.mkdir(parents=True, exist_ok=True)
            (self.out / f"{self.name}-{mark}").write_bytes(data)
            (self.out / f"{self.name}-{mark}.txt").write_text(f"{kind}\n{text}")

    def tell(self) -> None:
        """Write how far it is into the folder of findings: a fuzzer may end without a word."""
        if self.out is not None:
            self.out.mkdir(parents=True, exist_ok=True)
            (self.out / f"{self.name}.count").write_text(self.line())

    def line(self) -> str:
        """Return the line of a report."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        found = f"{len(self.kinds)} kinds of findings" if self.kinds else "nothing found"
        return f"{self.name}: {self.runs} runs, slowest {self.slowest:.2f} s, peak {peak} MB, {found}"


def mutated(data: bytes, pick: random.Random, other: bytes) -> bytes:
    """Return bytes changed in one to five of the ways that bytes get changed."""
    found = bytearray(data)
    for _ in range(pick.choice((1, 1, 2, 3, 5))):
        at = pick.randrange(len(found) + 1)
        match pick.randrange(8):
            case 0 if at < len(found):
                found[at] ^= 1 << pick.randrange(8)
            case 1:
                del found[at:]
            case 2:
                del found[at : at + pick.randrange(1, 9)]
            case 3:
                found[at:at] = bytes(pick.randrange(256) for _ in range(pick.randrange(1, 9)))
            case 4 if at < len(found):
                found[at] = pick.choice(b'"[]{},:\\0123456789-tfn\x00\xff\x80\x7f')
            case 5:
                found[at : at + 8] = pick.choice((bytes(8), b"\xff" * 8, b"\x7f\xff\xff\xff", b"9" * 8))
            case 6 if other:
                begin = pick.randrange(len(other))
                found[at:at] = other[begin : begin + pick.randrange(1, 40)]
            case 7:
                found[at:at] = found[at : at + pick.randrange(1, 40)]
    return bytes(found[:100_000])


def plain(watched: Watched, seeds: list[bytes], *, runs: int, seconds: float, seed: int = 0) -> None:
    """Run a target over mutated seeds, until so many runs or seconds are over (0: no such end)."""
    pick = random.Random(f"{watched.name} {seed}")
    pool = [each for each in seeds if len(each) <= 100_000] or [b""]
    for each in pool[:64]:
        watched(each)
    begun = time.monotonic()
    while (not runs or watched.runs < runs) and (not seconds or time.monotonic() - begun < seconds):
        short = pick.random() < 0.1
        watched(
            pick.randbytes(pick.randrange(200))
            if short
            else mutated(pick.choice(pool), pick, pick.choice(pool))
        )


def guided(
    watched: Watched, seeds: list[bytes], *, runs: int, seconds: float, corpus: Path, seed: int = 0
) -> None:
    """Run a target under atheris. Does not return: the fuzzer ends the process."""
    import atheris

    corpus.mkdir(parents=True, exist_ok=True)
    for each in seeds[:400]:
        (corpus / hashlib.sha1(each).hexdigest()).write_bytes(each)
    options = [f"-max_total_time={int(seconds)}" if seconds else "", f"-atheris_runs={runs}" if runs else ""]
    options += [
        "-max_len=20000",
        "-timeout=120",
        "-rss_limit_mb=0",
        f"-seed={seed}" if seed else "",
        "-verbosity=0",
    ]
    atheris.Setup([sys.argv[0], *(each for each in options if each), str(corpus)], watched)
    try:
        atheris.Fuzz()
    finally:
        watched.tell()
