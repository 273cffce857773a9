"""Turn the public rules of gitleaks into data of ours: ``write_rules(source, version, out)``.

gitleaks (https://github.com/gitleaks/gitleaks, MIT) keeps its rules in ``config/gitleaks.toml``, patterns in
Go's syntax. What Python writes otherwise is rewritten; rules that look at file names, and the generic one
(ours are names of fields and the entropy of texts), are left out. The notice of its licence lies beside.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

__all__ = ["converted", "python_pattern", "write_rules"]

_LEFT_OUT = frozenset(("generic-api-key", "jwt", "jwt-base64", "curl-auth-header", "curl-auth-user"))


def python_pattern(pattern: str) -> str:
    """Return a pattern of Go's regexp for Python's ``re``. Raises re.error when it cannot be written."""
    pattern = pattern.replace(r"\z", r"\Z").replace("[[:alnum:]]", "[0-9A-Za-z]")
    pattern = pattern.replace("[:alnum:]", "0-9A-Za-z")
    # ``(?i)`` in the middle holds to the end of its group: a group of its own says the same.
    while (at := pattern.find("(?i)")) >= 0:
        depth, end, inside, escaped = 0, len(pattern), False, False
        for place in range(at + 4, len(pattern)):
            sign = pattern[place]
            if escaped:
                escaped = False
            elif sign == "\\":
                escaped = True
            elif inside:
                inside = sign != "]"
            elif sign == "[":
                inside = True
            elif sign == "(":
                depth += 1
            elif sign == ")":
                if not depth:
                    end = place
                    break
                depth -= 1
        pattern = f"{pattern[:at]}(?i:{pattern[at + 4 : end]}){pattern[end:]}"
    re.compile(pattern)
    return pattern


def converted(text: str, version: str) -> dict[str, object]:
    """Return the data of ``redaction/leaks.json`` for the text of ``gitleaks.toml``."""
    rules = []
    for rule in tomllib.loads(text)["rules"]:
        if "regex" not in rule or rule["id"] in _LEFT_OUT or not rule.get("keywords"):
            continue
        made: dict[str, object] = {
            "id": rule["id"],
            "pattern": python_pattern(rule["regex"]),
            "keywords": sorted({word.lower() for word in rule["keywords"]}),
        }
        if rule.get("secretGroup"):
            made["group"] = rule["secretGroup"]
        if rule.get("entropy"):
            made["entropy"] = rule["entropy"]
        rules.append(made)
    return {
        "source": "https://github.com/gitleaks/gitleaks",
        "version": version,
        "licence": "MIT",
        "rules": rules,
    }


def write_rules(source: str, version: str, out: str) -> None:
    """Write ``out`` from a copy of ``gitleaks.toml``; ``version`` is its commit or tag."""
    data = converted(Path(source).read_text(encoding="utf-8"), version)
    Path(out).write_text(json.dumps(data, separators=(",", ":"), sort_keys=True) + "\n", encoding="utf-8")
