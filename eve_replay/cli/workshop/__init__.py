"""``eve-replay workshop``: a group of commands, each in a module of its own, loaded when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import click

from eve_replay.cli import Entry, LazyGroup

__all__ = ["SUBCOMMANDS", "cli"]


def _table(**commands: str) -> Mapping[str, Entry]:
    return MappingProxyType(
        {name: Entry(f"eve_replay.cli.workshop.{name}", text, "Workshop") for name, text in commands.items()}
    )


#: In the order of the help. One whose module does not exist is left out.
SUBCOMMANDS = _table(
    list="List the lessons: how long each takes, what it is about.",
    start="Copy the lessons and open JupyterLab on them.",
    play="Show how a lesson's starting code fails, as a story.",
    check="Run the answers in notebooks and say whether they hold.",
    board="Show a class live on the local network, with a PIN.",
    quiz="Ask some predictions again, with other numbers, days later.",
    summary="Show a class: who has passed what, where most stumble.",
    kit="Make a folder that installs without internet.",
    site="Make the edition that runs in a browser, without installing.",
)


class _Group(LazyGroup):
    table = SUBCOMMANDS
    headings = MappingProxyType({"Workshop": "Commands"})


@click.group("workshop", cls=_Group)
def cli() -> None:
    """Teach and learn idempotency: lessons that crash your code at every point.

    For learners: start, play, check, quiz. For instructors: board, kit, site, summary. Every command takes
    --json but start. Start with: eve-replay workshop list
    """
