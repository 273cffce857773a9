"""A learner's function as code: can it be called, what does it reach for, and which hidden cases are its own.

Everything here reads compiled code; nothing of the answer is run.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator, Mapping
from functools import partial
from types import CodeType, FunctionType, ModuleType

from eve_replay.workshop.engine.process import Memory
from eve_replay.workshop.grading.import_scan import Trouble, own_names, reach_of_cell, reached
from eve_replay.workshop.model import Language, Text

__all__ = [
    "Trouble",
    "fingerprint",
    "hidden_seeds",
    "reach",
    "reach_of_cell",
    "remembers",
    "salted",
    "shape",
    "what_it_is",
]

_GENERATOR = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
_TOO_DEEP = 50
_CALL = "__call__"


def shape(answer: object, name: str, parameters: tuple[str, ...]) -> Trouble | None:
    """Return what keeps the runtime from calling an answer as it does, None when nothing does."""
    facts: dict[str, object] = {"name": name, "parameters": ", ".join(parameters)}
    if isinstance(answer, type) or not callable(answer):
        return "not-a-function", facts
    code = getattr(_plain(answer), "__code__", None)
    if isinstance(code, CodeType) and code.co_flags & _GENERATOR:
        return "generator", facts
    try:
        inspect.signature(answer).bind(*parameters)
    except TypeError:
        return "parameters", facts | {"count": len(parameters)}
    except ValueError:  # a built-in function that does not say what it takes
        return None
    return None


def what_it_is(answer: object, language: Language) -> str:
    """Return what something is that should have been a function: "a class", "nothing (None)", "a dict"."""
    if answer is None:
        return Text("nothing (None)", "空的（None）").get(language)
    if isinstance(answer, type):
        return Text("a class", "一个类").get(language)
    kind = type(answer).__name__
    article = "an" if kind[:1].lower() in "aeio" else "a"
    return Text(f"{article} {kind}", f" {kind}").get(language)


def reach(answer: object) -> Trouble | None:
    """Return the first thing an answer uses that lies outside what a tool can have, None when there is none.

    These are: modules that reach files, the network, other processes, threads or the interpreter; built-in
    functions that do; attributes with a leading underscore that are not the learner's own; and real waiting.
    """
    codes = [each for function in _functions(answer) for each in _codes(function)]
    own = frozenset(name for code, _ in codes for name in own_names(code))
    own |= {code.co_name for code, _ in codes}
    for code, names in codes:
        found = reached(code, names, own)
        if found is not None:
            return found
    return None


def remembers(answer: object) -> Trouble | None:
    """Return what an answer could remember in beyond the death of a process, None when there is nothing."""
    beyond = Memory.of([answer]).beyond if callable(answer) else ()
    return ("looks-inside", {"what": type(beyond[0]).__name__}) if beyond else None


def salted(answer: object) -> Trouble | None:
    """Return that an answer uses ``hash``, None when it does not.

    Python salts the hash of a text anew at every start, so it is another number in the next process. All
    processes of the workshop are one to Python: a key made of it would pass here and fail outside.
    """
    for function in _functions(answer):
        for code, names in _codes(function):
            if "hash" in code.co_names and names.get("hash", hash) is hash and code.co_name != "__hash__":
                return "salted-hash", {"what": "hash"}
    return None


def fingerprint(answer: object) -> bytes:
    """Return a digest of an answer's own code: bytecode, constants and names, helper functions included.

    It is the same for the same code in the same Python, whatever the file and line it stands in.
    """
    digest = hashlib.sha256()
    for code, names in _codes(answer):
        digest.update(code.co_code)
        for part in (
            code.co_names,
            code.co_varnames,
            code.co_freevars,
            tuple(map(_constant, code.co_consts)),
        ):
            digest.update(repr(part).encode("utf-8", "backslashreplace"))
        plain = {key: names[key] for key in sorted(set(code.co_names) & set(names)) if _is_plain(names[key])}
        digest.update(repr(plain).encode("utf-8", "backslashreplace"))
    if not callable(answer):  # a table of answers
        digest.update(_stable(answer).encode("utf-8", "backslashreplace"))
    return digest.digest()


def hidden_seeds(answer: object, count: int) -> tuple[int, ...]:
    """Return the seeds of the cases that an answer has not seen: another code, other cases.

    Seeds are positive; 0 is the case that the lesson shows.
    """
    start = fingerprint(answer)
    return tuple(
        1 + int.from_bytes(hashlib.sha256(start + bytes([number])).digest()[:6], "big")
        for number in range(count)
    )


def _plain(answer: object) -> object:
    """Return the function inside a method, a partial, a cached or a callable object."""
    for _ in range(_TOO_DEEP):
        if isinstance(answer, FunctionType | type):
            return answer
        inner = getattr(answer, "__func__", None) or getattr(answer, "func", None)
        inner = inner or getattr(answer, "__wrapped__", None) or vars(type(answer)).get(_CALL)
        if not callable(inner):
            break
        answer = inner
    return answer


def _codes(answer: object) -> Iterator[tuple[CodeType, Mapping[str, object]]]:
    """Yield the code of an answer and of all functions and classes of the learner that it uses.

    The learner's are those that were written in the same module as the answer; what a library puts into a
    class (a dataclass's ``__repr__``) is not theirs.
    """
    plain = _plain(answer)
    home = getattr(plain, "__module__", None)
    space = plain.__globals__ if isinstance(plain, FunctionType) else None
    waiting: list[object] = [answer]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, FunctionType):
            if space is None or one.__globals__ is space:
                names = _names(one)
                for code in _nested(one.__code__):
                    yield code, names
                    used = (names.get(name) for name in dict.fromkeys((*code.co_names, *code.co_freevars)))
                    waiting += [each for each in used if _home_of(each) == home]
                waiting += [*(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values()]
            waiting += vars(one).values()
        elif isinstance(one, type):
            if one.__module__ == home:
                waiting += [*vars(one).values(), *one.__bases__]
        elif isinstance(one, property):
            waiting += [one.fget, one.fset]
        elif one is not None and not isinstance(one, ModuleType):
            waiting += [_plain(one), type(one)]
            if isinstance(one, partial):
                waiting += [one.func, *one.args, *one.keywords.values()]


def _names(function: FunctionType) -> Mapping[str, object]:
    """Return what the names of a function mean: its globals, and what it closes over."""
    names: dict[str, object] = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not filled yet
            continue
    return names


def _home_of(value: object) -> object:
    """Return the module that made a function, a class, or an object's class."""
    if isinstance(value, type | FunctionType):
        return value.__module__
    inner = _plain(value)
    return inner.__module__ if isinstance(inner, FunctionType) else type(value).__module__


def _nested(code: CodeType, depth: int = 0) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType) and depth < _TOO_DEEP:
            yield from _nested(each, depth + 1)


