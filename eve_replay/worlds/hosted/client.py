"""GET requests to one hosted store, and to nothing else: retries, Retry-After, time-outs, bounded answers.

The token is a header and nothing more: it is never part of a message, a label or a problem. Redirects are not
followed, because they would carry the token to another host.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from eve_replay.errors import NotFound, SourceUnreadable

__all__ = ["Answer", "HostedClient"]

#: An answer larger than this is not read to its end: one page of events is far smaller.
MAX_ANSWER = 512 * 1024 * 1024
_RETRIED = frozenset({429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the server said: status, content type without parameters, the body, and whether it was cut off."""

    status: int
    content_type: str
    body: bytes = field(repr=False)
    cut: bool = False


@dataclass(slots=True, kw_only=True)
class HostedClient:
    """Reads from ``base`` (``https://host[:port][/prefix]``).

    Attributes:
        base: where every path is appended to.
        headers: sent with each request; holds the bearer token.
        timeout: seconds for connecting and for each read.
        tries: how often a request is made when the answer says "later" or the connection breaks.
        longest_wait: upper bound, in seconds, for what a ``Retry-After`` may ask for.
        sleep: how to wait; replaced in tests.
    """

    base: str
    headers: Mapping[str, str] = field(repr=False)
    timeout: float = 20.0
    tries: int = 4
    longest_wait: float = 30.0
    sleep: Callable[[float], None] = time.sleep
    _connection: http.client.HTTPConnection | None = field(default=None, repr=False)

    def get(self, path: str, query: Mapping[str, str | int | None] | None = None) -> Answer:
        """Return the answer to one GET.

        A body that ends early is returned with ``cut``: the caller keeps the whole part of it.

        Raises:
            NotFound: status 404 or 410.
            SourceUnreadable: no answer, a refused token, or an answer that stays an error.
        """
        split = urlsplit(self.base)
        asked = {k: str(v) for k, v in (query or {}).items() if v is not None}
        target = split.path.rstrip("/") + path + (f"?{urlencode(asked)}" if asked else "")
        failure = "no answer"
        for attempt in range(1, self.tries + 1):
            try:
                answer, retry_after = self._once(target)
            except (OSError, http.client.HTTPException) as error:
                self.close()
                failure = _reason(error)
                self._wait(attempt, None)
                continue
            if answer.status in _RETRIED:
                failure = f"status {answer.status}"
                self._wait(attempt, retry_after)
                continue
            return self._checked(answer, target)
        raise SourceUnreadable(
            f"The hosted store at {split.netloc} did not answer GET {target.partition('?')[0]}: {failure} "
            f"after {self.tries} tries.",
            hint="Check the address and the network, or try again later.",
        )

    def close(self) -> None:
        """Close the connection; the next request opens a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _once(self, target: str) -> tuple[Answer, str | None]:
        connection = self._connection or self._connect()
        self._connection = connection
        connection.request("GET", target, headers=dict(self.headers))
        response = connection.getresponse()
        cut = False
        try:
            body = response.read(MAX_ANSWER + 1)
        except http.client.IncompleteRead as error:
            body, cut = error.partial, True
        if len(body) > MAX_ANSWER:
            body, cut = body[:MAX_ANSWER], True
        declared = response.getheader("Content-Length")
        if declared and declared.isdigit() and len(body) < int(declared):
            cut = True
        if cut or response.will_close:
            self.close()
        kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
        answer = Answer(status=response.status, content_type=kind, body=body, cut=cut)
        return answer, response.getheader("Retry-After")

    def _connect(self) -> http.client.HTTPConnection:
        split = urlsplit(self.base)
        host, port = split.hostname or "", split.port
        if split.scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=self.timeout, context=context)
        return http.client.HTTPConnection(host, port, timeout=self.timeout)

    def _wait(self, attempt: int, retry_after: str | None) -> None:
        if attempt >= self.tries:
            return
        seconds = min(0.25 * 2 ** (attempt - 1), 4.0)
        if retry_after is not None and retry_after.strip().isdigit():
            seconds = float(retry_after)
        self.sleep(min(seconds, self.longest_wait))

    def _checked(self, answer: Answer, target: str) -> Answer:
        path = target.partition("?")[0]
        if answer.status in (200, 206):
            return answer
        if answer.status in (404, 410):
            raise NotFound(f"The hosted store has nothing at {path} (status {answer.status}).")
        if answer.status in (401, 403):
            raise SourceUnreadable(
                f"The hosted store refused the token for {path} (status {answer.status}).",
                hint="Set a valid token (VERCEL_TOKEN in the environment), and the right team and project.",
            )
        if 300 <= answer.status < 400:
            raise SourceUnreadable(
                f"The hosted store answered {path} with a redirect, which is not followed: it would take the "
                "token to another host.",
                hint="Give the address it redirects to, if you trust it.",
            )
        raise SourceUnreadable(
            f"The hosted store answered {path} with status {answer.status}.",
            hint="This is not the workflow API, or it changed: check the address.",
        )


def _reason(error: Exception) -> str:
    """Say in plain words why there was no answer."""
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(error, socket.gaierror):
        return "the host name is unknown"
    if isinstance(error, ssl.SSLError):
        return "the certificate was not accepted"
    if isinstance(error, (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)):
        return "the connection was closed"
    return f"{type(error).__name__}"
