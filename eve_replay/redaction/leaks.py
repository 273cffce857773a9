"""Secrets of services: the public rules of gitleaks as data, a few more of ours, entropy for the rest.

``leaks.json`` is made by ``tools/leak_rules.py`` from gitleaks (MIT, notice in ``leaks.LICENSE``); it names
the version it was made from. A rule is tried on texts that hold one of its keywords, and what it finds must
be as random as the rule says, so that ``xai-please-insert-your-key-here`` stays.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from eve_replay.codec.jsontext import loads_json

__all__ = ["entropy", "leaked", "looks_random", "random_runs", "rules_version"]

#: Texts beyond this are looked at in pieces that overlap: patterns of others may not be linear.
_PIECE, _OVERLAP = 20_000, 600
#: A run of letters and digits that no rule knows, as long as keys are.
_RUN = re.compile(r"(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/_-]{20,200}={0,2}(?![A-Za-z0-9+/_=-])")
_HEX = re.compile(r"[0-9a-f]+\Z|[0-9A-F]+\Z")

#: What gitleaks does not know (July 2026), and an agent may hold: keyword, pattern with group ``s``.
_OURS: tuple[tuple[str, str], ...] = (
    ("gsk_", r"(?<![\w-])(?P<s>gsk_[A-Za-z0-9]{20,})"),
    ("xai-", r"(?<![\w-])(?P<s>xai-[A-Za-z0-9_-]{20,})"),
    ("pplx-", r"(?<![\w-])(?P<s>pplx-[A-Za-z0-9]{20,})"),
    ("r8_", r"(?<![\w-])(?P<s>r8_[A-Za-z0-9]{20,})"),
    ("fw_", r"(?<![\w-])(?P<s>fw_[A-Za-z0-9]{20,})"),
    ("tgp_v1_", r"(?<![\w-])(?P<s>tgp_v1_[\w-]{20,})"),
    ("csk-", r"(?<![\w-])(?P<s>csk-[a-z0-9]{20,})"),
    ("nvapi-", r"(?<![\w-])(?P<s>nvapi-[\w-]{20,})"),
    ("tvly-", r"(?<![\w-])(?P<s>tvly-[\w-]{20,})"),
    ("lsv2_", r"(?<![\w-])(?P<s>lsv2_[a-z]{2}_[a-f0-9]{20,}_[a-f0-9]{6,})"),
    ("discord", r"discord(?:app)?\.com/api/webhooks/(?P<s>\d{15,21}/[\w-]{40,})"),
    ("hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>[\w/+-]{20,})"),
    (":aa", r"(?<!\d)(?P<s>\d{8,10}:AA[\w-]{32,34})(?![\w-])"),  # a bot of Telegram
    ("accountkey=", r"(?i:AccountKey=)(?P<s>[A-Za-z0-9+/]{40,}={0,2})"),
    ("sharedaccesskey=", r"(?i:SharedAccessKey=)(?P<s>[A-Za-z0-9+/]{40,}={0,2})"),
    ("1//0", r"(?<![\w/])(?P<s>1//0[\w-]{30,})"),
    (":apa91b", r"(?P<s>[\w-]{11}:APA91b[\w-]{100,})"),
    ("key-", r"(?<![\w-])(?P<s>key-[0-9a-f]{32})(?!\w)"),
    ("sk", r"(?<![A-Za-z0-9])(?P<s>SK[0-9a-f]{32})(?!\w)"),
    ("ac", r"(?<![A-Za-z0-9])(?P<s>AC[0-9a-f]{32})(?!\w)"),
    ("secret_", r"(?<![\w-])(?P<s>secret_[A-Za-z0-9]{40,})"),
    ("ntn_", r"(?<![\w-])(?P<s>ntn_[A-Za-z0-9]{30,})"),
    ("fm", r"(?<![\w-])(?P<s>fm[12]r?_[A-Za-z0-9+/=_-]{30,})"),
    ("fo1_", r"(?<![\w-])(?P<s>fo1_[\w-]{30,})"),
    ("sq0", r"(?<![\w-])(?P<s>sq0[a-z]{3}-[\w-]{20,})"),
    ("eaaa", r"(?<![\w-])(?P<s>EAAA[\w-]{50,})"),
    ("access_token$", r"(?P<s>access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32})"),
    ("dp.", r"(?<![\w-])(?P<s>dp\.(?:pt|st|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44})"),
    ("pypi-", r"(?<![\w-])(?P<s>pypi-[\w-]{40,})"),
    ("shp", r"(?<![\w-])(?P<s>shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32})"),
    ("pat", r"(?<![\w-])(?P<s>pat[A-Za-z0-9]{14}\.[a-f0-9]{64})"),
    ("dapi", r"(?<![\w-])(?P<s>dapi[a-f0-9]{32}(?:-\d)?)(?!\w)"),
    ("hv", r"(?<![\w-])(?P<s>hv[sbr]\.[\w-]{24,})"),
    ("npm_", r"(?P<s>npm_[A-Za-z0-9]{30,})"),
    ("pgp private key", r"-----BEGIN PGP PRIVATE KEY BLOCK-----(?P<s>[\s\S]*?)(?:-----END|\Z)"),
    ("xprv", r"(?<!\w)(?P<s>[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,112})"),
)
_WIF = re.compile(r"(?<![A-Za-z0-9])(?P<s>[5KL][1-9A-HJ-NP-Za-km-z]{50,51})(?![A-Za-z0-9])")


#: Least entropy of what our rules find, and the mark that it needs a digit too.
_NEEDS_DIGIT = 2.0


@dataclass(frozen=True, slots=True)
class _Leak:
    name: str
    pattern: re.Pattern[str]
    keywords: tuple[str, ...]
    group: int | str
    entropy: float


@cache
def _rules() -> tuple[_Leak, ...]:
    data = loads_json(files("eve_replay.redaction").joinpath("leaks.json").read_text(encoding="utf-8"))
    found = [
        _Leak(f"{word.strip('-_.:=$ ')} secret", re.compile(pattern), (word,), "s", _NEEDS_DIGIT)
        for word, pattern in _OURS
    ]
    for rule in data["rules"]:
        pattern = re.compile(rule["pattern"])
        group = rule.get("group") or (1 if pattern.groups else 0)
        keywords = tuple(rule["keywords"])
        found.append(_Leak(rule["id"], pattern, keywords, group, float(rule.get("entropy", 0))))
    return tuple(found)


@cache
def _by_word() -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return each keyword with the numbers of the rules that it makes worth a try."""
    found: dict[str, list[int]] = {}
    for number, rule in enumerate(_rules()):
        for word in rule.keywords:
            found.setdefault(word, []).append(number)
    return tuple((word, tuple(numbers)) for word, numbers in found.items())


