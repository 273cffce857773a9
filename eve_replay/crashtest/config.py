"""``crashtest.toml``: the turns, the outside, the promises (docs/guides/crashtest.md#the-file)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from eve_replay.crashtest.model import DOES, Config, Promise, PromiseKind, Stub, Turn
from eve_replay.errors import WrongUse

__all__ = ["config_from", "load_config"]

_KNOWN = {"turn", "stub", "promises", "ledger", "env", "allow", "links", "lease", "lag"}
_KINDS: Mapping[str, PromiseKind] = {
    **{kind: kind for kind in get_args(PromiseKind)},
    **{kind.replace(" ", "_"): kind for kind in get_args(PromiseKind)},
    "never lost": "at least once",
    "never_lost": "at least once",
}


def load_config(path: Path) -> Config:
    """Read a crash test. Raises WrongUse when the file is not there, or makes no sense."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise WrongUse(
            f"There is no {path.name} that says what is promised.",
            hint="A first draft: eve-replay crashtest PROJECT --init --turn SOURCE.",
        ) from None
    except (tomllib.TOMLDecodeError, OSError, UnicodeDecodeError) as error:
        raise WrongUse(f"{path.name} cannot be read: {error}") from error
    return config_from(data, where=path.name)


def config_from(data: Mapping[str, Any], *, where: str = "crashtest.toml") -> Config:
    """Return the crash test that plain data describes. Raises WrongUse and says where."""
    unknown = sorted(set(data) - _KNOWN)
    if unknown:
        raise WrongUse(
            f"{where} has {unknown[0]!r}, which means nothing here.", hint=f"Known: {_list(_KNOWN)}."
        )
    try:
        return Config(
            turns=tuple(_turn(each, where) for each in _items(data, "turn", where)),
            stubs=tuple(_stub(each, where) for each in _items(data, "stub", where)),
            promises=tuple(_promise(n, each, where) for n, each in dict(data.get("promises", {})).items()),
            ledgers=_texts(data.get("ledger", [])),
            env={str(name): str(value) for name, value in dict(data.get("env", {})).items()},
            allow=_texts(data.get("allow", [])),
            links=_texts(data.get("links", [])),
            lease=int(data.get("lease", 1)),
            lag=float(data.get("lag", 4.0)),
        )
    except (TypeError, ValueError, AttributeError) as error:
        raise WrongUse(f"{where} cannot be understood: {error}") from error


def _items(data: Mapping[str, Any], name: str, where: str) -> Sequence[Mapping[str, Any]]:
    found = data.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        raise WrongUse(f"{where}: {name} is a list of tables.", hint=f"Write [[{name}]].")
    return found


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(each) for each in value) if isinstance(value, list) else ()


def _list(words: Any) -> str:
    return ", ".join(sorted(words))


def _turn(data: Mapping[str, Any], where: str) -> Turn:
    if "message" not in data:
        raise WrongUse(f"{where}: a [[turn]] has no message.")
    replies = []
    for each in data.get("reply", []):
        calls = each.get("calls", [])
        if any("name" not in call for call in calls):
            raise WrongUse(f"{where}: a call of a reply has no name.")
        replies.append(dict(each))
    return Turn(message=str(data["message"]), replies=tuple(replies), approve=bool(data.get("approve", True)))


def _stub(data: Mapping[str, Any], where: str) -> Stub:
    given = dict(data)
    request = str(given.pop("request", "* *"))
    method, _, rest = request.partition(" ")
    host, slash, path = rest.partition("/")
    does = given.setdefault("does", "plain")
    if does not in DOES:
        raise WrongUse(f"{where}: a stub cannot do {does!r}.", hint=f"Use {', '.join(DOES)}.")
    if not rest or "name" not in given:
        raise WrongUse(
            f"{where}: a [[stub]] needs a name and a request.",
            hint='For example name = "charge", request = "POST api.pay.example/charge".',
        )
    return Stub(method=method, host=host, path=slash + path if slash else "*", **given)


def _promise(effect: str, said: object, where: str) -> Promise:
    """``"once"``, ``{once_by = "order"}``, ``{at_least_once = true}``."""
    if isinstance(said, str):
        kind, by = said, ""
    elif isinstance(said, Mapping) and len(said) == 1:
        kind, value = next(iter(said.items()))
        by = value if isinstance(value, str) else ""
        kind = kind.removesuffix("_by")
    else:
        raise WrongUse(f"{where}: the promise of {effect!r} is one word, or one pair.")
    found = _KINDS.get(kind)
    if found is None:
        raise WrongUse(f"{where}: there is no promise {kind!r}.", hint=f"Use {_list(get_args(PromiseKind))}.")
    return Promise(effect=effect, kind=found, by=by)
