"""Asking a command for its document, in this process."""

from __future__ import annotations

from collections.abc import Mapping

from eve_replay.cli import run
from eve_replay.cli.shared.json import taken

__all__ = ["Option", "ask"]

#: A value, several for an option that takes several, True for a flag; None and False leave it out.
Option = str | tuple[str, ...] | bool | None


def ask(
    command: str, source: str, *words: str, options: Mapping[str, Option] | None = None
) -> dict[str, object]:
    """Return the JSON document of a command (docs/json.md), or its error document (``eve-replay/error``).

    Args:
        command: its name.
        source: where to read.
        words: what it is asked about; none is ever taken for an option, whatever it looks like.
        options: by name, see :data:`Option`.
    """
    arguments = [command, "--json", "--read", source]
    for name, value in (options or {}).items():
        if isinstance(value, str):
            arguments.append(f"--{name}={value}")
        elif value:
            arguments += [f"--{name}", *(value if isinstance(value, tuple) else ())]
    with taken() as documents:
        run([*arguments, "--", *words])
    return documents[-1]
