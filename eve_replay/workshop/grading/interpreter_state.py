"""Whether an answer has changed the workshop it runs in, or the environment: looked at before and after.

Simulated processes share one interpreter with their judge. A tool that hides its memory in a class of the
outside, or that gives such a class another method, is found by what it leaves behind; everything is then put
back as it was.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

__all__ = ["Untouched"]

_PACKAGE = "eve_replay.workshop"
#: Modules of Python whose functions a judge relies on.
_PYTHON = ("builtins", "time", "re", "dis", "contextlib")
_PARTS = ("__code__", "__defaults__", "__kwdefaults__")
#: What Python itself puts into a class or a function when it is first used.
_BY_PYTHON = (
    "__abstractmethods__",
    "__annotate__",
    "__annotate_func__",
    "__annotations__",
    "__annotations_cache__",
    "__dict__",
    "__parameters__",
    "__weakref__",
    "__wrapped__",
)
_MISSING = object()
_BUILTIN = type(len)


class Untouched:
    """What the modules, classes and functions of the workshop are like now."""

    __slots__ = ("_environment", "_held")

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._held = [(owner, _parts(owner)) for owner in _owners()]

    def touched(self) -> str:
        """Return the first thing that was changed meanwhile, empty without one; put all of it back."""
        found = ""
        for owner, before in self._held:
            now = _parts(owner)
            if now == before:
                continue
            for name in (*before, *(name for name in now if name not in before)):
                was, is_ = before.get(name, _MISSING), now.get(name, _MISSING)
                if was is is_ or _is_of_python(owner, name, was, is_):
                    continue
                found = found or f"{getattr(owner, '__name__', '?')}.{name} = ..."
                _put(owner, name, was)
        if dict(os.environ) != self._environment:
            found = found or "os.environ"
            os.environ.clear()
            os.environ.update(self._environment)
        return found


def _owners() -> Iterator[Any]:
    """Yield modules, their classes, and the functions in both, each once."""
    seen: set[int] = set()
    modules = [module for name, module in list(sys.modules.items()) if _is_watched(name, module)]
    for module in modules:
        yield module
        for kind in list(vars(module).values()):
            inside = list(vars(kind).values()) if isinstance(kind, type) else []
            for each in (kind, *inside):
                plain = getattr(each, "__func__", each)
                if not isinstance(plain, type | FunctionType) or id(plain) in seen:
                    continue
                if plain.__module__.startswith(_PACKAGE):
                    seen.add(id(plain))
                    yield plain


def _is_watched(name: str, module: object) -> bool:
    return isinstance(module, ModuleType) and (
        name in _PYTHON or name == _PACKAGE or name.startswith(f"{_PACKAGE}.")
    )


class _Parts(dict[str, Any]):
    """Equal only when the same objects are in it: nothing of an answer is asked whether it is equal."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, dict)
            and len(self) == len(other)
            and all(other.get(name, _MISSING) is value for name, value in self.items())
        )

    __hash__ = None


def _parts(owner: Any) -> _Parts:
    if isinstance(owner, FunctionType):
        return _Parts({**{name: getattr(owner, name) for name in _PARTS}, **vars(owner)})
    return _Parts(vars(owner))


def _is_of_python(owner: Any, name: str, was: object, is_: object) -> bool:
    """Whether a change is no answer's doing: something imported or worked out when it was first needed."""
    if name in _BY_PYTHON or isinstance(is_, ModuleType):
        return True
    if isinstance(owner, ModuleType):
        # Modules keep what they have worked out; what they define themselves stays as it is.
        return was is not _MISSING and not isinstance(was, type | FunctionType | _BUILTIN)
    return False


def _put(owner: Any, name: str, value: object) -> None:
    if value is not _MISSING:
        setattr(owner, name, value)
    else:
        delattr(owner, name)
