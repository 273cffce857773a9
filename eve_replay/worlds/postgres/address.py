"""Addresses of a Postgres world, and what goes wrong on the way to it: one clear sentence each.

A password never leaves this module: not in a label, not in an error, not in a chained exception.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from eve_replay.errors import EveReplayError, SourceUnreadable, WrongUse
from eve_replay.worlds.sources import public_source

if TYPE_CHECKING:
    import psycopg

__all__ = ["Address", "explain", "grant_hint", "parse_address", "public_source"]

_SCHEME = re.compile(r"postgres(?:ql)?(?:\+[a-z0-9]+)?://", re.IGNORECASE)
_DEFAULT_SCHEMA = "workflow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a Postgres world is.

    Attributes:
        conninfo: what libpq is given, password included: never show it.
        label: the same for people, without password and parameters.
        schema: the schema that holds the workflow tables.
        timeout: seconds one answer of the server may take.
        secrets: texts to take out of every message.
    """

    conninfo: str = field(repr=False)
    label: str
    schema: str = _DEFAULT_SCHEMA
    timeout: float = 30.0
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def clean(self, text: str) -> str:
        """Return ``text`` as one line with every secret taken out."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return " ".join(text.split())


def parse_address(source: str, *, schema: str | None = None, timeout: float | None = None) -> Address:
    """Take a ``postgres://`` address apart.

    ``?schema=NAME`` and ``?timeout=SECONDS`` are ours and not handed to libpq; driver suffixes such as
    ``postgresql+psycopg://`` are accepted because people paste what their application uses.

    Raises:
        WrongUse: the address cannot be taken apart, or the timeout is no positive number.
    """
    match = _SCHEME.match(source)
    if match is None:
        raise WrongUse("This is no Postgres address.", hint="Write postgres://user@host/database.")
    try:
        parts = urlsplit("postgresql://" + source[match.end() :])
        port = parts.port
    except ValueError:
        raise WrongUse(
            "This Postgres address cannot be read.",
            hint="Write postgres://user:password@host:5432/database, special characters as %XX.",
        ) from None
    query = parse_qsl(parts.query, keep_blank_values=True)
    ours = {name: value for name, value in query if name in ("schema", "timeout")}
    kept = [(name, value) for name, value in query if name not in ours]
    seconds = timeout if timeout is not None else _seconds(ours.get("timeout"))
    password = parts.password or ""
    named = dict(kept)
    secrets = {password, unquote(password), named.get("password", ""), named.get("sslpassword", "")}
    host = parts.hostname or named.get("host") or "local socket"
    if ":" in host:
        host = f"[{host}]"
    user = unquote(parts.username) if parts.username else named.get("user", "")
    place = host + (f":{port}" if port else "")
    database = unquote(parts.path.lstrip("/")) or named.get("dbname", "")
    return Address(
        conninfo=f"postgresql://{parts.netloc}{parts.path}" + ("?" + urlencode(kept) if kept else ""),
        label=f"postgres://{user + '@' if user else ''}{place}/{database}",
        schema=schema or ours.get("schema") or _DEFAULT_SCHEMA,
        timeout=seconds,
        secrets=tuple(sorted((s for s in secrets if s), key=len, reverse=True)),
    )


def _seconds(text: str | None) -> float:
    if text is None:
        return 30.0
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 86_400:
        raise WrongUse("The timeout must be a number of seconds.", hint="For example ?timeout=60.")
    return seconds


#: What libpq says while connecting has no code, only words (those of an English server).
_WORDS: tuple[tuple[str, str, str], ...] = (
    (
        r"connection refused|could not connect|no such file or directory",
        "No Postgres server answers at {label}.",
        "Check host and port, and that the server is running.",
    ),
    (
        r"could not translate host name|failed to resolve|name or service not known|nodename nor servname",
        "The host of {label} is not known.",
        "Check the spelling of the host name and the network.",
    ),
    (
        r"timeout expired|connection timeout|timed out",
        "The server at {label} did not answer within {timeout:g} s.",
        "Check host, port and firewall, or give more time with ?timeout=SECONDS.",
    ),
    (
        r"password authentication failed|no password supplied|authentication failed",
        "The server refused the user name or the password for {label}.",
        "Check both; special characters in a password are written as %XX.",
    ),
    (
        r"database \".*\" does not exist",
        "The server has no database of the name in {label}.",
        "Check the last part of the address; psql -l lists what there is.",
    ),
    (r"role \".*\" does not exist", "The server has no such user: {label}.", "Check the user name."),
    (
        r"no pg_hba\.conf entry|pg_hba\.conf rejects",
        "The server does not let this user in from here: {label}.",
        "It may want ?sslmode=require, or an entry in pg_hba.conf.",
    ),
    (
        r"too many connections|remaining connection slots|too many clients",
        "The server at {label} has no free connection.",
        "Try again later: eve-replay needs one.",
    ),
    (r"ssl|certificate", "No secure connection to {label}: {said}.", "Check ?sslmode= and ?sslrootcert=."),
    (
        r"starting up|shutting down|in recovery",
        "The server at {label} is not ready: {said}.",
        "Try again in a moment.",
    ),
)


def explain(error: psycopg.Error, address: Address, *, doing: str = "") -> EveReplayError:
    """Return what a database error means to a person. The password is not in it."""
    said = address.clean(str(error)).rstrip(".")
    state = error.sqlstate or ""
    label = address.label
    where = f" while reading {doing}" if doing else ""
    if state == "57014" or "statement timeout" in said:
        return SourceUnreadable(
            f"The server at {label} needed more than {address.timeout:g} s{where}.",
            hint="Give more time with ?timeout=SECONDS, or open one run instead of all.",
        )
    if state == "55P03":
        return SourceUnreadable(
            f"Somebody holds a lock on the tables of {label}{where}.",
            hint="A migration may be running: try again when it is done.",
        )
    if state == "42501":
        return SourceUnreadable(
            f"The user of {label} may not read{' ' + doing if doing else ''}: {said}.",
            hint=grant_hint(address.schema, doing.rpartition(".")[2]),
        )
    if state in ("42P01", "3F000"):
        return SourceUnreadable(f"A table is missing in {label}: {said}.", hint="Check ?schema=.")
    lowered = said.lower()
    for pattern, sentence, hint in _WORDS:
        if re.search(pattern, lowered):
            short = said.rpartition("FATAL: ")[2].strip() or said
            text = sentence.format(label=label, timeout=address.timeout, said=short)
            return SourceUnreadable(text, hint=hint)
    if state.startswith("08") or "server closed the connection" in lowered or "lost" in lowered:
        return SourceUnreadable(
            f"The server at {label} closed the connection{where}.", hint="Open the source again."
        )
    return SourceUnreadable(f"Postgres reports a problem at {label}{where}: {said}.")


def grant_hint(schema: str, table: str = "", role: str = "<user>") -> str:
    """Return the statements an administrator has to run, ready to copy."""
    what = f"{schema}.{table}" if table else f"ALL TABLES IN SCHEMA {schema}"
    return f"Ask for: GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON {what} TO {role};"
