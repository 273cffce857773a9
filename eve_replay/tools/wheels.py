"""Wheels: reading what one needs, repacking one, and making eve-replay's own.

The own wheel is built from the checkout when this is one, and put together again from the installed files
otherwise, so that the commands work on any instructor's machine.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

from eve_replay.errors import SourceUnreadable
from eve_replay.tools.programs import ToolFailed, has_module, python

__all__ = ["NAME", "Wheel", "canonical", "own_wheel", "read_wheel", "repack", "write_zip"]

NAME = "eve-replay"
#: Times in archives we write: the same input gives the same bytes.
_WHEN = (2020, 2, 2, 0, 0, 0)
#: What pip adds when it installs, and is no part of the wheel.
_ADDED = frozenset({"INSTALLER", "REQUESTED", "direct_url.json", "RECORD", "uv_cache.json"})


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
    """Write the wheel of the eve-replay that is running into a folder, and return it.

    Args:
        folder: where it goes.
        without: which files to leave out, asked with their path inside the wheel.

    Raises:
        ToolFailed: this is a checkout and its wheel cannot be built.
        SourceUnreadable: the installed files are not all there.
    """
    package = Path(__file__).parents[1]
    root = package.parent
    if (root / "pyproject.toml").is_file() and (root / "notebooks").is_dir():
        with tempfile.TemporaryDirectory() as scratch:
            return repack(_built(root, Path(scratch)), folder, without)
    try:
        installed = importlib.metadata.distribution(NAME)
    except importlib.metadata.PackageNotFoundError as error:
        raise SourceUnreadable(
            "eve-replay is neither installed nor a checkout here.", hint="Install it with pip."
        ) from error
    return _from_installed(installed, folder, without)


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


def _from_installed(
    installed: importlib.metadata.Distribution, folder: Path, without: Callable[[str], bool]
) -> Path:
    content: dict[str, bytes] = {}
    for each in installed.files or ():
        name = PurePosixPath(each).as_posix()
        parts = PurePosixPath(each).parts
        # What lies outside of the packages are scripts, made anew wherever a wheel is installed.
        if parts[0] == ".." or "__pycache__" in parts or (len(parts) == 2 and parts[1] in _ADDED):
            continue
        try:
            content[name] = Path(str(each.locate())).read_bytes()
        except OSError as error:
            raise SourceUnreadable(
                f"The installed file {name} cannot be read ({error.strerror}).",
                hint="Install eve-replay again.",
            ) from error
    if not any(name.startswith("eve_replay/samples/") for name in content):
        raise SourceUnreadable(
            "The installation does not list its files.", hint="Install eve-replay again, not editable."
        )
    return _write(content, folder, installed.version, without)


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
