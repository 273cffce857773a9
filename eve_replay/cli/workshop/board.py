"""``eve-replay workshop board``: a class on the local network, without internet."""

from __future__ import annotations

import contextlib
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path

import click

from eve_replay.cli.shared.common import Shell, command, echo, emit_json
from eve_replay.cli.workshop.check import limits_of
from eve_replay.cli.workshop.shared import language_option, limit_options
from eve_replay.cli.workshop.words import said
from eve_replay.errors import WrongUse
from eve_replay.problems import Receipt
from eve_replay.views.kit.text import line
from eve_replay.workshop.grading.attack import World
from eve_replay.workshop.grading.remote import check_source
from eve_replay.workshop.model import Language
from eve_replay.workshop.verdict import Verdict

__all__ = ["cli"]


@command("board")
@click.option("--folder", type=click.Path(path_type=Path), default=Path("board"), show_default=True,
              help="Where the class is written down; an earlier one goes on.")  # fmt: skip
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen at.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8787, show_default=True, help="0: any free one."
)
@click.option("--pin", default="", help="What everybody has to know (default: six digits, made now).")
@language_option("Language of the pages at first (default en); each page can be changed.")
@limit_options
def cli(
    shell: Shell,
    folder: Path,
    host: str,
    port: int,
    pin: str,
    language: Language | None,
    seconds: float,
    megabytes: int,
) -> None:
    """Show a class on the wall: predictions as they arrive, answers handed in, neighbours who break them.

    Learners open the address in a browser, enter the PIN and a name, and need nothing installed. It is plain
    HTTP on the local network: nothing leaves it, and what is typed can be read by others in it. Answers run
    on this machine with the limits and the wall of `workshop check`. Ctrl+C ends it.
    """
    from eve_replay.workshop.board import Room, serve

    told = language or "en"
    limits = limits_of(seconds, megabytes)

    def judge(lesson: str, source: str, spoken: Language, world: World | None) -> Verdict:
        return check_source(lesson, source, language=spoken, limits=limits, world=world)

    number = pin or f"{secrets.randbelow(900_000) + 100_000}"
    try:
        server = serve(Room(folder, judge), number, host, port, told)
    except OSError as error:
        raise WrongUse(
            f"Nothing can be served at {host}:{port}: {error.strerror}.", hint="Try --port 0."
        ) from None
    taken = server.server_address[1]
    places = [f"http://{each}:{taken}" for each in (_addresses() if host == "0.0.0.0" else (host,))]
    if shell.json:
        emit_json(shell, "workshop-board", str(folder), Receipt(), addresses=places, pin=number)
    else:
        echo(
            shell,
            [
                line((said("board-learners", told, url=places[0]), "strong")),
                line((said("board-pin", told, pin=number), "strong")),
                line(said("board-wall", told, url=f"http://127.0.0.1:{taken}/board")),
                line((said("board-folder", told, folder=folder), "muted")),
            ],
        )
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    server.server_close()


def _addresses() -> tuple[str, ...]:
    """The addresses of this machine in its networks, the likeliest first; nothing is sent to find them."""
    found = list(dict.fromkeys((*_outgoing(), *_named())))
    return tuple(found) or ("127.0.0.1",)


def _outgoing() -> Iterator[str]:
    # Connecting a datagram socket sends nothing: it only chooses the address that would be used.
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("10.255.255.255", 1))
        yield str(probe.getsockname()[0])


def _named() -> Iterator[str]:
    with contextlib.suppress(OSError):
        for each in socket.gethostbyname_ex(socket.gethostname())[2]:
            if not each.startswith("127."):
                yield each
