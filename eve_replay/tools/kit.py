"""The kit for a room without internet: wheels for the learners' machines, the lessons, and start scripts.

For each machine the wheels are found by following their metadata under that machine's environment markers.
pip by itself asks the markers of the computer it runs on, and so would leave out what only Windows needs.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eve_replay._version import __version__
from eve_replay.codec import dumps_tagged
from eve_replay.tools.closure import Need, needs_of, open_needs
from eve_replay.tools.kit_files import readme, start_scripts
from eve_replay.tools.machines import Machine
from eve_replay.tools.places import beside, check_place, move_into_place, size_of
from eve_replay.tools.programs import Say, ToolFailed, has_module, pip_download, require
from eve_replay.tools.site import Lessons
from eve_replay.tools.wheels import NAME, Wheel, own_wheel, read_wheel, write_zip
from eve_replay.workshop.model import Language

__all__ = ["EXTRA", "Kit", "build_kit", "resolve"]

#: What is installed: the package with what the lessons need, without pandas and plotly.
EXTRA = "workshop"
#: Says that a folder is a kit of ours, and what is in it.
MARK = "kit.json"
_ROUNDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What was made.

    Attributes:
        folder: where it lies.
        archive: the same in one file, None when it was not wanted.
        size: bytes of the folder.
        wheels: how many there are.
        machines: whom it is for.
        lessons: how many notebooks per language.
    """

    folder: Path
    archive: Path | None
    size: int
    wheels: int
    machines: tuple[Machine, ...]
    lessons: Mapping[Language, int]


def build_kit(
    out: Path,
    lessons: Lessons,
    machines: Sequence[Machine],
    say: Say,
    *,
    sources: Sequence[Path] = (),
    instructor: bool = False,
    archive: bool = True,
    force: bool = False,
) -> Kit:
    """Make the kit.

    Args:
        out: its folder; it must not exist, be empty, or hold an earlier kit.
        lessons: the files of each language.
        machines: whom it is for.
        say: called with each line of progress.
        sources: folders of wheels to use instead of asking the package index.
        instructor: leave solutions and the guide in the wheel of eve-replay.
        archive: write ``out.zip`` too.
        force: replace what is in ``out``, whatever it is.

    Raises:
        WrongUse: ``out`` holds something else.
        ToolFailed: a program is missing or failed, the package index cannot be reached, or there is no wheel
            for one of the machines. ``out`` is as it was.
    """
    check_place(out, MARK, force=force)
    hint = "install it with `pip install packaging`"
    needs = [
        (has_module("packaging"), "packaging", hint),
        (has_module("pip"), "pip", "install pip with `python -m ensurepip`"),
    ]
    require(needs, purpose="To make the kit")
    with beside(out) as scratch:
        made = scratch / "kit"
        place = made / "wheels"
        place.mkdir(parents=True)
        say("the wheel of this eve-replay" + ("" if instructor else ", without solutions"))
        own = own_wheel(place, without=(lambda name: False) if instructor else _for_instructors)
        found: dict[str, Wheel] = {own.name: read_wheel(own)}
        for number, machine in enumerate(machines, 1):
            say(f"[{number}/{len(machines)}] wheels for {machine}")
            chosen = resolve(machine, read_wheel(own), scratch / f"machine-{number}", say, sources)
            for wheel in chosen.values():
                if wheel.path.name not in found:
                    shutil.copyfile(wheel.path, place / wheel.path.name)
                    found[wheel.path.name] = wheel
        say("lessons, start scripts, README")
        _fill(made, lessons, machines, found)
        zipped = _zip(made, out) if archive else None
        move_into_place(made, out)
        if zipped is not None:
            zipped.replace(out.with_name(f"{out.name}.zip"))
            zipped = out.with_name(f"{out.name}.zip")
    counts = {
        language: sum(place.suffix == ".ipynb" for _, place in each) for language, each in lessons.items()
    }
    return Kit(
        folder=out,
        archive=zipped,
        size=size_of(out),
        wheels=len(found),
        machines=tuple(machines),
        lessons=counts,
    )


def _for_instructors(name: str) -> bool:
    inside = name.removeprefix("eve_replay/_notebooks/workshop/")
    return inside != name and inside.startswith(("solutions/", "instructor/"))


def resolve(
    machine: Machine, own: Wheel, folder: Path, say: Say, sources: Sequence[Path] = ()
) -> dict[str, Wheel]:
    """Download what eve-replay needs on a machine, and return the wheels by name, without its own.

    The newest wheel that fits is taken for each need; a need that narrows later is looked for again.

    Raises:
        ToolFailed: there is no wheel for this machine, or the needs do not come to rest.
    """
    roots = {NAME: {EXTRA}}
    wheels = {NAME: own}
    for turn in range(_ROUNDS):
        needs = needs_of(roots, wheels, machine.markers)
        missing = open_needs(needs, wheels)
        if not missing:
            return {name: wheels[name] for name in sorted(needs) if name != NAME}
        say(f"    {len(missing)} more")
        place = folder / str(turn)
        place.mkdir(parents=True)
        _fetch(missing, place, machine, sources)
        for path in sorted(place.glob("*.whl")):
            wheel = read_wheel(path)
            wheels[wheel.name] = wheel
    names = ", ".join(str(need) for need in open_needs(needs_of(roots, wheels, machine.markers), wheels))
    raise ToolFailed(f"No set of wheels for {machine} fits together: {names}.")


def _fetch(missing: Sequence[Need], place: Path, machine: Machine, sources: Sequence[Path]) -> None:
    options = [f"--python-version={machine.python}", "--implementation=cp"]
    options += [f"--platform={tag}" for tag in machine.tags]
    # Extras say what else is needed, which is followed here; without them pip has nothing to follow.
    plain = [str(Need(name=need.name, versions=need.versions)) for need in missing]
    try:
        pip_download(plain, place, options=options, sources=sources)
    except ToolFailed as error:
        raise ToolFailed(f"For {machine}: {error.message}", hint=error.hint) from error


def _fill(made: Path, lessons: Lessons, machines: Sequence[Machine], found: Mapping[str, Wheel]) -> None:
    for language, files in lessons.items():
        for source, place in files:
            target = made / f"lessons-{language}" / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    for name, text in start_scripts(machines, [*lessons]).items():
        path = made / name
        # Windows reads its own line ends only, a Unix shell its own only.
        path.write_text(text, encoding="utf-8", newline="\r\n" if name.endswith(".cmd") else "\n")
        path.chmod(0o644 if name.endswith(".cmd") else 0o755)
    for name, text in readme(machines, [*lessons]).items():
        (made / name).write_text(text, encoding="utf-8")
    listed = {
        "eve-replay": __version__,
        "machines": [{"python": each.python, "platform": each.platform} for each in machines],
        "wheels": {
            wheel.path.name: wheel.sha256 for wheel in sorted(found.values(), key=lambda each: each.name)
        },
    }
    (made / MARK).write_text(dumps_tagged(listed, indent=1), encoding="utf-8")


def _zip(made: Path, out: Path) -> Path:
    target = made.with_name("kit.zip")
    files = sorted(path for path in made.rglob("*") if path.is_file())
    write_zip(
        target,
        (
            (
                f"{out.name}/{path.relative_to(made).as_posix()}",
                path.read_bytes(),
                path.stat().st_mode & 0o755,
            )
            for path in files
        ),
    )
    return target
