"""The seam between stored records and the model: what a framework has to answer.

A store yields :class:`~eve_replay.records.RunRecord` and what belongs to them, and does not know who wrote
them. A framework says which records are its own, groups them into sessions without decoding anything, and
builds one session when it is asked for. What is above the model asks the session for ``framework`` (a name)
and its framework for ``words``, never for more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from eve_replay.codec import KeyRing
from eve_replay.journal.model import Session, SessionHead
from eve_replay.records import RunRecord
from eve_replay.worlds.base import World

__all__ = ["Framework", "Grouping", "Nouns"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nouns:
    """What people who use a framework call the parts of the model.

    Attributes:
        product: the framework itself, as in a sentence: ``eve``, ``Flue``.
        session: a conversation: ``session``, ``run``, ``conversation``.
        turn: one message and its work: ``turn``, ``submission``; empty where there are none.
        step: the checkpoint boundary: ``step``; a model message with its calls is a ``turn`` in Flue.
        start: how its process is brought back, an imperative without full stop.
    """

    product: str
    session: str
    turn: str
    step: str
    start: str


@runtime_checkable
class Grouping(Protocol):
    """Run records grouped into sessions: nothing is decoded, no event is read."""

    @property
    def records(self) -> Mapping[str, RunRecord]:
        """Every run record by id, oldest first."""
        ...

    @property
    def heads(self) -> Mapping[str, SessionHead]:
        """The sessions by id, as a list shows them."""
        ...

    def session_of(self, run_id: str) -> str:
        """Return the id of the session a run belongs to. Raises KeyError for a run that is not here."""
        ...

    def waits(self, session_id: str) -> bool:
        """Return whether a session may belong below a run that has not been read yet."""
        ...


@runtime_checkable
class Framework(Protocol):
    """How one framework's records become the model. One instance per framework, without state.

    Attributes:
        name: as documents and ``Session.framework`` have it: ``eve``, ``workflow-sdk``, ``flue`` ...
        language: the kind of records; frameworks of one language lie in one store and are grouped together.
        nouns: what its people call the parts of the model.
    """

    name: str
    language: str
    nouns: Nouns

    def owns(self, record: RunRecord) -> bool:
        """Return whether this framework wrote the run. Cheap: nothing is decoded."""
        ...

    def group(self, records: Iterable[RunRecord]) -> Grouping:
        """Group the records of its language into sessions."""
        ...

    def build(
        self, world: World, grouping: Grouping, head: SessionHead, *, keys: KeyRing | None = None
    ) -> Session:
        """Build one session: turns, steps, attempts, calls, messages, parks, children."""
        ...
