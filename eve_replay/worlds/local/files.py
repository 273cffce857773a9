"""Reading one file of a local world without ever failing: retried while it is being written, else reported.

A live server writes next to us. It renames finished files into place, so torn content is rare but possible
(other writers, network drives, copies in progress): such a file is read again for a moment before it is
called damaged. On Windows a file that is being renamed answers EPERM, EBUSY or EACCES once.
"""

from __future__ import annotations

import errno
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from eve_replay.codec import parse_record
from eve_replay.limits import DEFAULT
from eve_replay.problems import LISTS, Lacking, Receipt
from eve_replay.worlds.local.names import is_noise, is_temporary
from eve_replay.worlds.local.tree import FileTree, NotReadable, join

__all__ = ["Files", "Listing"]


_T = TypeVar("_T")
_RUN = re.compile(r"wrun_[0-9A-HJKMNP-TV-Z]{26}")
_CHUNK = re.compile(r"-chnk_.*\Z")
#: What the folders of a local world list.
_LISTS: Mapping[str, Lacking] = {
    "runs": "runs",
    "events": "events",
    "steps": "steps",
    "hooks": "others",
    "waits": "others",
    "chunks": "chunks",
    "streams": "chunks",
}
_BUSY = frozenset({errno.EPERM, errno.EBUSY, errno.EACCES})
_PAUSES = (0.01, 0.03, 0.08)
#: Pauses without success after which we stop waiting: a folder full of damaged files is simply damaged.
_PATIENCE = 9


@dataclass(frozen=True, slots=True)
class Listing:
    """The usable names of a folder, each list sorted."""

    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files or self.folders)


