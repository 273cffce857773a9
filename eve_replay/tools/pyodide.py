"""Python in the browser: Pyodide's runtime, and the list of the packages it finds beside it.

Pyodide comes from the npm registry without any package. All that the workshop needs are wheels of pure
Python, so its package list (``pyodide-lock.json``) is written anew: every wheel lies in the same folder, is
named by its file name, and is checked against its SHA-256 when it is loaded. Nothing is fetched elsewhere.
"""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from eve_replay.codec.jsonout import dumps_tagged
from eve_replay.codec.jsontext import loads_json
from eve_replay.errors import SourceUnreadable
from eve_replay.tools.closure import needs_of, open_needs
from eve_replay.tools.programs import ToolFailed
from eve_replay.tools.wheels import NAME, Wheel

__all__ = ["ABSENT", "LOCK", "machine_of", "unpack_runtime", "write_lock"]

LOCK = "pyodide-lock.json"
_RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", LOCK)
#: Dependencies of eve-replay that have no wheel for the browser. Python 3.14 itself reads zstd; encrypted
#: payloads stay closed; there is no terminal.
ABSENT = frozenset({"zstandard", "cryptography", "textual"})


def unpack_runtime(source: Path, folder: Path) -> Mapping[str, object]:
    """Copy Pyodide's runtime from an archive or a folder, and return what its list says about itself.

    Raises:
        SourceUnreadable: it is no Pyodide, or not all of it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if source.is_dir():
            for name in _RUNTIME:
                shutil.copyfile(source / name, folder / name)
        else:
            with tarfile.open(source) as archive:
                for member in archive:
                    name = member.name.rpartition("/")[2]
                    # npm has it in package/, the release archives in pyodide/.
                    if member.name.count("/") == 1 and name in _RUNTIME:
                        content = archive.extractfile(member)
                        if content is not None:
                            (folder / name).write_bytes(content.read())
        missing = [name for name in _RUNTIME if not (folder / name).is_file()]
        if missing:
            raise SourceUnreadable(f"{source.name} is no complete Pyodide: {', '.join(missing)} is missing.")
        info = loads_json((folder / LOCK).read_bytes())["info"]
    except (OSError, tarfile.TarError, ValueError, KeyError, TypeError) as error:
        raise SourceUnreadable(f"{source.name} is no Pyodide ({error}).") from error
    if not isinstance(info, dict) or not isinstance(info.get("python"), str):
        raise SourceUnreadable(f"{source.name} does not say which Python it is.")
    return info


def machine_of(info: Mapping[str, object]) -> dict[str, str]:
    """Return the environment markers of the Python that a Pyodide is."""
    full = str(info["python"])
    return {
        "implementation_name": "cpython",
        "implementation_version": full,
        "os_name": "posix",
        "platform_machine": "wasm32",
        "platform_python_implementation": "CPython",
        "platform_release": "",
        "platform_system": "Emscripten",
        "platform_version": "",
        "python_full_version": full,
        "python_version": ".".join(full.split(".")[:2]),
        "sys_platform": "emscripten",
    }


def write_lock(folder: Path, wheels: Iterable[Wheel], info: Mapping[str, object]) -> tuple[str, ...]:
    """Put wheels beside the runtime, write the package list, and return the packages' names.

    Raises:
        ToolFailed: a wheel needs another one that is not there.
    """
    named = {wheel.name: wheel for wheel in sorted(wheels, key=lambda each: each.name)}
    machine = machine_of(info)
    needs = needs_of({name: set() for name in named}, named, machine)
    lacking = [str(need) for need in open_needs(needs, named) if need.name not in ABSENT]
    if lacking:
        raise ToolFailed(f"The packages for the browser are not complete: {', '.join(lacking)}.")
    packages = {}
    for name, wheel in named.items():
        shutil.copyfile(wheel.path, folder / wheel.path.name)
        needed = needs_of({name: set()}, {name: wheel}, machine)
        packages[name] = {
            "name": name,
            "version": wheel.version,
            "file_name": wheel.path.name,
            "install_dir": "site",
            "sha256": wheel.sha256,
            "package_type": "package",
            "imports": list(wheel.imports),
            "depends": sorted(each for each in needed if each in named and each != name),
            "unvendored_tests": False,
        }
    lock = {"info": dict(info), "packages": packages}
    (folder / LOCK).write_text(dumps_tagged(lock, indent=1), encoding="utf-8")
    if NAME not in packages:
        raise ToolFailed("The wheel of eve-replay is not among the packages.")
    return tuple(packages)
