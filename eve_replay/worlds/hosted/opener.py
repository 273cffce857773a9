"""The hosted world: runs in Vercel's store, read over its HTTP API (docs/formats/hosted.md).

``vercel://TEAM/PROJECT``, or the address of a server that speaks the same API (``https://...``, and ``http://``
for the local machine). The token comes from the caller (the command line takes it from the environment) and
is a header and nothing else. Only GET requests are made, to the one host of the address; the route for run
keys is asked only when the caller says so, because the vendor writes each such request into an audit log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit, urlunsplit

from eve_replay.codec import KeyRing, derive_run_key, parse_key
from eve_replay.errors import SourceUnreadable, UnknownSource, WrongUse
from eve_replay.worlds.base import World
from eve_replay.worlds.export.entities import Wrap, number_option, text_option

__all__ = ["opener"]

#: Where the vendor's own clients go when project and team are given (world-vercel 5.1,
#: docs/formats/hosted.md#where).
API = "https://api.vercel.com/v1/workflow"
_LOCAL = frozenset(("127.0.0.1", "localhost", "::1"))


@dataclass(frozen=True, slots=True)
class _HostedOpener:
    kind: str = "hosted"

    def recognises(self, source: str) -> float:
        """Return 1 for ``vercel://``, a half for web addresses."""
        head = source[:12].lower()
        if head.startswith("vercel://"):
            return 1.0
        return 0.5 if head.startswith(("http://", "https://")) else 0.0

    def open(self, source: str, **options: object) -> World:
        """Return the world behind the address; nothing is asked before the first read.

        Options: keys, limit, token, token_hosts (who may be sent the token beside the vendor's own host; when
        not given, whatever ``source`` names, since the caller gave both), environment, timeout,
        deployment_key (base64), fetch_keys (True asks the vendor's audited key route).

        Raises:
            WrongUse: the address makes no sense.
            SourceUnreadable: no token, or plain http to another machine.
        """
        try:
            from eve_replay.worlds.hosted.world import HostedWorld, Site
        except ImportError as error:
            raise SourceUnreadable(
                f"Reading the hosted world needs cbor2 ({error}).", hint="pip install 'eve-replay[hosted]'."
            ) from error
        split = urlsplit(source)
        query = {name: values[-1] for name, values in parse_qs(split.query).items()}
        team, project = query.get("team"), query.get("project")
        environment = text_option(options, "environment") or query.get("environment") or "production"
        if split.scheme == "vercel":
            team = split.netloc or team
            project = split.path.strip("/") or project
            if not team or not project or "/" in project:
                raise WrongUse(f"{source!r} names no project.", hint="Write it as vercel://TEAM/PROJECT.")
            base = API
        else:
            base = self._base(source)
        token = text_option(options, "token")
        trusted = options.get("token_hosts")
        host = urlsplit(base).hostname or ""
        if token is not None and isinstance(trusted, (tuple, list)) and not _is_trusted(host, trusted):
            if not self._is_local(base):
                raise SourceUnreadable(
                    f"The token belongs to {urlsplit(API).hostname}, so it was not sent to {host}.",
                    hint=f"If {host} is yours, set EVE_REPLAY_TOKEN_HOSTS={host} and try again.",
                )
            token = None
        if token is None and not self._is_local(base):
            raise SourceUnreadable(
                f"Reading {urlsplit(base).netloc} needs a token.", hint="Set VERCEL_TOKEN in the environment."
            )
        site = Site(
            base=base, team=team, project=project, environment=environment, token=token,
            timeout=number_option(options, "timeout") or 20.0,
        )  # fmt: skip
        wrap = Wrap.of(options)
        secret = text_option(options, "deployment_key")
        if secret is not None:
            wrap = _derived(wrap, parse_key(secret), project)
        return HostedWorld(site, wrap=wrap, fetch_keys=options.get("fetch_keys") is True)

    def _base(self, source: str) -> str:
        split = urlsplit(source)
        if split.username or split.password:
            raise WrongUse(
                "The address holds a password.", hint="Put the token into the environment instead."
            )
        if not split.hostname:
            raise UnknownSource(f"{source!r} has no host.")
        if split.scheme == "http" and split.hostname not in _LOCAL:
            raise SourceUnreadable(
                f"Plain http to {split.hostname} would show token and payloads to everybody on the way.",
                hint="Use https.",
            )
        return urlunsplit((split.scheme, split.netloc, split.path.rstrip("/"), "", ""))

    def _is_local(self, base: str) -> bool:
        return urlsplit(base).hostname in _LOCAL


def _is_trusted(host: str, trusted: Sequence[object]) -> bool:
    own = urlsplit(API).hostname
    return host.lower() in {own, *(str(each).lower() for each in trusted)}


def _derived(wrap: Wrap, deployment_key: bytes, project: str | None) -> Wrap:
    """Return a wrap that makes each run's key from the deployment's (docs/formats/hosted.md#keys)."""
    if project is None:
        raise WrongUse("A deployment key needs the project's id.", hint="Write it as vercel://TEAM/PROJECT.")
    known, owner = wrap.keys, project

    def key_of(run_id: str) -> bytes:
        given = known.key_for(run_id) if known is not None else None
        return given or derive_run_key(deployment_key, owner, run_id)

    return Wrap(keys=KeyRing(derive=key_of), limit=wrap.limit)


opener = _HostedOpener()
