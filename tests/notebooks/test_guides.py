"""Every guide runs from top to bottom, on the sample and on recordings of other kinds, in under a minute."""

import json
import os
from pathlib import Path

import pytest

from tests.support.corpus import data

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "notebooks").glob("*.ipynb"))
#: A plain SDK run that waits, a session of an older version in a flat folder, and a conversation of 60 turns.
OTHERS = ("sdk5-crash", "older-0.50.0", "long-session", "retention-0")


def execute(path, folder, source=None):
    environment = {
        **{name: value for name, value in os.environ.items() if name != "EVE_REPLAY_SOURCE"},
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tui")]),
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
    }
    if source is not None:
        environment["EVE_REPLAY_SOURCE"] = source
    import nbformat  # here: it takes seconds to import

    book = nbformat.read(path, as_version=4)
    from nbclient import NotebookClient  # here: it takes a second to import

    client = NotebookClient(
        book, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env=environment)
    return book


def outputs(book):
    return [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.parametrize("path", GUIDES, ids=lambda p: p.stem)
def test_a_guide_runs_on_the_sample(path, tmp_path):
    book = execute(path, tmp_path)
    found = outputs(book)
    assert not [each for each in found if each.output_type == "error"]
    assert not [each for each in found if each.get("name") == "stderr"]
    import nbformat  # here: it takes seconds to import

    size = len(nbformat.writes(book))
    assert size < 3_000_000, f"{path.stem} is {size} bytes when saved"
    if path.stem.startswith("01"):
        html = "".join(each.get("data", {}).get("text/html", "") for each in found)
        assert "charge_card" in html and "er-portrait" in html
    assert not list(tmp_path.glob("*.json"))  # nothing is written beside the notebook


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("path", GUIDES, ids=lambda p: p.stem)
def test_a_guide_runs_on_another_recording(path, name, tmp_path):
    book = execute(path, tmp_path, str(data(name)))
    assert not [each for each in outputs(book) if each.output_type == "error"]


@pytest.mark.parametrize("path", GUIDES, ids=lambda p: p.stem)
def test_guides_are_committed_clean(path):
    book = json.loads(path.read_text("utf-8"))
    assert book["metadata"]["kernelspec"]["name"] == "python3"
    for cell in book["cells"]:
        assert cell["id"]
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
    text = "".join("".join(cell["source"]) for cell in book["cells"])
    assert "EVE_REPLAY_SOURCE" in text
    assert "!" not in "".join("".join(c["source"]) for c in book["cells"] if c["cell_type"] == "markdown")


def test_there_are_four_guides():
    assert [path.stem[:2] for path in GUIDES] == ["01", "02", "03", "04"]
