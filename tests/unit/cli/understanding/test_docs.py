"""``eve-replay docs``: whatever a rule points at can be read where the package is installed."""

import json
import re

import pytest

from eve_replay.cli.understanding.docs import find, pages
from eve_replay.errors import NotFound
from eve_replay.recovery.environment import ENVIRONMENTS
from eve_replay.recovery.words import RULES
from tests.unit.cli._run import call


def test_every_source_of_a_rule_can_be_read():
    cited = {each.source for each in (*RULES.values(), *ENVIRONMENTS.values())}
    cited = {re.split(r"[;:]", source)[0] for source in cited if source.startswith("docs/")}
    assert len(cited) > 20
    for source in cited:
        page, sections = find(source)
        assert page.title and any(section.text for section in sections)


def test_a_section_by_its_long_and_its_short_name(capsys):
    whole = call(capsys, "docs", "docs/evidence/sweep.md#f1").out
    assert "can never commit" in whole and "T1 before-082" in whole
    assert call(capsys, "docs", "sweep#f1").out == call(capsys, "docs", "f1").out == whole
    assert "#f2" in call(capsys, "docs", "sweep#f1, #f2").out


def test_all_pages_and_json(capsys):
    assert "evidence/sweep" in call(capsys, "docs").out
    listed = json.loads(call(capsys, "docs", "--json").out)
    assert [page["page"] for page in listed["pages"]] == [page.name for page in pages()]
    document = json.loads(call(capsys, "docs", "lease", "--json").out)
    assert document["page"] == "evidence/observed" and "860 s" in document["sections"][0]["text"]


def test_what_is_not_there_names_what_is():
    with pytest.raises(NotFound):
        find("nowhere")
    with pytest.raises(NotFound) as error:
        find("sweep#f9")
    assert "f1" in error.value.hint


def test_a_simulation_says_how_to_read_its_rules(capsys):
    out = call(capsys, "crash", "sample:crash-in-tool", "--after", "tools-returned", "--explain").out
    assert "eve-replay docs sweep#d" in out
