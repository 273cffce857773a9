"""Remote folders through fsspec, with the local layout in them: ``s3://``, ``gs://``, ``ssh://``, ``zip://``.

A folder is read through :class:`FsspecTree` by the code that reads local disks; an archive (``s3://b/x.zip``)
is fetched once. Credentials are those of the protocol's own package (environment, profiles).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, TypeVar
from urllib.parse import urlsplit

from eve_replay.errors import EveReplayError, SourceUnreadable, UnknownSource
from eve_replay.limits import Limits, begun
from eve_replay.worlds.base import World
from eve_replay.worlds.local.find import data_folders
from eve_replay.worlds.local.names import is_archive_name
from eve_replay.worlds.local.tree import Entry, FileTree, NotReadable, Stat, join, parent

__all__ = ["FsspecTree", "opener"]

_T = TypeVar("_T")
#: Protocol -> the package that fsspec needs for it, empty when fsspec brings it.
PROTOCOLS: Mapping[str, str] = {
    "s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs",
    "ssh": "paramiko", "sftp": "paramiko", "ftp": "", "smb": "smbprotocol", "hdfs": "pyarrow",
    "webdav": "webdav4", "memory": "", "zip": "", "tar": "", "file": "", "oci": "ocifs",
}  # fmt: skip
_PASSWORD = re.compile(r"(?<=://)[^/@\s]*@")


class FsspecTree:
    """A folder of an fsspec file system as a read-only tree. Each folder is listed once.

    Args:
        fs: the file system.
        root: the folder's path in it.
        label: what a person calls it, without credentials.
    """

    live = False
    rejected: Mapping[str, str] = {}

    def __init__(self, fs: Any, root: str, *, label: str) -> None:
        self.label = label
        self._fs = fs
        self._root = root.rstrip("/")
        self._listed: dict[str, dict[str, Stat]] = {}

    def entries(self, path: str) -> list[Entry]:
        """Return a folder's entries by name. Raises OSError."""
        return [Entry(name, stat.kind) for name, stat in sorted(self._list(path).items())]

    def read(self, path: str, limit: int) -> bytes:
        """Return a file's bytes. Raises OSError, or NotReadable when it is larger than ``limit``."""
        known = self.stat(path)
        if known is None:
            raise FileNotFoundError(2, "No such file or directory", path)
        if known.size <= limit:
            data: bytes = _asked(lambda: self._fs.cat_file(self._full(path)))
            if len(data) <= limit:
                return data
        raise NotReadable("too-big", f"it is more than the limit of {limit:,} bytes for one file")

    def stat(self, path: str) -> Stat | None:
        """Return what the path is, None when there is nothing."""
        if not path:
            return Stat("dir")
        try:
            return self._list(parent(path)).get(path.rpartition("/")[2])
        except (FileNotFoundError, NotADirectoryError):
            return None

    def close(self) -> None:
        """Forget the listings."""
        self._listed.clear()

    def _full(self, path: str) -> str:
        return f"{self._root}/{path}" if path and self._root else path or self._root

    def _list(self, path: str) -> dict[str, Stat]:
        found = self._listed.get(path)
        if found is None:
            if path:
                known = self.stat(path)
                if known is None:
                    raise FileNotFoundError(2, "No such file or directory", path)
                if known.kind != "dir":
                    raise NotADirectoryError(20, "Not a directory", path)
            found = {}
            for info in _asked(lambda: self._fs.ls(self._full(path), detail=True)):
                name = PurePosixPath(str(info.get("name", "")).rstrip("/")).name
                itself = str(info.get("name", "")).strip("/") == self._full(path).strip("/")
                if name and not itself:
                    found[name] = _stat(info)
            self._listed[path] = found
        return found


def _stat(info: Mapping[str, Any]) -> Stat:
    kind = info.get("type")
    when = next(
        (info[name] for name in ("mtime", "LastModified", "last_modified", "created") if info.get(name)), 0
    )
    seconds = (
        when.timestamp() if isinstance(when, datetime) else when if isinstance(when, (int, float)) else 0
    )
    if info.get("islink"):
        return Stat("outside")
    size = info.get("size")
    return Stat(
        "dir" if kind == "directory" else "file" if kind == "file" else "special",
        size if isinstance(size, int) else 0,
        int(seconds * 1_000_000_000),
    )


