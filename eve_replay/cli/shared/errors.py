"""The one place where an exception becomes a line of words and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import click

from eve_replay.errors import EveReplayError

__all__ = [
    "EXIT_INTERRUPTED",
    "EXIT_OK",
    "EXIT_PROBLEMS",
    "EXIT_UNREADABLE",
    "EXIT_USAGE",
    "guarded",
    "reader_left",
]

EXIT_OK = 0
EXIT_PROBLEMS = 1
EXIT_USAGE = 2
EXIT_UNREADABLE = 3
EXIT_INTERRUPTED = 130

#: Set to anything to see the traceback of a defect.
DEBUG_VARIABLE = "EVE_REPLAY_DEBUG"


def guarded(body: Callable[[], object]) -> int:
    """Run ``body`` and return the exit code; whatever it raises is said in one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        result = body()
        sys.stdout.flush()
        return result if isinstance(result, int) else EXIT_OK
    except click.exceptions.Exit as error:
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _say("Interrupted.")
        return EXIT_INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:  # a group by itself: its help, as it is laid out
        click.echo(error.format_message(), err=True)
        return EXIT_USAGE
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "eve-replay"
        text = _sentence(error.format_message())
        _say(text if text.endswith("?") else f"{text} See `{command} --help`.")
        return EXIT_USAGE
    except click.ClickException as error:
        _say(_sentence(error.format_message()))
        return EXIT_USAGE
    except EveReplayError as error:
        _say(str(error))
        return error.exit_code
    except BrokenPipeError:
        return reader_left()
    except MemoryError:
        _say("There is not enough memory for this. Lower --limit, or ask for a part with --path or --run.")
        return EXIT_UNREADABLE
    except Exception as error:
        if os.environ.get(DEBUG_VARIABLE):
            raise
        detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        _say(
            f"This is a defect in eve-replay, not in your journal ({detail}). "
            f"Please report it with what `{DEBUG_VARIABLE}=1` in front of the command prints."
        )
        return EXIT_UNREADABLE


def reader_left() -> int:
    """The reader has seen enough (`eve-replay runs | head`). Without this Python complains at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return EXIT_OK


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "?", "`")) else text + "."


def _say(text: str) -> None:
    from eve_replay.views.kit.safe import safe_text  # costs a tenth of the start; most starts end well
    from eve_replay.worlds.sources import public_text

    click.echo(f"eve-replay: {safe_text(public_text(text))}", err=True)
