"""Every lesson: its notebook passes with its solution, fails without it, and fails as the guide says.

Notebooks are executed once for each lesson and language; everything else calls the grader directly.
"""

import importlib.util
import json
import os
import re
import time
from functools import cache
from pathlib import Path

import pytest

from eve_replay.workshop.grading.check import check
from eve_replay.workshop.grading.notebook_file import read_book
from eve_replay.workshop.grading.progress import Progress
from eve_replay.workshop.lesson import task

ROOT = Path(__file__).parents[2]
HOME = ROOT / "notebooks" / "workshop"
BOOKS = sorted(HOME.glob("[0-9][0-9]-*.ipynb"))
#: Lessons with an exercise that is graded; the one about the learner's own journal has none.
GRADED = [path for path in BOOKS if (HOME / "solutions" / f"lesson_{path.stem[:2]}.py").exists()]
LANGUAGES = ("en", "zh")
TAGS = {"setup", "show", "predict", "play", "answer", "check", "own"}


def edition(path, language):
    return path if language == "en" else HOME / "zh" / path.name


@cache
def book(path):
    return json.loads(path.read_text("utf-8"))


def text(cell):
    return "".join(cell["source"])


def cells(path, kind):
    return [cell for cell in book(path)["cells"] if cell["cell_type"] == kind]


@cache
def module(path):
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def solution(number):
    return HOME / "solutions" / f"lesson_{number}.py"


def wrong(number):
    path = HOME / "solutions" / "wrong" / f"lesson_{number}.py"
    return module(path).WRONG if path.exists() else {}


def starting_answer(path):
    """What the answer cells define as they are handed out."""
    number = path.stem[:2]
    names = {"__name__": f"start_{number}"}
    exec(compile(read_book(path).answer, path.name, "exec"), names)
    return names[task(number).answer]


MISTAKES = [(path.stem[:2], name) for path in GRADED for name in wrong(path.stem[:2])]


# -- the answers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", GRADED, ids=lambda path: path.stem)
def test_the_solution_passes(path):
    number = path.stem[:2]
    answer = getattr(module(solution(number)), task(number).answer)
    check(number, answer, seeds=(0,))  # opens the recordings
    began = time.process_time()
    assert check(number, answer, seeds=(0,)).passed
    assert time.process_time() - began < 2  # every schedule of the lesson's own cases
    verdict = check(number, answer)
    assert verdict.passed, str(verdict)
    assert verdict.complete and verdict.tried > 10 and verdict.next
    assert check(number, answer, language="zh").passed


@pytest.mark.parametrize("path", GRADED, ids=lambda path: path.stem)
def test_the_answer_cell_as_handed_out_fails(path):
    verdict = check(path.stem[:2], starting_answer(path))
    assert not verdict.passed
    assert verdict.code and verdict.headline and verdict.next


@pytest.mark.parametrize(("number", "name"), MISTAKES, ids=lambda value: str(value))
def test_a_wrong_answer_fails_with_its_reason(number, name):
    answer, code, _ = wrong(number)[name]
    verdict = check(number, answer)
    assert not verdict.passed
    assert verdict.code == code, str(verdict)
    assert verdict.headline and verdict.next
    chinese = check(number, answer, language="zh")
    assert (chinese.code, chinese.tried) == (verdict.code, verdict.tried)
    assert re.search("[\u4e00-\u9fff]", chinese.headline) and re.search("[\u4e00-\u9fff]", chinese.next)


@pytest.mark.parametrize("path", GRADED, ids=lambda path: path.stem)
def test_the_guide_names_the_wrong_answers(path):
    number = path.stem[:2]
    guide = (HOME / "instructor" / f"lesson_{number}.md").read_text("utf-8")
    assert wrong(number), "people make mistakes in every lesson"
    for name, (_, code, line) in wrong(number).items():
        rows = [row for row in guide.splitlines() if f"`{name}`" in row]
        assert rows and any(f"`{code}`" in row for row in rows), f"{name} ({code}) is not in the guide"
        assert line


