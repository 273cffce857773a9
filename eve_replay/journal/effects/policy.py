"""What the user knows about their tools: the effects policy, and the cautious guesses used without one.

Three sources say how an effect is protected against a repeat, in this order: the policy the user wrote
(``effects.toml`` or a dict), evidence in the journal (a key seen in an input or a result), and a hint from
the tool's name. A hint is always marked as a hint: it decides what is worth a look, never what happened.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Literal, TypeAlias, cast, get_args

from eve_replay.errors import WrongUse

__all__ = [
    "EffectClass",
    "EffectsLike",
    "EffectsPolicy",
    "KeyBy",
    "Protection",
    "Rule",
    "Source",
    "hint_for",
    "runtime_step",
    "split_words",
]

EffectClass = Literal[
    "read-only", "keyed", "claimed", "durable", "check-then-act", "unprotected", "approval-gated", "unknown"
]
#: What an idempotency key is made of. Only some of these survive a re-run, see ``Protection.survives``.
KeyBy = Literal[
    "call-id", "coordinates", "business-id", "run-id", "session-id", "step-id", "attempt", "random", "unknown"
]
Source = Literal["policy", "evidence", "hint", "none"]

_KEY_SPELLINGS = {
    "callid": "call-id",
    "runid": "run-id",
    "sessionid": "session-id",
    "stepid": "step-id",
    "coordinate": "coordinates",
}
_CLASSES = frozenset(get_args(EffectClass))
_KEYS = frozenset(get_args(KeyBy))
#: First words of names that read. ``check`` is left out: some act (``check_then_act``, "check in").
_READING_WORDS = "get list read search find look lookup fetch describe count query show view browse inspect"
#: First words of names that act on the outside.
_ACTING_WORDS = (
    "charge pay send mail email refund transfer create delete remove update write post put ship book"
    " cancel order restart deploy apply publish notify submit buy sell issue grant revoke add set run"
    " execute reserve approve reject insert upsert patch close open start stop"
)
_READING = frozenset(_READING_WORDS.split())
_ACTING = frozenset(_ACTING_WORDS.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """How an effect is protected against happening twice, and who says so.

    Attributes:
        klass: the idempotency class.
        by: what its key is made of, None when it has no key.
        key: the key value seen in the journal, None when none was seen.
        source: ``policy``, ``evidence``, ``hint`` (the name only) or ``none``.
        approval: whether a person approves each call before it runs.
        note: the user's own words, or why the class was taken.
    """

    klass: EffectClass
    by: KeyBy | None = None
    key: str | None = None
    source: Source = "none"
    approval: bool = False
    note: str = ""

    @property
    def acts(self) -> bool:
        """Whether a repeat can matter: everything but read-only."""
        return self.klass != "read-only"

    @property
    def survives(self) -> bool | None:
        """Whether the protection holds when the step runs again; None when that depends or is unknown.

        A call id comes from the model's answer and is the same only if the model mints it the same way
        (docs/evidence/observed.md#call-ids); a run id or session id is the same, but merges two effects that
        are meant (wf#2011); check-then-act races with the first request still in flight (pay-check-then-act).
        """
        if self.klass in ("read-only", "claimed", "durable"):
            return True
        if self.klass == "keyed":
            if self.by in ("coordinates", "business-id", "run-id", "session-id", "step-id"):
                return True
            return False if self.by in ("attempt", "random") else None
        return False if self.klass in ("unprotected", "approval-gated") else None

    @property
    def word(self) -> str:
        """The class as a person reads it: ``keyed by call id``, ``read-only (guessed from the name)``."""
        text = self.klass if self.by is None else f"{self.klass} by {self.by.replace('-', ' ')}"
        if self.approval and self.klass != "approval-gated":
            text += ", approval-gated"
        return f"{text} (guessed from the name)" if self.source == "hint" else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One entry of a policy: a shell-style pattern for tool or step function names, and its protection."""

    pattern: str
    protection: Protection
    #: JSON path where the key stands, ``$.input.order`` or ``$.result.idempotencyKey``; empty when not said.
    key_path: str = ""
    #: Names under which the effect appears in a ledger (``charge`` for ``charge_card``).
    ledger: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectsPolicy:
    """The user's policy: rules in the order written, exact names before patterns, and a default."""

    rules: tuple[Rule, ...] = ()
    default: Protection | None = None
    origin: str = ""

    @classmethod
    def load(cls, source: EffectsLike) -> EffectsPolicy:
        """Return a policy from a TOML file's path, a dict of the same shape, or None for the empty policy.

        Shape: ``default = "unprotected"`` and one table per name under ``[tools.<name or pattern>]`` (or
        ``[steps...]``, the same) with ``class``, ``by``, ``key``, ``approval``, ``ledger``, ``note``; a plain
        string is short for ``class``, and ``"keyed:call-id"`` for class and key.

        Raises:
            WrongUse: the file is missing, is no TOML, or holds a class or key word that does not exist.
        """
        if source is None:
            return cls()
        if isinstance(source, EffectsPolicy):
            return source
        if isinstance(source, Mapping):
            return cls.from_mapping(source)
        if not isinstance(source, str | PathLike):
            raise WrongUse(
                f"An effects policy cannot be made of a {type(source).__name__}.",
                hint='Give the path of a TOML file, or a dict: {"charge_card": "keyed:call-id"}.',
            )
        path = Path(source)
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as exc:
            reason = exc.strerror or str(exc)
            raise WrongUse(f"The effects policy {path} cannot be read: {reason}.") from exc
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
            raise WrongUse(f"The effects policy {path} is not valid TOML: {exc}.") from exc
        return cls.from_mapping(data, origin=str(path))

    @classmethod
    def from_mapping(cls, data: Mapping[str, object], *, origin: str = "") -> EffectsPolicy:
        """Return a policy from a dict, see :meth:`load`. Raises WrongUse with the place of the mistake."""
        rules: list[Rule] = []
        default: Protection | None = None
        for name, value in data.items():
            if name == "default":
                default = _rule("default", value).protection
            elif name in ("tools", "steps") and isinstance(value, Mapping):
                rules += [_rule(str(pattern), entry) for pattern, entry in value.items()]
            elif name in ("tools", "steps", "version"):
                continue
            else:
                # The short form {"charge_card": "keyed:call-id"} is what people type in a notebook.
                rules.append(_rule(name, value))
        return cls(rules=tuple(rules), default=default, origin=origin)

    def rule_for(self, *names: str) -> Rule | None:
        """Return the rule for a tool or step known under ``names`` (short name first), or None."""
        wanted = [name for name in names if name]
        for rule in self.rules:
            if rule.pattern in wanted:
                return rule
        for rule in self.rules:
            if any(fnmatchcase(name, rule.pattern) for name in wanted):
                return rule
        return None


def _rule(pattern: str, value: object) -> Rule:
    if isinstance(value, str):
        value = {"class": value}
    if not isinstance(value, Mapping):
        raise WrongUse(
            f"Effects policy, {pattern}: expected a class or a table, found {type(value).__name__}."
        )
    table = cast("Mapping[str, object]", value)
    klass, _, inline = str(table.get("class", "keyed" if "by" in table else "unknown")).partition(":")
    by = str(table.get("by", "") or inline).lower().replace("_", "-").replace(" ", "-")
    by = _KEY_SPELLINGS.get(by, by)
    if klass not in _CLASSES:
        raise WrongUse(
            f"Effects policy, {pattern}: there is no class {klass!r}.", hint=f"Use one of {_words(_CLASSES)}."
        )
    if by and by not in _KEYS:
        raise WrongUse(
            f"Effects policy, {pattern}: a key cannot be made of {by!r}.", hint=f"Use one of {_words(_KEYS)}."
        )
    ledger = table.get("ledger", ())
    names = (ledger,) if isinstance(ledger, str) else ledger if isinstance(ledger, Sequence) else ()
    return Rule(
        pattern=pattern,
        key_path=str(table.get("key", "")),
        ledger=tuple(str(name) for name in names),
        protection=Protection(
            klass=cast("EffectClass", klass),
            by=cast("KeyBy", by) if by else ("unknown" if klass == "keyed" else None),
            source="policy",
            approval=table.get("approval") is True or klass == "approval-gated",
            note=str(table.get("note", "")),
        ),
    )


def _words(words: frozenset[str]) -> str:
    return ", ".join(sorted(words))


def hint_for(name: str) -> Protection:
    """Return what a name alone suggests, marked as a hint: it reads, it acts, or nothing can be said."""
    first = split_words(name)[:1]
    if first and first[0] in _READING:
        return Protection(klass="read-only", source="hint", note=f"the name starts with {first[0]!r}")
    if first and first[0] in _ACTING:
        return Protection(
            klass="unknown", source="hint", note=f"the name starts with {first[0]!r}, so it acts"
        )
    return Protection(klass="unknown", note="no policy, no key seen, and the name says nothing")


@lru_cache(maxsize=4096)
def split_words(name: str) -> tuple[str, ...]:
    """Return the lower-case words of a snake, kebab or camel case name."""
    words: list[str] = [""]
    previous = ""
    for char in name:
        if not char.isalnum():
            words.append("")
        elif char.isupper() and previous.islower():
            words.append(char.lower())
        else:
            words[-1] += char.lower()
        previous = char
    return tuple(word for word in words if word)


#: Modules whose step functions belong to the runtime: they move the session along, and what they do outside
#: is either a tool call (seen on its own) or a child run (seen as a run).
_RUNTIME_MODULES = frozenset({"eve", "workflow", "@workflow/core"})


def runtime_step(module: str) -> bool:
    """Whether a step function of this module is the runtime's own (``step//eve@0.80.1//turnStep``)."""
    return module in _RUNTIME_MODULES or module.startswith(("workflow/", "@workflow/"))


#: What every ``effects`` argument takes: a policy, its TOML file, a dict of the same shape, nothing.
EffectsLike: TypeAlias = EffectsPolicy | Mapping[str, object] | str | PathLike[str] | None
