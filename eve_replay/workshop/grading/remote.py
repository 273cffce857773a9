"""Checks answer cells in a process of their own: a learner's code never runs in the grader's process.

The child is a fresh Python that sees neither the environment nor the folder of its parent. Where the system
has them it gets limits of processor time, memory, file size and processes; everywhere a limit of time. What
it prints goes nowhere. Its verdict comes back through a file whose place and mark the answer is not told.

This keeps accidents and bad manners away: endless loops, floods, ``sys.exit``. On Linux there is a wall too
(:mod:`eve_replay.workshop.grading.wall`): no network, nothing to read but Python, nothing to write but an
empty folder. Elsewhere code that means harm can read and write the files of the person who runs it, as any
program can. Each verdict says what stood.
"""

from __future__ import annotations

import os
import secrets
import sys
import traceback
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from eve_replay.codec.jsonout import dumps_tagged
from eve_replay.codec.jsontext import loads_json
from eve_replay.errors import EveReplayError
from eve_replay.workshop.grading.answers import reach_of_cell
from eve_replay.workshop.grading.attack import World, against, world_of
from eve_replay.workshop.grading.remarks import remark
from eve_replay.workshop.lesson import task
from eve_replay.workshop.model import Language
from eve_replay.workshop.verdict import Verdict

__all__ = ["Limits", "check_source", "refusal", "serve"]

