"""``eve-replay turns``: the turns of a session."""

from __future__ import annotations

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    echo_table,
    emit_json,
    finish,
    next_words,
    note,
    open_journal,
    source_and,
)
from eve_replay.cli.shared.select import sessions_wanted
from eve_replay.journal import Session, Turn
from eve_replay.journal.transcript import taken_by
from eve_replay.times import iso

__all__ = ["cli", "turn_json"]


@command("turns")
@source_and("session", required=False, option="Only this session.")
def cli(shell: Shell, source: str | None, session: str | None) -> None:
    """List the turns: message, status, steps, steps that ran again, tokens.

    Without SESSION: every session that has turns, oldest first.
    """
    from eve_replay.journal.effects.build import effects_of
    from eve_replay.views.kit.text import line
    from eve_replay.views.session.effect_marks import EffectMarks
    from eve_replay.views.session.listing import turns_table
    from eve_replay.views.session.sessions import detailed, session_row

    journal = open_journal(shell, source)
    wanted = sessions_wanted(journal, session)
    if shell.json:
        turns = [turn_json(each, turn) for each in wanted for turn in each.turns]
        emit_json(shell, "turns", journal, turns=turns)
        finish(shell, journal.receipt)
        return
    shown = 0
    for number, each in enumerate(wanted):
        if not each.turns and not (session):
            continue
        shown += 1
        row = detailed(session_row(each.head), each, now=shell.now)
        head = line((each.id, "strong"), "  ", (row.status_text, row.tone))
        echo(shell, [(), head] if number else [head])
        echo_table(shell, turns_table(each, EffectMarks.of(effects_of(each)), shell.zone))
    if not shown:
        note(shell, f"No session here has turns. `{next_words(source, 'runs')}` shows what there is.")
    finish(shell, journal.receipt)


def turn_json(session: Session, turn: Turn) -> dict[str, object]:
    """Return one turn as JSON."""
    tokens, again = turn.tokens, turn.tokens_again
    return {
        "sessionId": session.id,
        "turnId": turn.id,
        "sequence": turn.sequence,
        "status": turn.status,
        "certainty": turn.certainty,
        "message": turn.message,
        "messages": [
            {
                "role": message.role,
                "text": message.text,
                "at": iso(message.at),
                "deliveryId": message.delivery_id,
                "takenBy": step.step_id if (step := taken_by(message, turn)) is not None else None,
            }
            for message in session.messages
            if message.turn_id == turn.id and message.role in ("opened", "queued", "steered")
        ],
        "deliveryIds": list(turn.delivery_ids),
        "runIds": list(turn.run_ids),
        "stepIds": [step.step_id for step in turn.steps],
        "attempts": sum(len(step.attempts) for step in turn.turn_steps),
        "stepsAgain": sum(len(step.attempts) > 1 for step in turn.steps),
        "startedAt": iso(turn.started_at),
        "endedAt": iso(turn.ended_at),
        "committed": turn.committed,
        "parks": [
            {
                "kind": park.kind,
                "ofWhom": park.of_whom,
                "asked": park.asked,
                "requestId": park.request_id,
                "callId": park.call_id,
                "since": iso(park.since),
                "until": iso(park.until),
                "due": iso(park.due),
                "releasedBy": park.released_by,
                "open": park.open,
                "lost": park.lost,
            }
            for park in turn.parks
        ],
        "tokens": None if tokens is None else {"input": tokens.input, "output": tokens.output},
        "tokensAgain": None if again is None else {"input": again.input, "output": again.output},
    }
