"""``eve-replay search``: where a text stands in a journal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import click

from eve_replay.cli.shared.common import (
    Shell,
    command,
    echo,
    emit_json,
    finish,
    note,
    open_journal,
    source_and,
)
from eve_replay.cli.shared.select import session_wanted
from eve_replay.codec import dumps_tagged, session_events
from eve_replay.errors import NotFound, WrongUse
from eve_replay.ids import short_id
from eve_replay.journal import Journal, StreamEvent
from eve_replay.views.kit.safe import cut
from eve_replay.views.kit.text import Line, line
from eve_replay.views.kit.words import clock, joined, plural
from eve_replay.views.search.search import FIELDS, Hit, Pattern, Unread, search, search_run
from eve_replay.views.search.way import ValueWay, follow

__all__ = ["cli"]


@command("search")
@source_and("text")
@click.option("--in", "fields", multiple=True, type=click.Choice(FIELDS), help="Where to look (everywhere).")
@click.option("--regex", is_flag=True, help="TEXT is a regular expression.")
@click.option("--case/--no-case", default=None, help="Case counts (only if TEXT has upper case letters).")
@click.option("--run", metavar="RUN", help="Only this run.")
@click.option("--session", metavar="SESSION", help="Only this session, its child runs included.")
@click.option("--every", is_flag=True, help="Every place, not only the first per run.")
@click.option("--way", is_flag=True, help="TEXT's way through one session: first seen, lost, handed on.")
@click.option(
    "--max", "most", type=click.IntRange(min=1), default=1000, show_default=True, help="Stop after N."
)
def cli(
    shell: Shell,
    source: str | None,
    text: str | None,
    fields: tuple[str, ...],
    regex: bool,
    case: bool | None,
    run: str | None,
    session: str | None,
    every: bool,
    way: bool,
    most: int,
) -> None:
    """Find a text in ids, names, decoded values and JSON paths; hits are printed as they are found.

    Every turn step's input repeats the whole history: a text is reported at its first place in each run,
    with --every at all of them. With --way TEXT is one value (an id, a number) and every
    place of it is told in order, with what that means.
    """
    if not text:
        raise WrongUse("What shall be found?", hint="eve-replay search SOURCE TEXT")
    pattern = Pattern(text, regex=regex, case=case)
    journal = open_journal(shell, source)
    if way:
        _tell_way(shell, journal, follow(journal, text, session=run or session))
        return
    runs: list[str] | None = None
    if run is not None:
        owner = session_wanted(journal, run)
        runs = [each.run_id for each in owner.all_runs if each.run_id == run or each.run_id.endswith(run)]
    elif session is not None:
        runs = [each.run_id for each in session_wanted(journal, session).all_runs]
    unread: list[Unread] = []
    if runs is None and getattr(journal.world, "large", False):
        hits = _fleet(shell, journal, pattern, fields, unread, every=every)
    else:
        hits = search(
            journal.world,
            pattern,
            fields=fields or FIELDS,
            runs=runs,
            every=every,
            events_of=_streams(journal, pattern),
            unread=unread,
        )
    if shell.json:
        found = [hit.to_json() for hit in islice(hits, most + 1)]
        emit_json(
            shell,
            "search",
            journal,
            text=text,
            hits=found[:most],
            more=len(found) > most,
            notSearched=[each.to_json() for each in unread] + _not_whole(journal),
        )
    else:
        printed = _print(shell, hits, most)
        missing = _not_whole(journal)
        if not printed:
            note(shell, "Nothing found in what was searched." if unread or missing else "Nothing found.")
        _unread(shell, unread, missing)
    finish(shell, journal.receipt, problems=bool(unread or journal.receipt.gaps))


def _tell_way(shell: Shell, journal: Journal, found: ValueWay) -> None:
    if shell.json:
        emit_json(shell, "search", journal, way=found.to_json())
    else:
        for sentence, tone in found.said:
            echo(shell, [line((sentence, tone))])
        for each in found.sightings:
            place = "" if each.moment is None else str(each.moment + 1)
            echo(shell, [line((f"{place:>6}  {clock(each.at, shell.zone):8}  ", "muted"), each.what)])
    finish(shell, journal.receipt, problems=not found.complete)


def _fleet(
    shell: Shell,
    journal: Journal,
    pattern: Pattern,
    fields: tuple[str, ...],
    unread: list[Unread],
    *,
    every: bool,
) -> Iterator[Hit]:
    """Yield the hits of very many runs, in their order, looked for by all cores."""
    from eve_replay.cli.shared.fleet import processes
    from eve_replay.cli.shared.progress import counted
    from eve_replay.fleet.pool import spread

    records = {record.run_id: record for record in journal.records}
    events_of = _streams(journal, pattern)

    def look(run_id: str) -> tuple[list[Hit], list[Unread]]:
        missed: list[Unread] = []
        found = search_run(
            journal.world,
            records[run_id],
            pattern,
            fields=fields or FIELDS,
            every=every,
            events_of=events_of,
            unread=missed,
        )
        return list(found), missed

    answers = spread(journal, list(records), look, workers=processes())
    for each in counted(answers, len(records), "run", quiet=shell.json):
        hits, missed = each.answer
        unread += missed
        yield from hits


def _streams(journal: Journal, pattern: Pattern) -> Callable[[str], Iterable[StreamEvent]]:
    """Return a function that gives a session's stream events for its first run, nothing for other runs."""

    def events(run_id: str) -> Iterable[StreamEvent]:
        if run_id not in owners or _silent(journal, run_id, pattern):
            return ()
        return journal.session(run_id).stream_events

    owners = {head.id for head in journal.heads if head.kind != "workflow"}
    return events


