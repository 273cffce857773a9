"""``eve-replay doctor``: does the journal agree with itself?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    emit_json,
    finish,
    open_journal,
    source_argument,
)
from eve_replay.cli.shared.progress import counted

if TYPE_CHECKING:
    from eve_replay.checks import Finding
    from eve_replay.journal import Session


@command("doctor")
@source_argument
@click.option("--session", metavar="SESSION", help="Only this session.")
@click.option("--quick", is_flag=True, help="Decode no payloads and do not check the state law.")
def cli(shell: Shell, source: str | None, session: str | None, quick: bool) -> None:
    """Check log, records, stream and commits against each other.

    Tells what is wedged, what the runtime will do, and the hand repair that was seen to work.

    Repairs nothing.
    """
    from eve_replay.checks import check_session, check_world, sorted_findings
    from eve_replay.cli.shared.fleet import processes
    from eve_replay.cli.shared.select import session_wanted
    from eve_replay.fleet.pool import asked
    from eve_replay.views.verdicts.postmortem import finding_lines

    journal = open_journal(shell, source)
    heads = journal.heads
    ids = [head.id for head in heads]
    if session:
        ids = [session_wanted(journal, session).id]
    found: list[Finding] = []

    def checked(one: Session) -> list[Finding]:
        return list(check_session(one, now=shell.now, deep=not quick))

    for each in counted(
        asked(journal, ids, checked, workers=processes()), len(ids), "session", quiet=shell.json
    ):
        found += each.answer
    # Last, because a world's receipt is complete only for what has been read by then.
    found += check_world(journal.world, heads)
    findings = sorted_findings(found)
    if shell.json:
        emit_json(shell, "doctor", journal, findings=[finding.to_json() for finding in findings])
    else:
        echo(shell, finding_lines(findings, width=shell.width))
    # The receipt is among the findings already: only the exit code is left to set.
    finish(shell, None, problems=any(f.severity != "info" for f in findings))