def _constant(value: object) -> str:
    if isinstance(value, CodeType):
        return value.co_name
    if isinstance(value, frozenset):  # its order differs from process to process
        return repr(sorted(map(_constant, value)))
    if isinstance(value, tuple):
        return repr(tuple(map(_constant, value)))
    return repr(value)


def _stable(value: object, depth: int = 0) -> str:
    """Return plain data as text that is the same in every process."""
    if depth > _TOO_DEEP:
        return "..."
    if isinstance(value, dict):
        return (
            "{" + ",".join(f"{_stable(k, depth + 1)}:{_stable(v, depth + 1)}" for k, v in value.items()) + "}"
        )
    if isinstance(value, list | tuple):
        return "[" + ",".join(_stable(each, depth + 1) for each in value) + "]"
    if isinstance(value, set | frozenset):
        return "<" + ",".join(sorted(_stable(each, depth + 1) for each in value)) + ">"
    if _is_plain(value):
        return repr(value)
    return fingerprint(value).hex() if callable(value) else type(value).__name__


def _functions(answer: object, depth: int = 0) -> Iterator[object]:
    """Yield an answer, or the functions in a table of answers."""
    if callable(answer):
        yield answer
    elif depth < _TOO_DEEP and isinstance(answer, dict | list | tuple):
        for each in answer.values() if isinstance(answer, dict) else answer:
            yield from _functions(each, depth + 1)


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bytes)
