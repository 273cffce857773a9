"""A large data folder seen as if it held a few runs only: one session costs one session.

Everything that reads a folder reads this view the same way. Names tell most owners; hook records, tokens and
deliveries name their run inside, so the bytes of those that no name settles are looked through (never parsed)
and the ones that plainly name another run of this folder are left out. What names nobody stays in.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property

from eve_replay.codec.jsontext import loads_json
from eve_replay.worlds.local.disk import DiskTree
from eve_replay.worlds.local.kin import Kin
from eve_replay.worlds.local.names import lock_name
from eve_replay.worlds.local.tree import Entry, Stat, join

__all__ = ["Focus"]

_RUN = re.compile(rb'"runId"\s*:\s*"([^"\\]*)"')
_HOOK = re.compile(rb'"(?:hookId|correlationId)"\s*:\s*"([^"\\]*)"')
_TOKEN = re.compile(rb'"token"\s*:\s*("(?:[^"\\]|\\.)*")')
#: Folders whose names begin with the run they belong to.
_BY_NAME = frozenset(
    {
        "runs",
        "events",
        "steps",
        "waits",
        "streams/runs",
        ".locks/steps",
        ".locks/waits",
        ".locks/runs",
        ".locks/attributes",
        "hooks/by-run",
    }
)


class Focus:
    """The part of a folder that concerns some runs.

    Args:
        tree: the whole folder.
        base: the data folder's path inside the tree.
        members: the runs.
        kin: knows the names in the folder.
    """

    live = True

    def __init__(self, tree: DiskTree, base: str, members: Collection[str], kin: Kin) -> None:
        self.label = tree.label
        self.rejected: Mapping[str, str] = tree.rejected
        self.members = frozenset(members)
        self._tree = tree
        self._base = base
        self._kin = kin
        self._starts = tuple(self.members)

    def entries(self, path: str) -> list[Entry]:
        """Return those of a folder's entries that concern the runs, or nobody in particular."""
        folder = path[len(self._base) + 1 :] if self._base else path
        keep = self._rule(folder)
        if keep is None or not (names := self._kin.names(folder)):
            return self._tree.entries(path)
        return self._tree.entries(path, filter(keep, names))

    def read(self, path: str, limit: int) -> bytes:
        """Return a file's bytes."""
        return self._tree.read(path, limit)

    def stat(self, path: str) -> Stat | None:
        """Return what the path is."""
        return self._tree.stat(path)

    def close(self) -> None:
        """Close the folder."""
        self._tree.close()

    def _rule(self, folder: str) -> Callable[[str], bool] | None:
        """Return what says of a name in a folder whether it concerns the runs; None where all do."""
        if folder in _BY_NAME:
            own = self._starts
            return lambda name: name.startswith(own)
        if folder == "streams/chunks":
            starts = self._streams
            return lambda name: name.startswith(starts)
        if folder == "hooks":
            others = self._other_hooks
            return lambda name: name not in others
        if folder == "hooks/tokens":
            return self._own_tokens.__contains__
        if folder == "hooks/resumes":
            resumes = self._others(self._kin.owners(folder))
            return lambda name: name not in resumes
        if folder == "hooks/id-index":
            return self._hooks.__contains__
        if folder == "hooks/token-index":
            return self._hashes.__contains__
        if folder.startswith(("hooks/id-index/", "hooks/token-index/")):
            own = self._starts
            return lambda name: name.startswith(own) or not name.startswith("wrun_")
        if folder == ".locks/hooks":
            hooks, indexed = self._hooks, frozenset(self._kin.names("hooks/id-index"))
            return lambda name: (hook := _locked(name)) in hooks or hook not in indexed
        return None

    def _others(self, owners: Mapping[str, frozenset[str]]) -> frozenset[str]:
        """Return the names of the files that belong to other runs of this folder."""
        recorded = self._kin.files()
        others = {name: named for name, named in owners.items() if named.isdisjoint(self.members)}
        found = {name for name, named in others.items() if any(run in recorded for run in named)}
        if len(found) < len(others):  # of a run without a record, or of none that is here
            here = self._kin.ids()
            found |= {name for name, named in others.items() if not named.isdisjoint(here)}
        return frozenset(found)

    def _foreign(self, folder: str, names: Collection[str]) -> frozenset[str]:
        """Return which of some files name other runs of this folder inside, and none of ours."""
        owners = {}
        for name, data in self._kin.contents(folder, names):
            if data is not None:
                owners[name] = frozenset(each.decode("utf-8", "replace") for each in _RUN.findall(data))
        return self._others(owners)

    @cached_property
    def _indexed(self) -> Mapping[bool, frozenset[str]]:
        """The hooks that the index by run gives to these runs (True), and to others (False)."""
        found: dict[bool, set[str]] = {True: set(), False: set()}
        for name in self._kin.names("hooks/by-run"):
            owner, mark, hook = name.removesuffix(".json").partition("-hook_")
            if mark:
                found[owner in self.members].add(f"hook_{hook}")
        return {own: frozenset(hooks) for own, hooks in found.items()}

    @cached_property
    def _other_hooks(self) -> frozenset[str]:
        """The hook records of others: by the index, and where it does not know them by what they say."""
        names = {name for name in self._kin.names("hooks") if name.endswith(".json")}
        others = {f"{hook}.json" for hook in self._indexed[False]} & names
        return frozenset(others) | self._foreign("hooks", names - others)

    @cached_property
    def _other_tokens(self) -> frozenset[str]:
        """The token files of others.

        A hook's token file is written first, then two indexes, the event, the index by run and the record
        (docs/evidence/sweep.md#writes). So a token of these runs is one of their known hooks, or has no index
        yet, or its hook is in the first two indexes only. Where such a hook may exist, whoever's it is, every
        token is looked into.
        """
        names = frozenset(name for name in self._kin.names("hooks/tokens") if name.endswith(".json"))
        hooks, tokens = self._kin.names("hooks/id-index"), self._kin.names("hooks/token-index")
        if len(hooks) == len(tokens) and self._indexed[True].union(self._indexed[False]).issuperset(hooks):
            others = names.intersection(f"{token}.json" for token in tokens)
            others -= {f"{token}.json" for token in self._own_hashes}
            return others | self._foreign("hooks/tokens", names - others)
        return self._foreign("hooks/tokens", names)

    @cached_property
    def _streams(self) -> tuple[str, ...]:
        """How the names of the runs' streams begin: by the run's ULID, or as the run's index says."""
        found = [f"strm_{member.partition('_')[2]}" for member in self.members if "_" in member]
        names = [name for name in self._kin.names("streams/runs") if name.startswith(self._starts)]
        for _, data in self._kin.contents("streams/runs", names):
            try:
                listed = loads_json(data or b"")
            except ValueError:
                continue  # who reads the index says so
            streams = listed.get("streams") if isinstance(listed, dict) else None
            if isinstance(streams, list):
                found += [each for each in streams if isinstance(each, str) and each]
        return tuple(found)

    @cached_property
    def _told(self) -> list[bytes]:
        """The hook records of the runs, and the events that are about hooks."""
        names = [name for name in self._kin.names("hooks") if name.endswith(".json")]
        own = [name for name in names if name not in self._other_hooks]
        found = [data for _, data in self._kin.contents("hooks", own) if data is not None]
        return found + [data for data in self._events() if b"hook_" in data]

    def _events(self) -> Iterator[bytes]:
        flat = [name for name in self._kin.names("events") if name.startswith(self._starts)]
        for _, data in self._kin.contents("events", [name for name in flat if name.endswith(".json")]):
            yield data or b""
        for member in self.members & set(flat):
            inner = join("events", member)
            for _, data in self._kin.contents(inner, self._kin.names(inner)):
                yield data or b""

    @cached_property
    def _told_hooks(self) -> frozenset[str]:
        return frozenset(
            value.decode("utf-8", "replace") for data in self._told for value in _HOOK.findall(data)
        )

    @cached_property
    def _own_hashes(self) -> frozenset[str]:
        """The names of the known hooks' tokens: SHA-256 of the token (docs/formats/local.md#files)."""
        found = set()
        for data in self._told:
            for text in _TOKEN.findall(data):
                try:
                    found.add(hashlib.sha256(loads_json(text).encode()).hexdigest())
                except ValueError:
                    continue
        return frozenset(found)

    @cached_property
    def _own_tokens(self) -> frozenset[str]:
        """The names in the folder of tokens, files and lock folders, that are not another run's."""
        names = set(self._kin.names("hooks/tokens"))
        found = names - self._other_tokens
        locks = {name for name in found if name.endswith(".lock")}
        beside = {name for name in locks if name.removesuffix(".lock") + ".json" in self._other_tokens}
        return frozenset(found - beside)

    @cached_property
    def _hooks(self) -> frozenset[str]:
        """The ids of the runs' hooks."""
        own = [name for name in self._own_tokens if name.endswith(".json")]
        tokens = [data for _, data in self._kin.contents("hooks/tokens", own) if data is not None]
        found = {value.decode("utf-8", "replace") for data in tokens for value in _HOOK.findall(data)}
        return self._indexed[True] | self._told_hooks | found

    @cached_property
    def _hashes(self) -> frozenset[str]:
        return self._own_hashes | {name.partition(".")[0] for name in self._own_tokens}


def _locked(name: str) -> str:
    parsed = lock_name(name)
    return parsed[0] if parsed is not None else name