#: What the module is called in which an answer cell runs.
_MODULE = "answer"
_FILE = "<answer>"
_LARGEST_RESULT = 1 << 20
_LARGEST_SOURCE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one answer may use.

    Attributes:
        seconds: of the clock; processor time is limited to the same.
        megabytes: of memory, where the system can limit it (Linux).
        environment: all that the child sees of the environment.
    """

    seconds: float = 30.0
    megabytes: int = 1024
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({"LC_ALL": "C.UTF-8"}))


def check_source(
    lesson: str,
    source: str,
    *,
    language: Language = "en",
    limits: Limits | None = None,
    elsewhere: frozenset[str] = frozenset(),
    world: World | None = None,
) -> Verdict:
    """Run an answer cell in a child process, check it there, and return the verdict.

    Args:
        lesson: as :func:`eve_replay.workshop.lesson.task` takes it.
        source: the text of the answer cell.
        language: of the verdict.
        limits: what it may use.
        elsewhere: names that other cells of the notebook define, for a better word about a missing name.
        world: where a neighbour tries it, instead of the lesson's own cases and faults.

    Raises:
        NotFound: there is no such lesson.
        EveReplayError: no child process can be started here.
    """
    number = task(lesson).lesson
    limits = limits or Limits()
    if len(source) > _LARGEST_SOURCE:
        return refusal(number, "cell-syntax", language, what=f"{len(source):,} characters")
    job = {
        "lesson": number,
        "source": source,
        "language": language,
        "elsewhere": sorted(elsewhere),
        "seconds": limits.seconds,
        "megabytes": limits.megabytes,
        "mark": secrets.token_hex(16),
        "world": None if world is None else asdict(world),
    }
    return _result(job, _run(job, limits), language)


def refusal(lesson: str, code: str, language: Language, **facts: object) -> Verdict:
    """Return the verdict on an answer that could not be checked, in words."""
    return Verdict(
        lesson=lesson,
        passed=False,
        language=language,
        code=code,
        headline=remark(code, language, **facts),
        next=remark(f"{code}-next", language, **facts),
    )


# -- the parent's side ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    """How a child ended: its return code (None: it was stopped), how long it ran, the lines of its result."""

    code: int | None
    seconds: float = 0.0
    lines: tuple[str, ...] = ()
    words: str = ""


def _run(job: dict[str, Any], limits: Limits) -> _Ended:
    import subprocess
    import tempfile
    import time

    # The same places to import from as here, so that a checkout, a venv and a wheel all work.
    places = [str(Path(each).resolve()) for each in sys.path if each]
    program = f"import sys; sys.path[:] = {places!r}; from {__name__} import serve; serve()"
    with (
        tempfile.TemporaryDirectory(prefix="answer-", ignore_cleanup_errors=True) as empty,
        tempfile.TemporaryDirectory(prefix="result-", ignore_cleanup_errors=True) as aside,
        tempfile.TemporaryFile() as said,
    ):
        place = Path(aside) / secrets.token_hex(8)
        began = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8", "-c", program],
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=said,
            cwd=empty,
            env=dict(limits.environment),
            start_new_session=True,
        )
        code: int | None
        try:
            process.communicate(
                dumps_tagged(job | {"place": str(place)}).encode(), timeout=limits.seconds + 5
            )
            code = process.returncode
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end(process)
        spent = time.monotonic() - began
        said.seek(0)
        words = said.read(4000).decode("utf-8", "replace").strip()
        try:
            with place.open("rb") as result:
                text = result.read(_LARGEST_RESULT).decode("utf-8", "replace")
        except OSError:
            text = ""
    return _Ended(code=code, seconds=spent, lines=tuple(text.splitlines()), words=words)


def _end(process: Any) -> None:
    """End the child and what it may have started."""
    import signal

    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)  # its own session, so its own group
        else:
            process.kill()
    except OSError:  # ended already
        pass
    process.wait()


def _result(job: Mapping[str, Any], ended: _Ended, language: Language) -> Verdict:
    lesson, mark = str(job["lesson"]), str(job["mark"])
    lines = [each.removeprefix(mark) for each in ended.lines if each.startswith(mark)]
    if not lines:
        last = ended.words.splitlines()[-1:] or ["it said nothing"]
        raise EveReplayError(f"The check could not start a Python of its own ({last[0][:200]}).")
    for each in lines[1:]:
        try:
            return _verdict(loads_json(each), language)
        except (ValueError, KeyError, TypeError):
            continue
    # Who does not listen to the limit of processor time is killed a second later.
    late = ended.code == -9 and ended.seconds >= job["seconds"]
    if ended.code is None or -ended.code in _time_signals() or late:
        return refusal(lesson, "too-long", language, what=f"{job['seconds']:g}")
    return refusal(lesson, "ended-itself", language, what=f"code {ended.code}")


def _time_signals() -> tuple[int, ...]:
    import signal

    return tuple(int(getattr(signal, name)) for name in ("SIGXCPU",) if hasattr(signal, name))


def _verdict(document: Any, language: Language) -> Verdict:
    wall = document.get("wall", [])
    return Verdict(
        lesson=str(document["lesson"]),
        passed=document["passed"] is True,
        language=language,
        code=str(document["code"]),
        headline=str(document["headline"]),
        story=tuple(str(each) for each in document["story"]),
        why=str(document["why"]),
        next=str(document["next"]),
        basis=str(document["basis"]),
        tried=int(document["tried"]),
        complete=document["complete"] is True,
        cases=int(document["cases"]),
        wall=tuple(str(each) for each in wall) if isinstance(wall, list) else (),
    )


# -- the child's side -------------------------------------------------------------------------------


def serve() -> None:
    """Read one job from stdin, check its answer, write the verdict where the job says."""
    import tempfile

    from eve_replay.workshop.grading.check import check
    from eve_replay.workshop.grading.interpreter_state import Untouched
    from eve_replay.workshop.grading.wall import build_wall

    job = loads_json(sys.stdin.buffer.read())
    lesson = task(job["lesson"])
    with Path(job["place"]).open("w", encoding="utf-8") as result:
        result.write(f"{job['mark']}\n")  # from here on, what goes wrong is the answer's doing
        result.flush()
        _silence()
        _limit(float(job["seconds"]), int(job["megabytes"]))
        folder = str(Path.cwd())
        tempfile.tempdir = folder
        wall = build_wall(folder)
        before = Untouched()
        answer, verdict = _defined(job, lesson.answer)
        if verdict is None:
            try:
                seeds = None
                if job.get("world") is not None:
                    world = world_of(job["world"])
                    lesson, seeds = against(lesson, world), (world.seed,)
                verdict = check(
                    lesson,
                    answer,
                    language=job["language"],
                    seeds=seeds,
                    seconds=float(job["seconds"]),
                    before=before,
                )
            except MemoryError:
                verdict = refusal(lesson.lesson, "too-much-memory", job["language"], what=job["megabytes"])
        document = {**verdict.to_json(), "wall": list(wall)}
        result.write(f"{job['mark']}{dumps_tagged(document)}\n")
    os._exit(0)  # whatever the answer has left behind, threads or last words, is not waited for


def _defined(job: Mapping[str, Any], name: str) -> tuple[object, Verdict | None]:
    """Run the answer cell and return what it defines, or the verdict that says why there is nothing."""
    language: Language = job["language"]
    lesson, source = job["lesson"], job["source"]
    module = ModuleType(_MODULE)
    sys.modules[_MODULE] = module
    try:
        code = compile(source, _FILE, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        words = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        return None, refusal(lesson, "cell-syntax", language, what=words + _line(line, language))
    beyond = reach_of_cell(code)
    if beyond is not None:
        return None, refusal(lesson, beyond[0], language, name=name, **beyond[1])
    try:
        exec(code, vars(module))
    except NameError as error:
        if error.name in job["elsewhere"]:
            return None, refusal(lesson, "cell-needs", language, what=error.name)
        return None, refusal(lesson, "cell-raised", language, what=_told(error, language))
    except MemoryError:
        return None, refusal(lesson, "too-much-memory", language, what=job["megabytes"])
    except BaseException as error:  # also SystemExit: the cell is the learner's, the process is ours
        return None, refusal(lesson, "cell-raised", language, what=_told(error, language))
    missing = object()
    answer = vars(module).get(name, missing)
    if answer is missing:
        return None, refusal(lesson, "missing", language, name=name)
    return answer, None


def _told(error: BaseException, language: Language) -> str:
    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == _FILE]
    try:
        words = str(error)
    except BaseException:  # the text of a learner's exception is the learner's code
        words = ""
    told = f"{type(error).__name__}{': ' + words[:300] if words else ''}"
    return told + _line(lines[-1] if lines else None, language)


def _line(number: int | None, language: Language) -> str:
    if not number:
        return ""
    return f"（第 {number} 行）" if language == "zh" else f", line {number}"


def _silence() -> None:
    """Let everything that is printed from here on go nowhere, and let nothing be typed in."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    sys.stdout.flush()
    for each in (0, 1, 2):
        os.dup2(nowhere, each)


def _limit(seconds: float, megabytes: int) -> None:
    """Set the limits the system has. Windows has none of these; the parent's clock remains."""
    try:
        import resource
    except ImportError:
        return
    whole = max(int(seconds), 1)
    size = megabytes << 20
    wanted = (
        ("RLIMIT_CPU", (whole, whole + 1)),
        ("RLIMIT_AS", (size, size)),
        ("RLIMIT_FSIZE", (4 << 20, 4 << 20)),
        ("RLIMIT_CORE", (0, 0)),
        ("RLIMIT_NPROC", (0, 0)),
    )
    for name, pair in wanted:
        try:
            resource.setrlimit(getattr(resource, name), pair)
        except (AttributeError, ValueError, OSError):
            continue  # macOS refuses some; each alone helps