# -- the notebooks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_with_its_solution_and_passes(path, language, tmp_path):
    number = path.stem[:2]
    import nbformat  # here: it takes seconds to import

    lesson = nbformat.read(edition(path, language), as_version=4)
    if path in GRADED:
        answers = [cell for cell in lesson.cells if "answer" in cell.metadata.get("tags", ())]
        for cell in answers:
            cell.source = ""
        answers[0].source = solution(number).read_text("utf-8")
    environment = {
        **{name: value for name, value in os.environ.items() if name != "EVE_REPLAY_SOURCE"},
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tui")]),
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
    }
    from nbclient import NotebookClient

    client = NotebookClient(
        lesson, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute(env=environment)
    outputs = [each for cell in lesson.cells if cell.cell_type == "code" for each in cell.outputs]
    assert not [each for each in outputs if each.output_type == "error"]
    assert not [each.text for each in outputs if each.get("name") == "stderr"]
    saved = tmp_path / path.name
    nbformat.write(lesson, saved)
    assert saved.stat().st_size < 4_000_000
    if path in GRADED:
        assert Progress(tmp_path).lesson(number).passed


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_both_editions_are_one_lesson(path):
    english, chinese = book(path), book(edition(path, "zh"))
    number = path.stem[:2]
    assert english["metadata"]["eve_replay"] == {**english["metadata"]["eve_replay"], "lesson": number}
    assert english["metadata"]["eve_replay"]["language"] == "en"
    assert chinese["metadata"]["eve_replay"] == {**english["metadata"]["eve_replay"], "language": "zh"}
    assert len(english["cells"]) == len(chinese["cells"])
    for one, other in zip(english["cells"], chinese["cells"], strict=True):
        assert one["id"] == other["id"]
        assert one["cell_type"] == other["cell_type"]
        assert one["metadata"] == other["metadata"]
        if one["cell_type"] == "code":
            assert text(one).replace('language="en"', 'language="zh"') == text(other)
        else:
            assert re.search("[\u4e00-\u9fff]", text(other)) or not re.search("[a-z]{3}", text(one))
            for what in (r"^#+ ", r"\]\(([^)]*)\)", r"`([a-z0-9]+(?:-[a-z0-9]+)+)`"):
                assert sorted(set(re.findall(what, text(one), re.M))) == sorted(
                    set(re.findall(what, text(other), re.M))
                ), (one["id"], what)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_committed_clean(path, language):
    path = edition(path, language)
    number = path.stem[:2]
    notebook = book(path)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids) and all(each.startswith(f"{number}-") for each in ids)
    for cell in cells(path, "code"):
        assert cell["outputs"] == [] and cell["execution_count"] is None
        assert len(set(cell["metadata"]["tags"]) & TAGS) == 1
    for cell in cells(path, "markdown"):
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", text(cell), flags=re.S)
        assert "!" not in prose and "\uff01" not in prose
    tags = [tag for cell in cells(path, "code") for tag in cell["metadata"]["tags"]]
    assert tags[0] == "setup" and f'lesson("{number}", language="{language}")' in text(cells(path, "code")[0])
    if number != "10":
        assert {"predict", "answer", "check"} <= set(tags)
        # The question stands before its answer: no exercise is checked before it was predicted and shown.
        assert tags.index("predict") < tags.index("answer") < tags.index("check")


@pytest.mark.parametrize("path", GRADED, ids=lambda path: path.stem)
def test_every_prediction_is_asked_and_has_an_answer(path):
    exercise = task(path.stem[:2])
    code = "\n".join(map(text, cells(path, "code")))
    assert set(re.findall(r'here\.predict\("([^"]+)"\)', code)) == set(exercise.predictions)
    for name, prediction in exercise.predictions.items():
        facts = prediction.facts() if prediction.facts is not None else {}
        for language in LANGUAGES:
            assert prediction.question.get(language).strip()
            assert "{" not in prediction.reveal.get(language).format_map(facts)
        assert prediction.source, name
        if prediction.choices:
            assert prediction.answer is not None and 0 <= prediction.answer() < len(prediction.choices)


@pytest.mark.parametrize("path", GRADED, ids=lambda path: path.stem)
def test_a_lesson_says_what_it_is(path):
    exercise = task(path.stem[:2])
    assert path.stem == f"{exercise.lesson}-{exercise.slug}"
    assert 5 <= exercise.minutes <= 30 and exercise.finds is not None
    for language in LANGUAGES:
        for words in (exercise.title, exercise.good, exercise.finds, *exercise.hints.values()):
            assert words.get(language) and "!" not in words.get(language)
