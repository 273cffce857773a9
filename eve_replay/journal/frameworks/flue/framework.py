"""Flue as a framework: a conversation is a session, a submission a turn, a model message a step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from eve_replay.codec import KeyRing
from eve_replay.journal.frameworks.base import Grouping, Nouns
from eve_replay.journal.frameworks.flue.build import build_session
from eve_replay.journal.frameworks.flue.grouping import Conversations
from eve_replay.journal.model import Session, SessionHead
from eve_replay.records import RunRecord
from eve_replay.worlds.base import World

__all__ = ["FlueFramework", "framework"]


_NOUNS = Nouns(
    product="Flue",
    session="conversation",
    turn="submission",
    step="turn",
    start="Start the app that serves the agent",
)


@dataclass(frozen=True, slots=True)
class FlueFramework:
    """See :class:`~eve_replay.journal.frameworks.base.Framework`."""

    name: str = "flue"
    language: str = "flue"
    nouns: Nouns = _NOUNS

    def owns(self, record: RunRecord) -> bool:
        """Return whether the record is a Flue conversation: its store says which format it has."""
        return (record.text("format") or "").startswith("flue/")

    def group(self, records: Iterable[RunRecord]) -> Grouping:
        """Group conversations by their root."""
        return Conversations(records)

    def build(
        self, world: World, grouping: Grouping, head: SessionHead, *, keys: KeyRing | None = None
    ) -> Session:
        """Build one conversation; nothing in Flue's store is encrypted, so no keys are needed."""
        del keys
        return build_session(world, grouping, head)


framework = FlueFramework()
