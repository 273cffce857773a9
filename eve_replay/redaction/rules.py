"""What a redacted bundle leaves out: the rules, and stand-ins that keep length and kind of every character.

A stand-in is made from the text and a salt: the same text gives the same stand-in within one bundle, so that
equal things stay equal, and nobody without the salt can try out guesses. The salt is never stored.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from eve_replay.redaction.leaks import leaked

__all__ = [
    "KEEP_WORDS", "Stand", "find_secrets", "is_id", "is_secret_name", "is_structural", "looks_base64", "luhn",
]  # fmt: skip

_SECRET = re.compile(
    r"pass(?:word|wd|phrase|code)|secret|api_?key|(?:access|private|signing|encryption|service)_?key"
    r"|authori[sz]ation|cookie|credential|bearer|(?:^|_)(?:token|jwt|pin|otp|cvv|cvc|ssn|iban|pwd)(?:$|_)"
    r"|card_?number|credit_?card|account_?number|(?:access|refresh|id|auth|session|csrf|bot|bearer)_?token$"
    r"|connection_?string|database_?url|webhook_?url|private_?key|session_?key|client_?key",
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_WORD = re.compile(r"[^a-z0-9]+")
#: Names that look secret and hold counts, kinds or references the analysis needs.
_NOT_SECRET = frozenset(
    ("token_type", "token_count", "tokens", "continuation_token", "principal_type", "authenticator")
)
#: Names whose numbers are secrets too (``tokens`` and the like are counts).
_SECRET_NUMBER = re.compile(
    r"pass|(?:^|_)(?:pin|otp|cvv|cvc|ssn)(?:$|_)|card_?number|credit_?card|account_?n"
)

_IDS = re.compile(
    r"(?:(?:wrun|step|hook|wait|evnt|wevt|evt|strm|chnk|turn|abrt|dpl|prj|aitxt|msg|call|toolu|res|req|task)"
    r"[_-][A-Za-z0-9@._-]{1,80}|[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?Z?)?|mock-[a-z]+-call-[0-9-]+|turn_\d+"
    r"|(?:step|workflow|class)//[^\s\"]{1,200})\Z"
)
#: Names whose short word-like values say how things went, not what was said.
_STRUCTURAL_WORDS = """
    type kind status state phase action on wait outcome decision code reason role id ids runId stepId hookId
    eventId waitId streamId chunkId turnId sessionId callId toolCallId toolName tool requestId responseId
    optionId deliveryId deliveryIds messageId approvalId resumeId parentId taskId correlationId
    idempotencyKey key runIds ownerRunId rootRunId parentRunId childRunId ownerMessageId ownerDeploymentId
    deploymentId finishReason modelId model provider providerId version eveVersion specVersion workflowName
    stepName functionName nodeVersion workflowCoreVersion at createdAt updatedAt startedAt completedAt
    resumeAt expiredAt deadline eventType continuationToken display retention target namespace agentId
    nodeId format encoding mediaType retryAfter errorCode layout event source channelKind channelName
    principalType authenticator environment mode acceptedDeploymentId $type __type className classId
    childSessionId subagentName tag isolation timing controllerToken completionToken step lastStep step_id
    run_id hook_id
