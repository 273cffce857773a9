"""Finding the run or step a person means."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from eve_replay.cli.shared.common import Shell
from eve_replay.cli.shared.match import match_id
from eve_replay.errors import NotFound, WrongUse
from eve_replay.records import RunRecord
from eve_replay.views.kit.words import plural, short_ids
from eve_replay.worlds.base import World, by_name

__all__ = ["check_words", "locate_step", "no_events_words", "pick_run"]


def check_words(
    given: Iterable[str], option: str, *, known: Iterable[str], here: Mapping[str, int] | None = None
) -> None:
    """Raise WrongUse when a word is neither one of the format's nor one that is here.

    Args:
        given: what the user typed.
        option: of which option, as ``--status``.
        known: the words that the format has.
        here: the words that are here, with how often.
    """
    every = {*known, *(here or ())}
    for word in given:
        if word not in every:
            near = difflib.get_close_matches(word, every, 1)
            guess = f"Did you mean {near[0]}? " if near else ""
            listed = ", ".join(f"{name} ({count:,})" for name, count in (here or {}).items())
            there = f"Here are: {listed}." if listed else f"There are: {', '.join(sorted(every))}."
            raise WrongUse(f"{option} has no {word!r}.", hint=guess + there)


def pick_run(shell: Shell, world: World, wanted: str | None) -> RunRecord:
    """Return the run of an id (abbreviated or whole); without one the only root run.

    Raises:
        NotFound: no run fits, or several do.
        WrongUse: no id was given and there are several roots, or none.
    """
    if wanted and wanted.startswith("wrun_") and len(wanted) == 31:
        try:
            return world.run(wanted)
        except NotFound:
            pass  # said with what there is, below
    if wanted and (large := by_name(world)) is not None:
        return world.run(match_id(large.run_ids(), wanted, "run"))
    records = {record.run_id: record for record in world.runs()}
    if wanted:
        return records[match_id(records, wanted, "run")]
    roots = [each for each, record in records.items() if record.attribute("$parentRunId") not in records]
    if len(roots) == 1:
        return records[roots[0]]
    if not roots:
        raise WrongUse("There are no runs here yet.", hint="`eve-replay runs` shows what there is.")
    raise WrongUse(
        f"There are {len(records)} runs here; which one?", hint=f"Name it, for example {roots[-1]}."
    )


def locate_step(shell: Shell, world: World, wanted: str, run: str | None) -> tuple[RunRecord, str]:
    """Return the run and the whole id of a step, which may be abbreviated.

    Step ids are unique only within a run (docs/evidence/reports.md#t27): when two runs hold the same one,
    ``--run`` decides.
    """
    records = [pick_run(shell, world, run)] if run else list(world.runs())
    homes: dict[str, list[RunRecord]] = {}
    for record in records:
        for step in world.steps(record.run_id):
            homes.setdefault(step.step_id, []).append(record)
    try:
        step_id = match_id(homes, wanted, "step")
    except NotFound:
        # A crash can leave a step that only the log knows (docs/evidence/sweep.md): read the logs too.
        for record in records:
            named = {
                e.correlation_id for e in world.events(record.run_id) if e.event_type.startswith("step_")
            }
            for each in named - {None}:
                if record not in homes.setdefault(str(each), []):
                    homes[str(each)].append(record)
        _named(world, records, wanted)
        step_id = match_id(homes, wanted, "step")
    found = homes[step_id]
    if len(found) > 1:
        listed = ", ".join(record.run_id for record in found[:3])
        raise NotFound(f"{step_id} is in {len(found)} runs: {listed}.", hint="Say which with --run.")
    return found[0], step_id


def _named(world: World, records: Iterable[RunRecord], wanted: str) -> None:
    """Raise NotFound with the ids of its steps when a word is no id but the name of a step function."""
    steps = [step for record in records for step in world.steps(record.run_id)]
    fits = [step.step_id for step in steps if wanted == step.name.function]
    if fits:
        short = short_ids([step.step_id for step in steps])
        listed = ", ".join(short[each].rpartition("…")[2] for each in fits[:6])
        more = f" and {len(fits) - 6} more" if len(fits) > 6 else ""
        raise NotFound(
            f"{wanted} is a function: {plural(len(fits), 'step')} of it {'is' if len(fits) == 1 else 'are'} "
            "here.",
            hint=f"Name one by its last characters: {listed}{more}.",
        )


def no_events_words(world: World, record: RunRecord) -> str:
    """Return what is to be said of a run without events: an empty list is no proof that nothing happened."""
    missing = world.receipt.missing("events", record.run_id)
    if missing:
        return f"No event of this run could be read: {missing}. What happened in it is unknown."
    steps = sum(1 for _ in world.steps(record.run_id))
    if steps or record.status not in ("", "pending"):
        known = f"{plural(steps, 'step record')}" if steps else f"a record that says {record.status}"
        return (
            f"No event of this run is here, and it has {known}: its log was not read, or is gone. What "
            "happened in it is unknown."
        )
    return "The log is empty: nothing of this run has been started yet."