def _asked(ask: Callable[[], _T]) -> _T:
    """Ask the file system; what its package raises becomes an OSError."""
    try:
        return ask()
    except (OSError, EveReplayError):
        raise
    except Exception as error:
        raise OSError(5, f"{type(error).__name__}: {error}"[:300]) from error


class _RemoteOpener:
    """What the registry asks."""

    kind = "remote"

    def recognises(self, source: str) -> float:
        """Return 0.9 for an address of a protocol that fsspec has."""
        protocol, found, _ = source.partition("://")
        if not found:
            return 0.0
        return 0.9 if protocol.rpartition("::")[2].lower() in PROTOCOLS or "::" in source else 0.0

    def open(self, source: str, **options: object) -> World:
        """Open the data folder there.

        Options: those of the local world, and ``storage_options``, a mapping for the protocol's package.

        Raises:
            UnknownSource: there is no data folder.
            SourceUnreadable: a package is missing, or the place cannot be reached.
        """
        from eve_replay.worlds.local.opener import open_tree

        given = options.pop("storage_options", None)
        label = _PASSWORD.sub("", source)
        fs, root = _file_system(source, label, dict(given) if isinstance(given, Mapping) else {})
        try:
            limits = options["limit"] = begun(options.get("limit"))
            tree = _tree(fs, root, label, limits)
            found = data_folders(tree)
        except FileNotFoundError:
            raise _nothing(label) from None
        except OSError as error:
            raise SourceUnreadable(
                f"{label} cannot be read: {error.strerror or error}.",
                hint="Check the address, the credentials and the network.",
            ) from None
        if len(found) == 1:
            place = join(label.rstrip("/"), found[0]) if found[0] else label
            return open_tree(tree, found[0], label=place, **options)
        if found:
            raise UnknownSource(
                f"{label} holds {len(found)} data folders: {', '.join(found[:8])}.",
                hint=f"Name one of them, e.g. {label.rstrip('/')}/{found[0]}",
            )
        try:
            names = [entry.name for entry in tree.entries("")][:8]
        except FileNotFoundError:
            raise _nothing(label) from None
        except (OSError, NotReadable) as error:
            raise SourceUnreadable(f"{label} cannot be listed: {error}.") from None
        raise UnknownSource(
            f"{label} holds no data folder of a local world.",
            hint=f"It holds {', '.join(names)}." if names else "It is empty, or does not exist.",
        )


def _nothing(label: str) -> UnknownSource:
    return UnknownSource(f"There is nothing at {label}.", hint="Check the bucket and the name.")


def _file_system(source: str, label: str, given: dict[str, Any]) -> tuple[Any, str]:
    protocol = urlsplit(source).scheme.rpartition("::")[2].lower()
    try:
        import fsspec
    except ImportError as error:
        raise SourceUnreadable(
            f"Reading {label} needs fsspec.", hint="pip install 'eve-replay[remote]'."
        ) from error
    try:
        fs, root = fsspec.core.url_to_fs(source, **given)
    except (ImportError, ValueError) as error:
        package = PROTOCOLS.get(protocol, "") or "the package that fsspec names for it"
        said = "" if isinstance(error, ImportError) else f": {_PASSWORD.sub('', str(error))}"
        raise SourceUnreadable(
            f"Reading {protocol}:// needs {package}{said}.",
            hint=f"pip install {package.split(' or ')[0]}." if " that " not in package else "",
        ) from error
    except Exception as error:
        raise SourceUnreadable(
            f"{label} cannot be reached: {type(error).__name__}: {_PASSWORD.sub('', str(error))[:200]}.",
            hint="Check the address, the credentials and the network.",
        ) from None
    return fs, str(root)


def _tree(fs: Any, root: str, label: str, limits: Limits) -> FileTree:
    if not is_archive_name(PurePosixPath(root).name):
        return FsspecTree(fs, root, label=label)
    from pathlib import Path

    from eve_replay.worlds.local.archive import archive_tree

    size = _asked(lambda: fs.info(root)).get("size")
    if isinstance(size, int) and size > limits.unpacked:
        raise limits.over("unpacked", f"{label} has {size:,} bytes")
    data: bytes = _asked(lambda: fs.cat_file(root))
    return archive_tree(Path(PurePosixPath(root).name), label=label, limits=limits, data=data)


opener = _RemoteOpener()
