"""``why``, ``forecast``, ``doctor`` and the lists of the front ends never differ on one session.

One pass over every recording of the corpus. What each of them says is brought down to one question: does the
session rest, does it go on by itself, does it need somebody, or is it stuck for good?
"""

from datetime import UTC, datetime, timedelta
from functools import cache

import pytest

from eve_replay import open_journal
from eve_replay.checks import check_session
from eve_replay.guidance import why
from eve_replay.recovery import forecast
from eve_replay.views.session.sessions import detailed, session_row
from eve_replay.views.verdicts.postmortem import why_lines
from eve_replay.views.verdicts.verdicts import stated, verdict_rows
from tests.support.corpus import names, scenario

#: Verdicts that say that nothing more comes by itself, and that this is right.
RESTS = {"idle", "completed"}
#: Verdicts that something is under way or due.
DUE = {"stuck", "between-steps", "overdue", "leased", "running", "interrupted", "dormant"}
#: Verdicts that it cannot go on.
WEDGED = {"wedged", "repeats-without-end", "will-fail"}
DEAD = {*WEDGED, "corrupted-event-log", "failed-run"}
_ENDED = {"completed", "failed", "cancelled"}


@cache
def stores():
    found = [scenario(name) for name in (*names("local"), *(f"local-sdk/{n}" for n in names("local-sdk")))]
    found += [scenario(name) for name in ("cases", "crash-kinds", "python-sdk")]
    folders = sorted({path.parent for root in found for path in root.rglob("runs") if path.is_dir()})
    return [folder for folder in folders if folder.name != "streams"]


@cache
def sessions():
    """Return ``(folder, session, when it is asked, report, forecast)`` of every session, an hour later."""
    found = []
    for folder in stores():
        journal = open_journal(folder)
        foretold = {each.session_id: each for each in forecast(journal)}
        for session in journal.sessions:
            now = (session.newest_at or datetime(2027, 1, 1, tzinfo=UTC)) + timedelta(hours=1)
            found.append((folder, session, now, why(session, now=now), foretold.get(session.id)))
    return found


def test_no_two_of_them_differ_on_one_session():
    wrong, seen = [], 0
    for folder, session, now, report, foretold in sessions():
        found = {verdict.code for verdict in report.verdicts}
        where = f"{folder.relative_to(folder.parents[1])} {session.id[-4:]}: {sorted(found)}"
        seen += 1
        if foretold is not None:
            outcome, sure = foretold.answer.outcome, foretold.answer.point.certainty != "unknown"
            where += f", forecast {outcome} {foretold.answer.point.certainty}"
            if found & RESTS and outcome != "nothing-open":
                wrong.append(f"{where}: why rests, the forecast does not")
            if outcome == "nothing-open" and sure and found & DUE:
                wrong.append(f"{where}: the forecast rests, why does not")
            if found & {"wedged", "repeats-without-end", "will-fail"} and outcome in (
                "recovers",
                "nothing-open",
            ):
                wrong.append(f"{where}: wedged, and the forecast lets it go on")
        if found & RESTS and found & (DUE | {"wedged", "repeats-without-end"}):
            wrong.append(f"{where}: it rests and it does not")
        row = session_row(session.head)
        row = stated(detailed(row, session), session, verdict_rows(session, now=now))
        if row.status == "idle" and "idle" not in found:
            wrong.append(f"{where}: the list says idle")
        text = " ".join("".join(span.text for span in line) for line in why_lines(report, width=10_000))
        for verdict in report.verdicts:
            if " ".join(verdict.sentence.split()) not in " ".join(text.split()):
                wrong.append(f"{where}: the text of why leaves out {verdict.code}")
        wedged = {f.code for f in check_session(session, now=now, deep=False) if f.code.startswith("wedged-")}
        hurt = {f for f in wedged if f not in ("wedged-c1b",)}
        if hurt and not found & (DEAD | {"half-written"}) and session.head.status not in _ENDED:
            wrong.append(f"{where}: doctor says {sorted(wedged)}")
    assert not wrong, "\n".join(wrong)
    assert seen > 100


@pytest.mark.parametrize("code", sorted(RESTS))
def test_a_session_that_rests_shows_what_it_rests_on(code):
    """Every negative sentence of the corpus stands on something seen: an end, or the session's own word."""
    for folder, session, _, report, _ in sessions():
        for verdict in report.verdicts:
            if verdict.code == code:
                assert verdict.certainty == "observed" and verdict.evidence, folder
                assert not session.missing("events") or session.head.status in _ENDED, folder
                if code == "idle":
                    assert any(e.note == "session.waiting" for e in verdict.evidence), folder
