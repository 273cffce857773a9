"""The command line: one table of commands, loaded when used, and one place where errors become words.

Only this package reads the environment, prints, and exits. A command lives in a module of its own as
``cli``, in the folder of its section, made with the helpers of ``eve_replay.cli.shared.common``.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import click

from eve_replay._version import __version__

__all__ = ["COMMANDS", "SECTIONS", "Entry", "LazyGroup", "exists", "group", "main", "run"]


class Entry(NamedTuple):
    """One command: the module that defines it as ``cli``, its help in one line, its section."""

    module: str
    help: str
    section: str


#: Sections in the order of the help, with what brings a person there.
SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "Reading": "what is recorded",
        "Understanding": "what happened, and why",
        "Crashing": "what a crash would do",
        "Showing": "screens and notebooks",
        "Teaching": "lessons and exercises",
        "Sources": "where journals come from",
    }
)


def _table(section: str, folder: str | None = None, **commands: str) -> dict[str, Entry]:
    """Return the commands of one section; each has its module in the folder of the section's name."""
    room = section.lower() if folder is None else folder
    return {
        name.replace("_", "-"): Entry(".".join(filter(None, ("eve_replay.cli", room, name))), text, section)
        for name, text in commands.items()
    }


#: Every command. One whose module does not exist is left out.
COMMANDS: Mapping[str, Entry] = MappingProxyType(
    _table(
        "Reading",
        demo="Read a bundled recording of a real crash: start here.",
        sessions="List the sessions, worst first: state, what ran twice, since when.",
        runs="List the runs: status, workflow, steps, when.",
        show="Show one run: steps in order, hooks, waits, streams, children.",
        step="Show one step: what it took in and gave back, decoded.",
        events="List a run's event log in order.",
        stream="Show what a run wrote to its streams.",
        decode="Decode one payload from a file, stdin or base64 text.",
        dump="Print the whole world as JSON, every payload decoded.",
        receipt="Say what was seen, parsed, decoded and skipped, and why.",
    )
    | _table(
        "Understanding",
        turns="List the turns of a session: message, status, steps, attempts.",
        turn="Step through one turn: model calls, tool calls, commits.",
        attempts="Show every execution of every step, with what proves it.",
        state="Show the state before and after a step, and what changed.",
        transcript="Read a session as a conversation, attempts marked.",
        diff="Compare two attempts, steps, runs or values.",
        search="Find ids, names, text and paths inside decoded payloads.",
        why="Say what ran twice, what waits for what, and what to do next.",
        report="Report a shift: what happened, what it cost, what is open.",
        doctor="Check the journal against itself and name what is wrong.",
        ledger="Compare with your own record of what really happened.",
        audit="Look through many stores: repeats, stuck, stranded, at a limit.",
        frames="Write runs, steps, attempts or effects as CSV tables.",
        docs="Read the rule that an answer points at, with its recordings.",
        selftest="Read journals that mean harm with every front end, here.",
    )
    | _table(
        "Crashing",
        crash="Say what a crash at one point would do.",
        matrix="Say it for every point of a turn.",
        forecast="Say what happens next to the journal as it lies there.",
        guard="Say before it happens what will run again unprotected.",
        compare="Compare runtimes and idempotency strategies.",
        proof="Check the predictions against recorded real crashes.",
        crashtest="Kill your own built agent at every point that matters.",
    )
    | _table(
        "Showing",
        tui="Open the terminal user interface.",
        lab="Open JupyterLab on the guides.",
        completion="Complete commands, samples and ids with TAB: bash, zsh, fish.",
        mcp="Serve the journal to a coding agent, read only, over stdio.",
    )
    | _table(
        "Teaching",
        folder="",
        workshop="Learn and teach idempotency: lessons that crash your code.",
    )
    | _table(
        "Sources",
        worlds="List the kinds of sources that can be read.",
        pack="Write one portable file from any source, redacted if you like.",
        trace="Write sessions as spans for Perfetto, speedscope or OTLP.",
        watch="Show new events as they are written.",
    )
)


def exists(entry: Entry) -> bool:
    """Return whether the module of a command is there, without importing it."""
    return importlib.util.find_spec(entry.module) is not None


class LazyGroup(click.Group):
    """A group that knows its commands from a table and imports only the one that is used.

    Attributes:
        table: its commands by name; one whose module does not exist is left out.
        headings: the headings of its help, by section of the table, in order.
    """

    table: Mapping[str, Entry] = MappingProxyType({})
    headings: Mapping[str, str] = MappingProxyType({})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the table."""
        return [name for name, entry in self.table.items() if exists(entry)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        entry = self.table.get(cmd_name)
        if entry is None or not exists(entry):
            return None
        command: click.Command = importlib.import_module(entry.module).cli
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant, or say which one may be."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            import difflib

            near = difflib.get_close_matches(name, self.list_commands(ctx), n=1, cutoff=0.5)
            hint = f" Did you mean `{ctx.command_path} {near[0]}`?" if near else ""
            raise click.UsageError(f"There is no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings."""
        names = self.list_commands(ctx)
        for section, heading in self.headings.items():
            rows = [(name, self.table[name].help) for name in names if self.table[name].section == section]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows, col_max=14)


class _Group(LazyGroup):
    table = COMMANDS
    headings = MappingProxyType({section: f"{section} ({purpose})" for section, purpose in SECTIONS.items()})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Let ``help COMMAND`` mean ``COMMAND --help``, and shared options stand before the command too."""
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        return super().parse_args(ctx, _command_first(args))


def _command_first(args: list[str]) -> list[str]:
    """Move options that every command has from before the command to behind it."""
    moved: list[str] = []
    for place, word in enumerate(args):
        if len(moved) > place:
            continue  # the value of the option before it
        if word.partition("=")[0] not in _EVERYWHERE:
            return [word, *moved, *args[place + 1 :]]
        takes = _EVERYWHERE[word.partition("=")[0]] and "=" not in word
        moved += args[place : place + (2 if takes else 1)]
    return args


#: Options of every command by their spelling, and whether a value follows.
_EVERYWHERE: Mapping[str, bool] = MappingProxyType(
    dict.fromkeys(("--json", "--utc", "--fetch-keys"), False)
    | dict.fromkeys(("--color", "--colour", "--key", "--key-file", "--limit", "--now", "-s", "--read"), True)
)


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=(
        "SOURCE is a project folder, a data folder, one file, a database address, or sample:NAME; "
        "without it the current folder is read. Ids may be shortened to their last characters. "
        "Start with: eve-replay demo, then eve-replay sessions"
    ),
)
@click.version_option(__version__, prog_name="eve-replay", message="%(prog)s %(version)s")
def group() -> None:
    """Open the run journals of eve and the Workflow SDK.

    See what each step took in and gave back, what ran twice, and what a crash would repeat.
    Nothing is ever written to the source.
    """


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, 1 problems, 2 wrong use, 3 unreadable, 130."""
    from eve_replay.cli.shared.errors import guarded

    words = sys.argv[1:] if args is None else list(args)
    if "_EVE_REPLAY_COMPLETE" in os.environ:  # a shell asks on TAB: bash needs a reader of its own
        importlib.import_module("eve_replay.cli.showing.completion")
    before = words[: words.index("--")] if "--" in words else words
    return guarded(
        lambda: group.main(args=words, prog_name="eve-replay", standalone_mode=False),
        as_json="--json" in before,
    )


def main() -> None:
    """Entry point of the ``eve-replay`` program."""
    sys.exit(run())
