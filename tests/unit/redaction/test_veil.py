"""What screens hide, what they show, and that asking shows it."""

import pytest

from eve_replay.redaction import veil
from eve_replay.redaction.veil import glimpse, unveiled, veiled, without_known
from eve_replay.views.inspect.value import ValueTree

KEY = "sk-p9foNlkgtqJ09HpSCxyz123456789"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (f'apiKey: "{KEY}"', 'apiKey: "[hidden: api key]"'),
        ('{password: "hunter2long"}', '{password: "[hidden: named secret]"}'),
        ("postgres://me:pw12345@host/db", "postgres://me:[hidden: address password]@host/db"),
        ("4242 4242 4242 4242", "[hidden: card number]"),
    ],
)
def test_a_secret_is_hidden_by_its_shape(text, hidden):
    assert veiled(text) == hidden


@pytest.mark.parametrize(
    "text",
    [
        'idempotencyKey: "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S:mock-tool-call-1-0-2"',
        'idempotencyKey: "a8f3c1d29be74f0aa8f3c1d29be74f0a"',
        'to: "a@example.com"',
        'continuationToken: "eve:session:wrun_01"',
        'order: "1234567890123456"',
        '客户: "cus_42"',
    ],
)
def test_what_people_need_to_see_is_shown(text):
    assert veiled(text) == text


def test_a_field_that_is_named_so_hides_whatever_it_holds():
    value = {"password": "hunter2", "cents": 900, "nested": {"clientSecret": "short"}}
    assert "hunter2" not in glimpse(value)
    tree = ValueTree(value)
    rows = {row.path: row.node.text for row in tree.rows(open_paths=("$", "$.nested"))}
    assert rows["$.password"] == rows["$.nested.clientSecret"] == "[hidden: secret by its name]"
    assert rows["$.cents"] == "900"


def test_asking_shows_it_and_only_as_long():
    with unveiled():
        assert veiled(KEY) == KEY
    assert veiled(KEY) != KEY


def test_what_the_user_gave_leaves_no_output(monkeypatch):
    monkeypatch.setattr(veil, "_known", set())
    veil.know("my-own-token-1", None, "short")
    assert without_known("Bearer my-own-token-1, short") == "Bearer [hidden: yours], short"
