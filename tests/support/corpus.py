"""Recordings for the tests: ``scenario("crash-in-tool")`` unpacks one and returns its folder.

Archives lie in ``tests/corpus`` (see the README there). Each is unpacked at most once per process, into a
temporary folder that is removed at exit. Tests must not write there: use ``scratch`` for a private copy.
"""

from __future__ import annotations

import atexit
import functools
import json
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent.parent / "corpus"
_SUFFIXES = (".tar.xz", ".tar.gz")


def names(group: str = "local") -> list[str]:
    """Return the scenario names of one group (a folder of ``tests/corpus``), sorted."""
    return sorted(
        path.name.removesuffix(suffix) for suffix in _SUFFIXES for path in (CORPUS / group).glob(f"*{suffix}")
    )


def archive(name: str) -> Path:
    """Return the archive of ``name``: ``group/scenario``, or a bare scenario name of the group ``local``."""
    for base in (CORPUS / name, CORPUS / "local" / name):
        for suffix in _SUFFIXES:
            path = base.with_name(base.name + suffix)
            if path.exists():
                return path
    raise LookupError(f"no recording {name!r} in tests/corpus")


@functools.cache
def _root() -> Path:
    root = Path(tempfile.mkdtemp(prefix="eve-replay-corpus-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return root


def scenario(name: str) -> Path:
    """Unpack a recording (once per process) and return its folder. Read only by convention.

    For a scenario of ``local`` it holds ``data/``, ``ledger.ndjson``, ``facts.json``, ``oracle.json`` ...
    """
    return _unpacked(archive(name))


@functools.cache
def _unpacked(source: Path) -> Path:
    target = _root() / source.relative_to(CORPUS).with_name(source.name.split(".tar.")[0])
    target.mkdir(parents=True)
    with tarfile.open(source) as tar:
        tar.extractall(target, filter="data")
    return target


def data(name: str) -> Path:
    """Return the data folder of a recording: its ``data`` folder, or ``final`` (group ``local-sdk``)."""
    folder = scenario(name)
    for child in ("data", "final"):
        if (folder / child).is_dir():
            return folder / child
    return folder


def scratch(name: str, target: Path) -> Path:
    """Copy a recording into ``target`` (a tmp_path) and return the copy: this one may be written to."""
    copy = target / Path(name).name
    shutil.copytree(scenario(name), copy)
    return copy


def load_json(path: Path) -> Any:
    """Read one JSON file of a recording (facts.json, oracle.json)."""
    return json.loads(path.read_text("utf-8"))


def load_ndjson(path: Path) -> list[Any]:
    """Read one NDJSON file (ledger, marks, stream), skipping empty lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
