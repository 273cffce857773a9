"""Sources as they may be shown: whatever a person typed, without the secrets in it.

Every text that repeats a source passes through here: hints, errors, headings, the ``source`` of a JSON
document. Opening a source takes it as it is.
"""

from __future__ import annotations

import re

__all__ = ["HIDDEN", "public_error_text", "public_source", "public_text", "unescaped_login"]

HIDDEN = "***"

#: Parameters of an address that hold secrets: passwords, tokens, signatures of signed links.
_QUERY = re.compile(
    r"(?i)([?&;][^=&#;\s]*(?:password|passwd|passphrase|pwd|token|secret|key|credential|signature|auth)[^=&#;\s]*="
    r"|[?&;](?:pass|sig|code)=)[^&#;\s]+"
)
#: ``user:password@host`` without a scheme: an address whose beginning was forgotten.
_BARE = re.compile(r"([^/\\\s:@]+):[^/\\\s]+@(?=[\w.-]+(?:[:/]|$))")
#: ``host=... password=...``, as libpq and ODBC write it.
_KEYWORD = re.compile(
    r"(?i)(?<![\w-])(password|passwd|pwd|sslpassword|accountkey|sharedaccesskey)\s*=\s*"
    r"(?:'(?:[^'\\]|\\.)*+'|\"[^\"]*+\"|\{[^}]*+\}|[^\s;]+)"
)
#: Schemes in which a slash ends the login; a database password may hold an unescaped one.
_STRICT = ("http", "s3", "gs", "file", "vercel", "ssh", "sftp", "ftp")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s`]+")
_DATABASES = ("postgres", "mysql", "mariadb", "redis", "valkey", "mongodb", "libsql")
_BETWEEN = " + "


def public_source(source: str) -> str:
    """Return a source as it may be shown: an address without its secrets, anything else as it is.

    Works for every scheme and for several sources joined by `` + ``; of what stands before the last ``@``
    only a user name is kept, and nothing of it in a web address, where it is a token as often as a name.
    """
    if _BETWEEN in source:
        return _BETWEEN.join(public_source(part) for part in source.split(_BETWEEN))
    scheme, sep, rest = source.partition("://")
    if not sep:
        source = _KEYWORD.sub(rf"\1={HIDDEN}", source)
        return _BARE.sub(rf"\1:{HIDDEN}@", source, count=1) if _BARE.match(source) else source
    login, at, place = rest.rpartition("@")
    strict = scheme.lower().startswith(_STRICT)
    if strict and at and re.search(r"[/?#]", login):
        login, at, place = rest.partition("@")  # a later ``@`` belongs to the path
        if re.search(r"[/?#]", login):
            login, at, place = "", "", rest
    if at:
        user, colon, _ = login.partition(":")
        hidden = f"{user}:{HIDDEN}" if colon else user
        source = f"{scheme}{sep}{HIDDEN if strict and scheme.lower().startswith('http') else hidden}@{place}"
    return _QUERY.sub(rf"\1{HIDDEN}", source)


def unescaped_login(source: str) -> bool:
    """Return whether the password of a database address holds signs that end the login."""
    scheme, sep, rest = source.partition("://")
    if not sep or not scheme.lower().startswith(_DATABASES):
        return False
    before = re.split(r"\?[\w.-]+=", rest, maxsplit=1)[0]  # ``?user=me@place`` is a parameter
    login, at, _ = before.rpartition("@")
    return bool(at) and re.search(r"[@/#?]", login) is not None


def public_text(text: str) -> str:
    """Return a sentence with every address in it as it may be shown."""
    text = _KEYWORD.sub(rf"\1={HIDDEN}", text) if "=" in text else text
    if "://" not in text:
        return text
    return _ADDRESS.sub(lambda found: public_source(found[0]), text)


def public_error_text(text: str, source: str) -> str:
    """Return what an error says about ``source``, whoever wrote it, without the secrets of the source."""
    shown = public_source(source)
    if shown == source:
        return text
    # A path made of an address has lost one slash.
    for form in (source, source.replace("://", ":/")):
        text = text.replace(form, shown)
    return public_text(text)
