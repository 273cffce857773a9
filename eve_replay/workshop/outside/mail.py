"""The mail server: it sends what it is given and remembers nothing."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from eve_replay.workshop.outside.answers import Answer
from eve_replay.workshop.outside.base import Service
from eve_replay.workshop.outside.keys import Keys
from eve_replay.workshop.wire import Wire

__all__ = ["Mail"]

_ASKED = "a mail server cannot be asked what it has sent"


class Mail(Service):
    """Sends mail.

    Setting: ``keys`` (False: a key changes nothing, as with SMTP; True: as with some mail services),
    ``key_hours`` (24), ``timeouts`` (False).
    """

    __slots__ = ("_keys", "_sent")

    name = "mail"
    can = ('send(to, subject, body="", key=None)',)
    cannot = MappingProxyType(dict.fromkeys(("sent", "find", "list", "get", "search"), _ASKED))

    def __init__(self, wire: Wire, setting: Mapping[str, object]) -> None:
        super().__init__(wire, setting)
        self._sent = 0
        self._keys = Keys(self._option("key_hours", 24.0)) if self._option("keys", False) else None

    def send(self, to: str, subject: str, body: str = "", key: str | None = None) -> Answer:
        """Send a mail.

        Returns:
            ``{"id": "mail_1", "to", "subject", "replayed"}``.

        Raises:
            KeyReused: only with the setting ``keys``: the key came before with another mail.
            BadRequest: an argument makes no sense.
        """
        mail: dict[str, object] = {
            "to": self._text("send", "to", to),
            "subject": self._text("send", "subject", subject),
        }
        text = self._text("send", "body", body, empty=True)
        checked = self._key("send", key)

        def do() -> dict[str, Any]:
            self._sent += 1
            sent = {"id": f"mail_{self._sent}", **mail}
            entry = self._wire.happened("mail", "mail", {**sent, "body": text}, checked)
            self._acted("send", "sent", id=sent["id"], key=checked, entries=[entry])
            return sent

        act, arrive = self._keyed("send", {"method": "send", **mail, "body": text}, checked, self._keys, do)
        facts = {**mail, "key": checked}
        return self._call("send", facts, act, may_time_out=self._option("timeouts", False), arrive=arrive)