@cache
def rules_version() -> str:
    """Return which version of the public rules this is."""
    data = loads_json(files("eve_replay.redaction").joinpath("leaks.json").read_text(encoding="utf-8"))
    return f"gitleaks {data['version']}, {len(data['rules'])} rules, and {len(_OURS) + 1} of ours"


def leaked(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield ``(rule, start, end)`` of what the rules of services find in a text; ranges may overlap."""
    if len(text) < 16:
        return
    for begin in range(0, max(1, len(text) - _OVERLAP), _PIECE - _OVERLAP) if len(text) > _PIECE else (0,):
        piece = text[begin : begin + _PIECE]
        for name, start, end in _in_piece(piece):
            yield name, begin + start, begin + end


def _in_piece(text: str) -> Iterator[tuple[str, int, int]]:
    low = text.lower()
    wanted = {n for word, numbers in _by_word() if word in low for n in numbers}
    for rule in map(_rules().__getitem__, sorted(wanted)):
        for match in rule.pattern.finditer(text):
            group = rule.group if match.span(rule.group)[0] >= 0 else 0
            start, end = match.span(group)
            found = text[start:end]
            if rule.entropy == _NEEDS_DIGIT and not any(map(str.isdigit, found)):
                continue  # a placeholder in words
            if found and entropy(found) >= rule.entropy:
                yield rule.name, start, end
    for match in _WIF.finditer(text):
        if looks_random(match["s"]):
            yield "wallet key", *match.span("s")


def entropy(text: str) -> float:
    """Return Shannon's entropy of a text in bits per character."""
    count = len(text)
    return -sum(n / count * math.log2(n / count) for n in Counter(text).values()) if text else 0.0


def looks_random(text: str) -> bool:
    """Return whether letters and digits are mixed as in a key: what is left over when no rule knows it."""
    if _HEX.match(text):
        return len(text) >= 32 and entropy(text) > 3.2 and any(sign.isalpha() for sign in text)
    kinds = sum(map(str.isdigit, text)) > 1, any(map(str.islower, text)), any(map(str.isupper, text))
    return all(kinds) and len(text) >= 24 and entropy(text) > 3.9


def random_runs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a text that look like keys."""
    for match in _RUN.finditer(text):
        if looks_random(match[0]):
            yield match.span()
