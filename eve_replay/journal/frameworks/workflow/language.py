"""The language that three frameworks write: how their records are grouped and one session is built."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from eve_replay.codec import KeyRing
from eve_replay.errors import WrongUse
from eve_replay.journal.frameworks.base import Grouping, Nouns
from eve_replay.journal.frameworks.workflow.build import build_session
from eve_replay.journal.frameworks.workflow.sessions import SessionMap
from eve_replay.journal.model import Session, SessionHead
from eve_replay.records import RunRecord
from eve_replay.worlds.base import World

__all__ = ["WorkflowFramework"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowFramework:
    """A framework on the Workflow SDK's event log.

    Attributes:
        name, nouns: as :class:`~eve_replay.journal.frameworks.base.Framework`.
        sign: tells by a run's record whether this framework wrote it.
    """

    name: str
    nouns: Nouns
    sign: Callable[[RunRecord], bool]
    language: str = "workflow"

    def owns(self, record: RunRecord) -> bool:
        """Return whether this framework wrote the run."""
        return self.sign(record)

    def group(self, records: Iterable[RunRecord]) -> Grouping:
        """Group runs into sessions: the three frameworks share a store, so all of it is grouped at once."""
        return SessionMap(records)

    def build(
        self, world: World, grouping: Grouping, head: SessionHead, *, keys: KeyRing | None = None
    ) -> Session:
        """Build one session from the log and, of eve, its stream."""
        if not isinstance(grouping, SessionMap):
            raise WrongUse(f"Session {head.id} was not grouped by the Workflow SDK's rules.")
        return build_session(world, grouping, head, keys=keys)
