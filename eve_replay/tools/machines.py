"""Kinds of machines a kit is made for: which wheels fit there, and what environment markers say there."""

from __future__ import annotations

import platform
import re
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from eve_replay.errors import WrongUse

__all__ = ["PLATFORMS", "Machine", "here", "machines"]

_GLIBC = (39, 35, 34, 31, 28, 27, 26, 24, 17)
#: Our words for platforms, and the wheel tags that fit there, newest first.
PLATFORMS: Mapping[str, tuple[str, ...]] = {
    "windows-x64": ("win_amd64",),
    "windows-arm64": ("win_arm64",),
    "macos-arm64": ("macosx_14_0_arm64",),
    "macos-x64": ("macosx_14_0_x86_64",),
    "linux-x64": (*(f"manylinux_2_{each}_x86_64" for each in _GLIBC), "manylinux2014_x86_64"),
    "linux-arm64": (*(f"manylinux_2_{each}_aarch64" for each in _GLIBC), "manylinux2014_aarch64"),
}
_TAG = re.compile(
    r"(?P<system>win|macosx_\d+_\d+|manylinux\d+|(?:many|musl)linux_\d+_\d+)_"
    r"(?P<kind>amd64|x86_64|arm64|aarch64|universal2)"
)
_KINDS = {"amd64": "x64", "x86_64": "x64", "universal2": "arm64", "arm64": "arm64", "aarch64": "arm64"}
_OLDEST = (3, 11)


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One Python on one platform.

    Attributes:
        python: ``3.12``.
        platform: our word for it, or a wheel tag that was given.
        tags: the wheel tags that fit.
        markers: what environment markers are there.
    """

    python: str
    platform: str
    tags: tuple[str, ...]
    markers: Mapping[str, str]

    def __str__(self) -> str:
        return f"Python {self.python} on {self.platform}"


def here() -> Machine:
    """Return the machine this runs on."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if tag.startswith("linux"):
        libc = "musllinux_1_2_" if platform.libc_ver()[0] == "" else "manylinux2014_"
        tag = tag.replace("linux_", libc, 1)
    word = _word(tag) or tag
    return _machine(version, tag if word == tag or tag.startswith("musl") else word)


def machines(pythons: Iterable[str], platforms: Iterable[str]) -> tuple[Machine, ...]:
    """Return a machine for each Python on each platform; this one's where nothing is named.

    Raises:
        WrongUse: a Python is too old or no version, or a platform is not known.
    """
    mine = here()
    versions = dict.fromkeys(pythons) or {mine.python: None}
    names = dict.fromkeys(platforms) or {mine.platform: None}
    return tuple(_machine(version, name) for name in names for version in versions)


def _machine(version: str, name: str) -> Machine:
    if not re.fullmatch(r"\d\.\d{1,2}", version):
        raise WrongUse(f"{version!r} is no version of Python.", hint="Write it as 3.12.")
    if tuple(map(int, version.split("."))) < _OLDEST:
        raise WrongUse(f"eve-replay needs Python 3.11 or newer, not {version}.")
    word = name if name in PLATFORMS else _word(name)
    if word is None:
        raise WrongUse(f"The platform {name!r} is not known.", hint=f"There are {', '.join(PLATFORMS)}.")
    # win_amd64 is just another word; a particular manylinux or macosx tag is meant as it is.
    tags = PLATFORMS[word] if name == word or name in PLATFORMS[word] else (name,)
    return Machine(
        python=version,
        platform=word if tags == PLATFORMS[word] else name,
        tags=tags,
        markers=_markers(version, word),
    )


def _word(tag: str) -> str | None:
    found = _TAG.fullmatch(tag)
    if found is None:
        return None
    system = {"w": "windows", "m": "macos" if tag.startswith("macosx") else "linux"}[tag[0]]
    return f"{system}-{_KINDS[found['kind']]}"


def _markers(version: str, word: str) -> dict[str, str]:
    system, kind = word.split("-")
    arm = {"windows": "ARM64", "macos": "arm64", "linux": "aarch64"}[system]
    return {
        "implementation_name": "cpython",
        "implementation_version": f"{version}.0",
        "os_name": "nt" if system == "windows" else "posix",
        "platform_machine": arm if kind == "arm64" else "AMD64" if system == "windows" else "x86_64",
        "platform_python_implementation": "CPython",
        "platform_release": "",
        "platform_system": {"windows": "Windows", "macos": "Darwin", "linux": "Linux"}[system],
        "platform_version": "",
        "python_full_version": f"{version}.0",
        "python_version": version,
        "sys_platform": {"windows": "win32", "macos": "darwin", "linux": "linux"}[system],
    }