class Files:
    """Lists and reads the files of a tree; whatever cannot be used goes to the receipt.

    Args:
        tree: what to read.
        receipt: where to say what was seen.
        limit: most bytes of one file.
        pause: how to wait, ``time.sleep`` outside tests.
    """

    def __init__(
        self,
        tree: FileTree,
        receipt: Receipt,
        *,
        limit: int = DEFAULT.file,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        self.tree = tree
        self.receipt = receipt
        self._limit = limit
        self._pause = pause
        self._patience = _PATIENCE if tree.live else 0
        #: Folders that could not be listed: what lies in them is not missing, only unseen.
        self.unlisted: set[str] = set()
        self._seen: set[str] = set()
        self._parsed: set[str] = set()

    def listing(self, folder: str) -> Listing:
        """Return the usable names of a folder; a folder that is not there is empty."""
        try:
            entries = self._patiently(lambda: self.tree.entries(folder))
        except (FileNotFoundError, NotADirectoryError):
            return Listing()
        except (OSError, NotReadable) as error:
            self.unlisted.add(folder)
            self._unreadable(folder or ".", "folder", error)
            return Listing()
        files: list[str] = []
        folders: list[str] = []
        temporary = 0
        for entry in entries:
            if entry.kind == "dir":
                folders.append(entry.name)
            elif entry.kind == "file":
                if is_temporary(entry.name):
                    temporary += 1
                elif not is_noise(entry.name):
                    files.append(entry.name)
            else:
                self._refused(join(folder, entry.name), entry.kind)
        if temporary:
            self.receipt.problem(
                "info",
                "temporary-files",
                folder or ".",
                "Holds unfinished files (.tmp.): a write was cut off or is going on. They are ignored.",
            )
        return Listing(tuple(files), tuple(folders))

    def content(self, path: str, what: str) -> bytes | None:
        """Return a file's bytes, None when it cannot be read (which is then in the receipt)."""
        self._count_seen(path)
        try:
            return self._patiently(lambda: self.tree.read(path, self._limit))
        except FileNotFoundError:
            self._vanished(path, what)
            return None
        except (OSError, NotReadable) as error:
            self._unreadable(path, what, error)
            return None

    def record(self, path: str, what: str) -> dict[str, object] | None:
        """Return one JSON record, its payloads still packed; None when it cannot be read."""
        failure = "empty"
        for pause in (0.0, *_PAUSES):
            if pause:
                if self._patience <= 0:
                    break
                self._patience -= 1
                self._pause(pause)
            data = self.content(path, what)
            if data is None:
                return None
            parsed = parse_record(data, where=path)
            if parsed.fields is not None:
                if pause:
                    self._patience = _PATIENCE
                self._check_text(data, path)
                self.count_parsed(path)
                return parsed.fields
            assert parsed.failure is not None
            if parsed.failure.reason != "bad-json":
                self._no_object(path, what)
                return None
            failure = parsed.failure.message if data.strip() else "It is empty."
        self._torn(path, what, failure)
        return None

    def count_parsed(self, path: str) -> None:
        """Count a file as parsed, once."""
        if path not in self._parsed:
            self._parsed.add(path)
            self.receipt.parsed += 1

    def _count_seen(self, path: str) -> None:
        if path not in self._seen:
            self._seen.add(path)
            self.receipt.seen += 1

    def _patiently(self, act: Callable[[], _T]) -> _T:
        """Do it, and once more after a short pause when the file was busy (docs/evidence/reports.md#t40)."""
        try:
            return act()
        except OSError as error:
            if error.errno not in _BUSY or self._patience <= 0:
                raise
        self._patience -= 1
        self._pause(_PAUSES[0])
        result = act()
        self._patience = _PATIENCE
        return result

    def _check_text(self, data: bytes, path: str) -> None:
        """One damaged byte does not cost the record: its text is shown with U+FFFD, and that is said."""
        if not data.isascii():
            try:
                data.decode("utf-8")
            except UnicodeDecodeError:
                self.receipt.problem(
                    "warning",
                    "bad-text",
                    path,
                    "Holds bytes that are no UTF-8; they are shown as replacement signs.",
                )

    def _vanished(self, path: str, what: str) -> None:
        message = f"The {what} was removed between listing and reading: a server is at work."
        self.receipt.problem("info", "vanished", path, message)

    def _unreadable(self, path: str, what: str, error: OSError | NotReadable) -> None:
        if isinstance(error, NotReadable):
            self._refused(path, error.why, error.message)
            return
        why = error.strerror or str(error)
        self._gap(path, what, f"{path} cannot be read ({why})")
        self.receipt.skip(where=path, what=what, why=why)
        hint = "Give yourself read permission for it." if error.errno in _BUSY else ""
        self.receipt.problem("error", "unreadable", path, f"The {what} cannot be read: {why}.", hint)

    def _refused(self, path: str, why: str, message: str = "") -> None:
        message = message or _REFUSED.get(why, why)
        self._gap(path, "path", f"{path} was not read ({message})")
        self.receipt.skip(where=path, what="path", why=message)
        self.receipt.problem("warning", why, path, f"Not read: {message}.")

    def _gap(self, path: str, what: str, why: str) -> None:
        """Say which list is no longer whole, by the folder the file lies in and the run its name tells.

        A run record that cannot be read is made up from the log, so the list of runs stays whole without it.
        """
        parts = path.replace("\\", "/").split("/")
        folder = next((part for part in reversed(parts) if part in _LISTS), "")
        if what == "folder" and not folder:
            for of in LISTS:
                self.receipt.gap(of, why)
        elif folder and not (folder == "runs" and what == "run record"):
            found = _RUN.search(path)
            name = ""
            if _LISTS[folder] == "chunks" and parts[-1] != folder:
                name = _CHUNK.sub("", parts[-1]) if "-chnk_" in parts[-1] else ""
            self.receipt.gap(_LISTS[folder], why, run_id=found.group() if found else "", name=name)

    def _torn(self, path: str, what: str, failure: str) -> None:
        self._gap(path, what, f"{path} is cut short or damaged")
        self.receipt.skip(where=path, what=what, why=failure)
        self.receipt.problem(
            "error",
            "torn-file",
            path,
            f"The {what} is no complete JSON. {failure}",
            "It was cut short or damaged; if a server is writing, look again in a moment.",
        )

    def _no_object(self, path: str, what: str) -> None:
        self._gap(path, what, f"{path} holds no record")
        self.receipt.skip(where=path, what=what, why="it holds JSON, but no object")
        self.receipt.problem(
            "error", "not-a-record", path, f"The {what} holds JSON, but not the object a record is."
        )


_REFUSED: Mapping[str, str] = {
    "outside": "it is a link that leaves the folder",
    "loop": "it is a link that leads to itself or to a folder it lies in",
    "broken": "it is a link to something that does not exist",
    "special": "it is no regular file (a pipe, socket or device)",
}
