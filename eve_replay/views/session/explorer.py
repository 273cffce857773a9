"""One session with everything a front end draws of it: made once, each part when it is first looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from eve_replay.journal import Session
from eve_replay.journal.effects.build import Effect, effects_of
from eve_replay.journal.effects.judge import judge_effect, tally
from eve_replay.journal.effects.policy import EffectsLike, EffectsPolicy
from eve_replay.journal.ledger.join import Joined, join, journal_end
from eve_replay.journal.ledger.model import Ledger, LedgerLike
from eve_replay.views.inspect.inspector import Inspector
from eve_replay.views.search.search import Hit, Pattern, search_session
from eve_replay.views.session.cursor import Cursor
from eve_replay.views.session.effect_marks import EffectMarks
from eve_replay.views.session.effects import EffectRow, effect_rows
from eve_replay.views.session.outside import Act, acts_of
from eve_replay.views.session.sessions import SessionRow, detailed, session_row
from eve_replay.views.session.silence import Silence
from eve_replay.views.session.timeline import Timeline, timeline
from eve_replay.views.session.transcript import TranscriptRow, transcript_rows
from eve_replay.views.session.tree import Tree, session_tree

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["Explorer"]


class Explorer:
    """The view-models of one session.

    Args:
        session: the joined session.
        effects: the user's effects policy (a path, a dict, or None).
        ledger: what really happened outside; with it its counts count in every view.

    Raises:
        WrongUse: the policy cannot be read.
    """

    def __init__(
        self, session: Session, effects: EffectsLike = None, ledger: LedgerLike | None = None
    ) -> None:
        self.session = session
        self.ledger = ledger
        self.policy = EffectsPolicy.load(effects)

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """The session's effects."""
        return effects_of(self.session, self.policy)

    @cached_property
    def joined(self) -> Joined:
        """The ledger against the session's effects; nothing without one."""
        if self.ledger is None:
            return Joined()
        end = journal_end(self.session)
        ends = {self.session.id: end} if end is not None else {}
        return join(self.effects, Ledger.load(self.ledger), effects=self.policy, ends=ends)

    @cached_property
    def counts(self) -> dict[int, int]:
        """How often the ledger says that each effect happened, by ``id`` of the effect; empty without one."""
        return {id(each.effect): each.count for each in self.joined.counts if each.count is not None}

    @cached_property
    def acts(self) -> tuple[Act, ...]:
        """What the ledger says happened in this session, by line."""
        return acts_of(self.session, self.joined)

    @cached_property
    def marks(self) -> EffectMarks:
        """Which calls ran twice."""
        return EffectMarks.of(self.effects, self.counts)

    @cached_property
    def tree(self) -> Tree:
        """Session > turn > step > attempt > call."""
        return session_tree(self.session, self.marks, self.acts)

    @cached_property
    def cursor(self) -> Cursor:
        """The moments and the moves between them."""
        return Cursor(self.session, self.marks)

    @cached_property
    def inspector(self) -> Inspector:
        """Tabs by key."""
        return Inspector(self.session, self.effects, self.counts, self.acts, self.marks)

    @cached_property
    def timeline(self) -> Timeline:
        """The whole session's timeline."""
        return timeline(self.session, marks=self.marks, acts=self.acts)

    def session_timeline(self, silence: Silence | None) -> Timeline:
        """Return the whole session's timeline with what follows it."""
        if silence is None:
            return self.timeline
        return timeline(self.session, marks=self.marks, silence=silence, acts=self.acts)

    def turn_timeline(self, turn_id: str, silence: Silence | None = None) -> Timeline:
        """Return one turn's timeline; empty when there is no such turn. ``silence``: what follows it."""
        turn = self.session.turn_called(turn_id)
        if turn is None:
            return Timeline.nothing()
        return timeline(self.session, turn, marks=self.marks, silence=silence)

    def row(self, *, now: datetime | None = None) -> SessionRow:
        """Return the session's row for a list, with everything filled in."""
        twice = tally(judge_effect(effect, self.counts.get(id(effect))) for effect in self.effects)
        return detailed(session_row(self.session.head), self.session, now=now, twice=twice)

    def effect_rows(self, *, reading: bool = True) -> Sequence[EffectRow]:
        """Return the effects as rows."""
        return effect_rows(self.effects, reading=reading, counts=self.counts)

    def search(self, text: str, *, limit: int = 100, regex: bool = False) -> tuple[Hit, ...]:
        """Return where a text stands in the session, at most ``limit`` places; ``Hit.key`` says where to go.

        Raises:
            WrongUse: the regular expression is not valid.
        """
        if not text.strip():
            return ()
        return tuple(islice(search_session(self.session, Pattern(text, regex=regex)), limit))

    def transcript(self, turn_id: str | None = None) -> Iterator[TranscriptRow]:
        """Yield the conversation as rows."""
        return transcript_rows(self.session, turn_id, marks=self.marks)
