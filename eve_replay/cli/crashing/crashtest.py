"""``eve-replay crashtest``: the user's own build, killed for real at every point that matters."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eve_replay.cli.shared.common import Shell, command, echo, emit_json, finish, note
from eve_replay.cli.shared.progress import stage
from eve_replay.errors import WrongUse
from eve_replay.problems import Receipt

if TYPE_CHECKING:
    from eve_replay.crashtest.campaign import Outcome

__all__ = ["cli"]

_UNITS = {"s": 1, "m": 60, "h": 3600}


@command("crashtest")
@click.argument("project", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--config", "file", type=click.Path(path_type=Path), help="The test (default: crashtest.toml).")
@click.option("--turn", "recorded", metavar="SOURCE", help="Messages and answers of a recorded session.")
@click.option("--init", is_flag=True, help="Write a first draft of crashtest.toml and stop.")
@click.option("--points", default="important", metavar="WHICH", help="all, important, or a number.")
@click.option("--only", default="", metavar="TEXT", help="Only points whose name holds this.")
@click.option("--seed", default=0, help="Of the draw of --points N.")
@click.option("--crashes", type=click.IntRange(1, 2), default=1, help="2: also die in the recovery.")
@click.option(
    "--model",
    "variants",
    multiple=True,
    type=click.Choice(["same", "new-ids", "other", "live"]),
    help="What the model answers when asked again; may be given several times. live: the real one.",
)
@click.option(
    "--door", type=click.Choice(["auto", "telemetry", "wire", "provider"]), default="auto", hidden=True
)
@click.option("--then", type=click.Path(path_type=Path, exists=True), help="Another build for the restart.")
@click.option(
    "--first-turn", is_flag=True, help="No warm-up: the first turn of a session, each point 3 times."
)
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=None, help="Points at a time (default: one a core)."
)
@click.option("--budget", metavar="TIME", help="No new point after 90s, 10m, 1h.")
@click.option("--resume", is_flag=True, help="Keep what an earlier run showed of the same build and test.")
@click.option(
    "--env", "given", multiple=True, metavar="NAME=VALUE", help="A real value for the server, on purpose."
)
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("crashtest-results"), help="Folder of results."
)
@click.option("--junit", type=click.Path(path_type=Path), help="Also JUnit XML, here.")
@click.option("--html", type=click.Path(path_type=Path), help="Also one HTML page, here.")
def cli(
    shell: Shell,
    project: Path,
    file: Path | None,
    recorded: str | None,
    init: bool,
    points: str,
    only: str,
    seed: int,
    crashes: int,
    variants: tuple[str, ...],
    door: str,
    then: Path | None,
    first_turn: bool,
    jobs: int | None,
    budget: str | None,
    resume: bool,
    given: tuple[str, ...],
    out: Path,
    junit: Path | None,
    html: Path | None,
) -> None:
    """Kill your own built agent at every point that matters, and count what the outside saw.

    This RUNS the built server of PROJECT (.output/server), sealed: in a scratch folder, with placeholder
    secrets, with every outgoing act answered by stubs, in a network of its own where the system allows it.
    Nothing of PROJECT is written. Exit code 1 when a promise of crashtest.toml is broken.
    """
    from eve_replay.crashtest.campaign import Asked, Campaign
    from eve_replay.crashtest.project import find_build, find_node

    build = find_build(project)
    path = file or project / "crashtest.toml"
    data = _data(path, shell, recorded, init)
    if init:
        _write_draft(shell, path if file else Path("crashtest.toml"), data, build.folder.name)
        return
    live = "live" in variants
    asked = Asked(
        build=build,
        node=find_node(os.environ),
        data=data,
        out=out,
        points=points,
        seed=seed,
        crashes=crashes,
        variants=("same",) if live or not variants else tuple(dict.fromkeys(variants)),  # type: ignore[arg-type]
        jobs=jobs or os.cpu_count() or 1,
        budget=None if budget is None else _seconds(budget),
        warm=not first_turn,
        repeat=3 if first_turn else 1,
        resume=resume,
        then=then,
        door=door,
        live=live,
        only=only,
        environment=_environment(),
        env=dict(_pair(each) for each in given),
    )
    outcome = _campaign(shell, Campaign, asked)
    _written(outcome, junit, html)
    from eve_replay.crashtest.report.data import document
    from eve_replay.crashtest.report.terminal import report_lines

    said = document(outcome)
    (out / "report.json").write_text(json.dumps(said, indent=1), "utf-8")
    if shell.json:
        emit_json(shell, "crashtest", build.folder.name, Receipt(), **said)
    else:
        echo(shell, report_lines(outcome, width=shell.width))
    finish(shell, problems=outcome.broken)


def _campaign(shell: Shell, make: Any, asked: Any) -> Outcome:
    """Run it, and say on stderr how far it is and how long it will take."""
    quiet = shell.json or not sys.stderr.isatty()
    last = [time.monotonic()]

    def say(words: str) -> None:
        with stage(words, quiet=quiet):
            pass

    campaign = make(asked, say)
    for each in campaign.run():
        if quiet or time.monotonic() - last[0] < 0.3:
            continue
        last[0] = time.monotonic()
        left = f", about {each.left:.0f} s left" if each.left is not None else ""
        say(f"{each.done} of {each.total} points{left}: {each.result.point.name[:60]}")
    assert campaign.outcome is not None
    outcome: Outcome = campaign.outcome
    return outcome


def _data(path: Path, shell: Shell, recorded: str | None, init: bool) -> dict[str, Any]:
    import tomllib

    from eve_replay.crashtest.config import load_config
    from eve_replay.crashtest.recorded import turns_of

    data: dict[str, Any] = {}
    if path.is_file():
        load_config(path)
        data = tomllib.loads(path.read_text("utf-8"))
    elif not recorded:
        load_config(path)
    if recorded:
        from eve_replay.cli.shared.common import open_journal

        data = {**data, "turn": turns_of(open_journal(shell, recorded))}
    return data


def _write_draft(shell: Shell, path: Path, data: dict[str, Any], project: str) -> None:
    from eve_replay.crashtest.draft import draft

    if path.exists():
        raise WrongUse(f"{path.name} is there already.", hint="Name another file: --config FILE.")
    path.write_text(draft(data, project), "utf-8")
    note(shell, f"{path.name} is written: say in it how the outside answers, and what is promised.")


def _written(outcome: Outcome, junit: Path | None, html: Path | None) -> None:
    from eve_replay.crashtest.report.data import junit as junit_xml

    if junit is not None:
        junit.write_text(junit_xml(outcome), "utf-8")
    if html is not None:
        from eve_replay.crashtest.report.page import page

        html.write_text(page(outcome), "utf-8")


def _environment() -> dict[str, str]:
    """The environment of the helpers: they are this Python, and find this package where we found it."""
    here = str(Path(__file__).parents[3])
    paths = [here, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    kept = {
        name: os.environ[name]
        for name in ("PATH", "HOME", "TMPDIR", "SYSTEMROOT", "LANG")
        if name in os.environ
    }
    return kept | {"PYTHONPATH": os.pathsep.join(paths)}


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise WrongUse(f"--env takes NAME=VALUE, not {text!r}.")
    return name, value


def _seconds(text: str) -> float:
    number, unit = text[:-1], text[-1:]
    if unit not in _UNITS or not number.replace(".", "", 1).isdigit():
        raise WrongUse(f"--budget cannot be {text!r}.", hint="Write 90s, 10m or 1h.")
    return float(number) * _UNITS[unit]
