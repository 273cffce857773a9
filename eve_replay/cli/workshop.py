"""``eve-replay workshop``: a group of commands, each in a module of its own, loaded when it is used."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from types import MappingProxyType

import click

from eve_replay.cli import Entry, exists

__all__ = ["SUBCOMMANDS", "cli"]


def _table(**commands: str) -> Mapping[str, Entry]:
    return MappingProxyType(
        {name: Entry(f"eve_replay.cli._workshop_{name}", text, "Workshop") for name, text in commands.items()}
    )


#: In the order of the help. One whose module does not exist is left out.
SUBCOMMANDS = _table(
    list="List the lessons: how long each takes, what it is about.",
    start="Copy the lessons and open JupyterLab on them.",
    play="Show how a lesson's starting code fails, as a story.",
    check="Run the answers in notebooks and say whether they hold.",
    summary="Show a class: who has passed what, where most stumble.",
    kit="Make a folder that installs without internet.",
    site="Make the edition that runs in a browser, without installing.",
)


class _Group(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name, entry in SUBCOMMANDS.items() if exists(entry)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = SUBCOMMANDS.get(cmd_name)
        if entry is None or not exists(entry):
            return None
        command: click.Command = importlib.import_module(entry.module).cli
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            near = difflib.get_close_matches(name, self.list_commands(ctx), n=1, cutoff=0.5)
            hint = f" Did you mean `eve-replay workshop {near[0]}`?" if near else ""
            raise click.UsageError(f"The workshop has no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(name, SUBCOMMANDS[name].help) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows, col_max=14)


@click.group("workshop", cls=_Group)
def cli() -> None:
    """Teach and learn idempotency: lessons that crash your code at every point.

    For learners: start, play, check. For instructors: kit, site, summary. Every command takes --json
    but start. Start with: eve-replay workshop list
    """
