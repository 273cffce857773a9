"""A layout of one's own: what is wrong in it is said with its place and what may stand there."""

from __future__ import annotations

import pytest

from eve_replay.errors import WrongUse
from eve_replay.worlds.layouts.library import layouts, split_layout
from eve_replay.worlds.layouts.model import FORMS, camel, snake
from eve_replay.worlds.layouts.parse import parse_layout

GOOD = """
name = "mine"
reader = "tables"
[runs]
table = "r"
[steps]
table = "s"
[events]
table = "e"
"""


def test_a_short_layout_is_enough():
    layout = parse_layout(GOOD)
    assert layout.status == "untested" and layout.title == "mine"
    assert layout.parts["events"].column("createdAt") == "created_at"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("name =", "nam ="), "unknown key 'nam' (did you mean name?)"),
        (('"tables"', '"sheets"'), "reader must be one of tables, documents, keys, not 'sheets'"),
        (('[events]\ntable = "e"', ""), "there is no [events]"),
        (('table = "e"', ""), "[events] needs table"),
        (
            ('table = "e"', 'table = "e"\nfields = { eventId = { column = "id", form = "cbr" } }'),
            "did you mean cbor?",
        ),
        (
            ('table = "e"', 'table = "e"\nfields = { eventId = 3 }'),
            "[events].fields.eventId must be a column",
        ),
        (
            ('table = "e"', 'table = "e"\nfields = { eventId = { form = "text" } }'),
            "column must be a text and is missing",
        ),
        (('table = "e"', 'table = "e"\n[chunks]\ntable = "c"'), "[chunks].fields needs stream"),
        (('name = "mine"', 'name = "mine"\npayload = "x"'), "there is no form 'x'"),
        (("[runs]", "[runs"), "is no TOML"),
        (('table = "r"', 'table = "r"\njoin = "x"'), "join must be {table = ..., on = ...}"),
    ],
)
def test_faults_name_their_place(change, words):
    with pytest.raises(WrongUse) as caught:
        parse_layout(GOOD.replace(*change), "my.toml")
    assert words in caught.value.message and "my.toml" in caught.value.message


def test_layouts_of_the_package_are_good():
    names = [layout.name for layout in layouts()]
    assert len(names) == len(set(names)) and "turso" in names
    for layout in layouts():
        assert layout.package, layout.name
        assert all(
            rule.form in (*FORMS, "") for p in layout.parts.values() for r in p.fields.values() for rule in r
        )


@pytest.mark.parametrize("name", ["createdAt", "runId", "specVersion", "name"])
def test_names_of_columns_and_fields(name):
    assert camel(snake(name)) == name


def test_a_layout_in_a_source():
    assert split_layout("a.db?layout=x.toml") == ("a.db", "x.toml")
    assert split_layout("mysql://h/d?timeout=3&layout=x") == ("mysql://h/d?timeout=3", "x")
    assert split_layout("postgres://h/d?schema=s") == ("postgres://h/d?schema=s", "")
