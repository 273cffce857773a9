"""Wheels: reading what one needs, repacking one, and building eve-replay's own."""

from __future__ import annotations

import base64
import hashlib
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path

from eve_replay.errors import SourceUnreadable
from eve_replay.tools.programs import ToolFailed, has_module, python

__all__ = ["NAME", "Wheel", "canonical", "own_wheel", "read_wheel", "repack", "write_zip"]

NAME = "eve-replay"
#: Times in archives we write: the same input gives the same bytes.
_WHEN = (2020, 2, 2, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """What a wheel says about itself.

    Attributes:
        path: the file.
        name: canonical name, ``jupyterlab-widgets``.
        version: as in its metadata.
        requires: its ``Requires-Dist`` lines.
        imports: names of its top-level modules and packages.
        sha256: of the file, in hex.
    """

    path: Path
    name: str
    version: str
    requires: tuple[str, ...]
    imports: tuple[str, ...]
    sha256: str


def canonical(name: str) -> str:
    """Return a distribution's name as indexes spell it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_wheel(path: Path) -> Wheel:
    """Read a wheel.

    Raises:
        SourceUnreadable: it is none.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            inside = next(name for name in names if name.endswith(".dist-info/METADATA"))
            head = HeaderParser().parsestr(archive.read(inside).decode("utf-8"))
    except StopIteration:
        raise SourceUnreadable(f"{path.name} is no wheel: it has no metadata.") from None
    except (OSError, zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise SourceUnreadable(f"{path.name} is no wheel ({error}).") from error
    return Wheel(
        path=path,
        name=canonical(head["Name"]),
        version=head["Version"],
        requires=tuple(head.get_all("Requires-Dist") or ()),
        imports=_imports(names),
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )


def _imports(names: Iterable[str]) -> tuple[str, ...]:
    found = set()
    for name in names:
        top, _, rest = name.partition("/")
        if name.endswith(".py") and not top.endswith((".dist-info", ".data")):
            found.add(top if rest else top.removesuffix(".py"))
    return tuple(sorted(found))


def own_wheel(folder: Path, *, without: Callable[[str], bool] = lambda name: False) -> Path:
    """Write the wheel of this checkout (or unpacked source distribution) into a folder, and return it.

    Args:
        folder: where it goes.
        without: which files to leave out, asked with their path inside the wheel.

    Raises:
        ToolFailed: it cannot be built.
    """
    root = Path(__file__).parents[2]
    with tempfile.TemporaryDirectory() as scratch:
        return repack(_built(root, Path(scratch)), folder, without)


def _built(root: Path, scratch: Path) -> Path:
    what = "Building the wheel of this checkout"
    if has_module("hatchling"):
        python(["-m", "hatchling", "build", "-t", "wheel", "-d", str(scratch)], what=what, folder=root)
    else:
        python(["-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(scratch), str(root)], what=what)
    found = sorted(scratch.glob("*.whl"))
    if not found:
        raise ToolFailed(f"{what} gave none.")
    return found[0]


def repack(wheel: Path, folder: Path, without: Callable[[str], bool]) -> Path:
    """Write a wheel of eve-replay again without some of its files, and return it."""
    with zipfile.ZipFile(wheel) as archive:
        content = {info.filename: archive.read(info) for info in archive.infolist() if not info.is_dir()}
    return _write(content, folder, read_wheel(wheel).version, without)


def _write(content: Mapping[str, bytes], folder: Path, version: str, without: Callable[[str], bool]) -> Path:
    record = f"{NAME.replace('-', '_')}-{version}.dist-info/RECORD"
    kept = {name: data for name, data in content.items() if name != record and not without(name)}
    rows = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in sorted(kept.items())]
    kept[record] = "\n".join([*rows, f"{record},,", ""]).encode()
    path = folder / f"{NAME.replace('-', '_')}-{version}-py3-none-any.whl"
    # The metadata comes last, as the format asks.
    order = sorted(kept, key=lambda name: (".dist-info/" in name, name == record, name))
    write_zip(path, ((name, kept[name], 0o644) for name in order))
    return path


def write_zip(path: Path, files: Iterable[tuple[str, bytes, int]]) -> None:
    """Write an archive that depends on nothing but the files: names, contents and permissions."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data, mode in files:
            info = zipfile.ZipInfo(name, _WHEN)
            info.create_system = 3  # so that the permissions are kept
            info.external_attr = (0o100000 | mode) << 16
            packed = name.endswith((".whl", ".xz", ".png", ".zip"))
            info.compress_type = zipfile.ZIP_STORED if packed else zipfile.ZIP_DEFLATED
            archive.writestr(info, data)


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