"""
_STRUCTURAL = frozenset(_STRUCTURAL_WORDS.split())
_WORD = re.compile(r"[\w$@/.:#+~-]{1,200}\Z")
#: Parts of eve's hook tokens that carry meaning (journal/frameworks/workflow/messages.py reads them).
KEEP_WORDS = frozenset(
    ("eve", "session", "inbox", "v1", "v2", "auth", "anchor", "handoff", "cancel", "turn-control",
     "turn", "control", "deadline", "timeout", "http", "task", "completion", "tasks", "user", "abort")
)  # fmt: skip

_LETTERS = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{16,}={0,2}(?![A-Za-z0-9+/_=-])")


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    pattern: re.Pattern[str]
    #: Quick test: a text without any of these cannot match (all lower case; empty: always try).
    hints: tuple[str, ...] = ()


def _rule(name: str, pattern: str, *hints: str) -> _Rule:
    return _Rule(name, re.compile(pattern, re.IGNORECASE), hints)


#: In this order; group ``s`` is what is replaced, else the whole match.
_RULES = (
    _rule(
        "private key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?P<s>[\s\S]*?)(?:-----END|\Z)",
        "private key-----",
    ),
    _rule(
        "authorization",
        r"\b(?:bearer|basic|digest)[ \t]+(?P<s>(?=[^\s\"',;]*[\d+/=._-])[A-Za-z0-9+/=._~-]{8,})",
        "bearer", "basic", "digest",
    ),
    _rule(
        "header",
        r"\b(?:set-cookie|cookie|(?:proxy-)?authorization)[\"']?[ \t]*[:=][ \t]*[\"']?(?P<s>[^\r\n\"']+)",
        "cookie", "authorization",
    ),
    _rule("jwt", r"(?P<s>\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?)", "eyj"),
    _rule(
        "api key",
        r"(?<![A-Za-z0-9])(?P<s>(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_A-Za-z0-9]{16,}"
        r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|xox[a-z]-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}"
        r"|AIza[\w-]{30,}|ya29\.[\w-]{20,}|glpat-[\w-]{16,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}"
        r"|whsec_[A-Za-z0-9+/=]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|vc[a-z]?_[A-Za-z0-9]{20,}|dop_v1_[a-f0-9]{32,}"
        r"|lin_api_\w{20,}|sbp_[a-f0-9]{30,}|AGE-SECRET-KEY-[A-Z0-9]{20,})",
        "sk", "pk", "rk", "gh", "xox", "akia", "asia", "aiza", "ya29", "glpat", "npm_", "hf_", "whsec", "sg.",
        "vc", "dop_", "lin_", "sbp_", "age-",
    ),
    _rule("address password", r"\b[a-z][a-z0-9+.-]*://[^\s/:@\"']*:(?P<s>[^\s/@\"']+)@", "://"),
    _rule(
        "named secret",
        r"(?:pass(?:word|wd|phrase|code)|secret|api[-_ ]?key|(?:access|refresh|auth|session|id)[-_]?token"
        r"|(?<![a-z])(?:token|sig|signature|pwd|client_secret|x-api-key))[\"']?[ \t]*(?:=|:|%3D)[ \t]*[\"']?"
        r"(?P<s>[^\s\"'&,;<>{}\[\]()]{4,})",
        "pass", "secret", "key", "token", "sig", "pwd",
    ),
    _rule(
        "e-mail",
        r"(?P<s>[\w.!#$%&'*+/=?^`{|}~-]{1,64}(?:@|%40)(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-]))",
        "@", "%40",
    ),
    _rule("card number", r"(?<![\w.-])(?P<s>[3-6]\d{3}(?:[ -]?\d){9,15})(?![\w-])"),
)  # fmt: skip


_HINTS = {re.escape(hint) for rule in _RULES for hint in rule.hints}
#: Whether any rule can match at all; card numbers have digits and no hint.
_WORTH_IT = re.compile("|".join(sorted(_HINTS)) + r"|\d{4}[ -]?\d{4}", re.IGNORECASE)


def find_secrets(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield ``(rule, start, end)`` for everything in a text that a rule takes out; ranges may overlap."""
    for name, start, end in leaked(text):
        if not is_id(text[start:end]):
            yield name, start, end
    if _WORTH_IT.search(text) is None:
        return  # as nearly all texts are
    low = text.lower()
    for rule in _RULES:
        if rule.hints and not any(hint in low for hint in rule.hints):
            continue
        for match in rule.pattern.finditer(text):
            start, end = match.span("s")
            found = text[start:end]
            if rule.name == "card number" and not luhn(found):
                continue
            if rule.name in ("named secret", "header") and (is_id(found) or found.lower().startswith("eve:")):
                continue
            yield rule.name, start, end


@lru_cache(maxsize=8192)
def is_secret_name(name: str, *, number: bool = False) -> bool:
    """Return whether a field of this name holds a secret (``number``: also when it is a number)."""
    words = _NOT_WORD.sub("_", _HUMP.sub("_", name[:200]).lower()).strip("_")
    if words in _NOT_SECRET:
        return False
    return (_SECRET_NUMBER if number else _SECRET).search(words) is not None


def is_structural(name: str, value: str) -> bool:
    """Return whether a value is a word of the machinery: a status, an id, a tool's name."""
    return name in _STRUCTURAL and _WORD.match(value) is not None


def is_id(text: str) -> bool:
    """Return whether a text is an id of the journal, or an instant."""
    return _IDS.match(text) is not None


def luhn(text: str) -> bool:
    """Return whether the digits of a text pass the check of card numbers."""
    digits = [int(char) for char in text if char.isdigit()]
    if not 13 <= len(digits) <= 19:
        return False
    total = sum(digits[-1::-2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return total % 10 == 0


def looks_base64(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a text that may be base64 of something."""
    for match in _LETTERS.finditer(text):
        yield match.span()


class Stand:
    """Makes stand-ins: same length, same kind of character, same size in UTF-8 and UTF-16.

    Args:
        salt: secret bytes of this one bundle.
    """

    def __init__(self, salt: bytes) -> None:
        self._salt = salt

    def __call__(self, text: str) -> str:
        """Return the stand-in of a text: letters become letters, digits digits; the rest stays."""
        stream = self._bytes(text.encode("utf-8", "surrogatepass"), len(text))
        return "".join(_other(char, byte) for char, byte in zip(text, stream, strict=True))

    def token(self, text: str) -> str:
        """Return the stand-in of a hook token: words of the machinery and ids stay, other parts go."""
        parts = text.split(":")
        kept = [part if part.lower() in KEEP_WORDS or is_id(part) else self(part) for part in parts]
        return ":".join(kept)

    def _bytes(self, text: bytes, count: int) -> bytes:
        seed = hmac.new(self._salt, text, hashlib.sha256).digest()
        return hashlib.shake_128(seed).digest(count)


def _other(char: str, byte: int) -> str:
    code = ord(char)
    if "a" <= char <= "z":
        return chr(97 + byte % 26)
    if "A" <= char <= "Z":
        return chr(65 + byte % 26)
    if "0" <= char <= "9":
        return chr(48 + byte % 10)
    if code < 0xA0:
        return char  # punctuation, spaces, control characters
    if code < 0x100:
        return chr(0xE0 + byte % 16)  # also one byte in Latin-1
    if code < 0x800:
        return chr(0x3B1 + byte % 16)  # two bytes
    if 0xD800 <= code <= 0xDFFF:
        return char if code < 0xDC00 else chr(0xDC00 + byte)  # half of a pair: the other half stays
    if code < 0x10000:
        return chr(0x3041 + byte % 80)  # three bytes
    return chr(0x10400 + byte % 40)  # four bytes