def _silent(journal: Journal, run_id: str, pattern: Pattern) -> bool:
    """Whether the text certainly stands nowhere in a session's stream: then the session is not joined."""
    name = f"strm_{run_id.removeprefix('wrun_')}_user"
    try:
        found = session_events(
            journal.world.stream(run_id, name), keys=journal.keys, run_id=run_id, where=name
        )
    except NotFound:
        return False
    if found.problems:
        return False
    for chunk_id, event in found:
        # An event is JSON data: written down again it is searched like a payload.
        if pattern.find(chunk_id) or not pattern.absent(
            f"[{dumps_tagged(event, ensure_ascii=False)}]".encode()
        ):
            return False
    return True


def _not_whole(journal: Journal) -> list[dict[str, str]]:
    """Return the lists that are not whole: what is missing from them was not searched either."""
    return [
        {
            "runId": gap.run_id,
            "kind": gap.of,
            "id": gap.name or gap.run_id,
            "where": gap.of,
            "reason": gap.why,
        }
        for gap in journal.receipt.gaps
    ]


def _unread(shell: Shell, unread: list[Unread], missing: list[dict[str, str]]) -> None:
    """Say what was not searched: without it "nothing found" would be said of what nobody has seen."""
    if unread:
        reasons = joined([f"{n} {why}" for why, n in Counter(each.reason for each in unread).most_common()])
        places = joined([f"{short_id(each.id)} {each.where}" for each in unread[:3]])
        more = f" and {len(unread) - 3} more" if len(unread) > 3 else ""
        note(shell, f"Not searched: {plural(len(unread), 'payload')} ({reasons}): {places}{more}.")
    for each in missing[:3]:
        note(shell, f"Not searched: {each['kind']} that could not be read: {each['reason']}.")


def _print(shell: Shell, hits: Iterator[Hit], most: int) -> int:
    """Print hits as they come, and return how many."""
    run = ""
    count = 0
    for hit in hits:
        if count == most:
            note(shell, f"Stopped after {most} hits; --max N shows more.")
            return count
        count += 1
        if hit.run_id != run:
            echo(shell, [line((hit.run_id, "strong"))] if not run else [(), line((hit.run_id, "strong"))])
            run = hit.run_id
        echo(shell, _lines(hit, shell.width))
    return count


def _lines(hit: Hit, width: int) -> list[Line]:
    place = " ".join(part for part in (hit.kind, short_id(hit.id), hit.where, hit.path) if part)
    left, middle, right = hit.text[: hit.start], hit.text[hit.start : hit.end], hit.text[hit.end :]
    room = max(width - 4 - len(middle), 8)
    before = cut(left, room // 2, keep="end")
    return [
        line((f"  {cut(place, width - 2, keep='both')}", "muted")),
        line("    ", before, (cut(middle, width - 6), "again"), cut(right, max(room - len(before), 4))),
    ]
