"""The bundle world: what ``eve-replay pack`` wrote, read back (the format: ``bundle_format``)."""

from __future__ import annotations

from pathlib import Path

from eve_replay.errors import SourceUnreadable, UnknownSource
from eve_replay.worlds.base import World
from eve_replay.worlds.bundle.format import VERSION
from eve_replay.worlds.export.entities import Wrap

__all__ = ["opener"]

_HEAD = 64


class _BundleOpener:
    """What the registry asks. Known by content, whatever the file's name."""

    kind = "bundle"

    def recognises(self, source: str) -> float:
        """Return 1 for a file that begins as bundles do, 0.7 for the name of one."""
        try:
            path = Path(source).expanduser()
            if not path.is_file():
                return 0.7 if source.endswith(".everun") and "://" not in source else 0.0
            with path.open("rb") as file:
                head = file.read(_HEAD)
        except (OSError, ValueError, RuntimeError):
            return 0.0
        if head[:4] == b"\x5e\x2a\x4d\x18" and head[8:14] == b"everun":
            return 1.0
        return 0.7 if path.suffix == ".everun" else 0.0

    def open(self, source: str, **options: object) -> World:
        """Open it.

        Raises:
            UnknownSource: there is no such file, or it is no bundle.
            SourceUnreadable: it cannot be read, or not even its first line is whole.
        """
        path = Path(source).expanduser()
        try:
            file = path.open("rb")
        except FileNotFoundError:
            raise UnknownSource(
                f"{source} does not exist.", hint="Write one with `eve-replay pack SOURCE -o FILE`."
            ) from None
        except OSError as error:
            raise SourceUnreadable(f"{source} cannot be read: {error.strerror or error}.") from None
        try:
            from eve_replay.worlds.bundle.world import BundleWorld
            from eve_replay.worlds.bundle.zstd_frames import first_version

            version = first_version(file.read(_HEAD))
            if version is None:
                raise UnknownSource(
                    f"{source} is no bundle: it does not begin as one.",
                    hint="Write one with `eve-replay pack SOURCE -o FILE`.",
                )
            world = BundleWorld(file, str(path), wrap=Wrap.of(options))
        except ImportError as error:
            file.close()
            raise SourceUnreadable(f"Reading a bundle needs zstandard ({error}).") from error
        except BaseException:
            file.close()
            raise
        if version > VERSION:
            world.receipt.problem(
                "warning",
                "newer-version",
                str(path),
                f"This bundle has version {version}; version {VERSION} is known here. What is understood "
                "is shown.",
                "Update eve-replay to see all of it.",
            )
        return world


opener = _BundleOpener()
