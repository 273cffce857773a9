"""``eve-replay mcp``: the journal for a coding agent."""

from __future__ import annotations

import os

import click

from eve_replay.cli.shared.common import Shell, command, open_source, source_argument
from eve_replay.cli.shared.options import SOURCE_VARIABLE, parse_size
from eve_replay.errors import WrongUse


@command("mcp")
@source_argument
@click.option(
    "--answer",
    metavar="SIZE",
    default="12k",
    show_default=True,
    help="About how many bytes an answer may have; longer ones come in pages.",
)
def cli(shell: Shell, source: str | None, answer: str) -> None:
    """Serve a journal to a coding agent, read only, over stdio (Model Context Protocol).

    An editor starts it: {"command": "eve-replay", "args": ["mcp", "SOURCE"]}. Few tools: sessions worst
    first, why, one turn, a step's value by path, attempts compared, a crash point, search. Answers are paged
    by bytes and say how certain they are; secrets are masked. Needs the extra [mcp].
    """
    from eve_replay.cli.mcp.server import serve

    budget = parse_size(answer)
    if not 1_000 <= budget <= 1 << 20:
        raise WrongUse(f"--answer {answer} is not between 1k and 1M.")
    where = source or os.environ.get(SOURCE_VARIABLE) or "."
    open_source(shell, where).close()  # a wrong source is said to who starts it, not to the agent
    serve(where, budget=budget)
