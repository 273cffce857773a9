"""The one place where an exception becomes a line of words and an exit code."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

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


def guarded(body: Callable[[], object], *, as_json: bool = False) -> int:
    """Run ``body`` and return the exit code; whatever it raises is said in one line on stderr.

    With ``as_json`` it is also printed as the document ``eve-replay/error`` on stdout, so that a
    program that asked for JSON always gets some.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        result = body()
        sys.stdout.flush()
        return result if isinstance(result, int) else EXIT_OK
    except click.exceptions.Exit as error:
        return error.exit_code
    except BrokenPipeError:
        return reader_left()
    except click.exceptions.NoArgsIsHelpError as error:  # a group by itself: its help, as it is laid out
        click.echo(error.format_message(), err=True)
        return EXIT_USAGE
    except BaseException as error:
        if isinstance(error, SystemExit | GeneratorExit):
            raise
        return _told(_met(error), as_json)


@dataclass(frozen=True, slots=True)
class _Met:
    """An error as its reader gets it."""

    kind: str
    message: str
    hint: str
    code: int


def _met(error: BaseException) -> _Met:
    """Return what to say of an exception. Raises it again when somebody wants to see the defect."""
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return _Met("interrupted", "Interrupted.", "", EXIT_INTERRUPTED)
    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx else "eve-replay"
        text = _sentence(error.format_message())
        return _Met("wrong-use", text, "" if text.endswith("?") else f"See `{command} --help`.", EXIT_USAGE)
    if isinstance(error, click.ClickException):
        return _Met("wrong-use", _sentence(error.format_message()), "", EXIT_USAGE)
    if isinstance(error, EveReplayError):
        return _Met(_kind(error), error.message, error.hint, error.exit_code)
    if isinstance(error, MemoryError):
        hint = "Lower --limit, or ask for a part with --path or --run."
        return _Met("memory", "There is not enough memory for this.", hint, EXIT_UNREADABLE)
    if not isinstance(error, Exception) or os.environ.get(DEBUG_VARIABLE):
        raise error
    detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return _Met(
        "defect",
        f"This is a defect in eve-replay, not in your journal ({detail}).",
        f"Please report it with what `{DEBUG_VARIABLE}=1` in front of the command prints.",
        EXIT_UNREADABLE,
    )


def _kind(error: EveReplayError) -> str:
    """``SourceUnreadable`` becomes ``source-unreadable``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", type(error).__name__).lower()


def _told(met: _Met, as_json: bool) -> int:
    from eve_replay.cli.shared.json import put_document, taking

    if not taking():
        _say(f"{met.message} {met.hint}".rstrip())
    if as_json:
        from eve_replay.worlds.sources import public_text

        document: dict[str, object] = {"format": "eve-replay/error", "version": 1, "kind": met.kind}
        document["message"] = public_text(met.message)
        if met.hint:
            document["hint"] = public_text(met.hint)
        put_document(document)
    return met.code


def reader_left() -> int:
    """The reader has seen enough (`eve-replay runs | head`). Without this Python complains at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return EXIT_OK


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "?", "`")) else text + "."


def _say(text: str) -> None:
    from eve_replay.redaction.veil import without_known
    from eve_replay.views.kit.safe import safe_text  # costs a tenth of the start; most starts end well
    from eve_replay.worlds.sources import public_text

    click.echo(f"eve-replay: {without_known(safe_text(public_text(text)))}", err=True)
