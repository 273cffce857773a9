"""What the program prints never holds the password of a source: stdout, stderr and JSON, each command."""

from __future__ import annotations

import pytest

from eve_replay.redaction import veil
from tests.support import pgserver
from tests.support.corpus import scenario
from tests.unit.cli._run import call

SECRET = "geheim77"
COMMANDS = (
    "runs",
    "show",
    "why",
    "doctor",
    "dump",
    "receipt",
    "forecast",
    "turns",
    "attempts",
    "transcript",
    "events",
    "stream",
    "state",
    "crash",
    "matrix",
    "compare",
)
FORMS = ((), ("--json",))


def everything(capsys, *words) -> str:
    result = call(capsys, *words)
    return result.out + result.err


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "source",
    [
        f"postgres://me:{SECRET}@127.0.0.1:1/db",
        f"redis://:{SECRET}@127.0.0.1:1/0",
        f"mysql://me:{SECRET}@h/db",
        f"https://me:{SECRET}@127.0.0.1/db",
    ],
)
def test_a_source_that_cannot_be_read(capsys, command, form, source) -> None:
    said = everything(capsys, command, source, *form)
    assert "eve-replay: " in said and (not form or "eve-replay/error" in said)
    assert SECRET not in said
    assert SECRET not in everything(capsys, command, source, "two", "three", "four", *form)


def test_the_default_source(capsys, monkeypatch) -> None:
    monkeypatch.setenv("EVE_REPLAY_SOURCE", f"postgres://me:{SECRET}@127.0.0.1:1/db")
    assert SECRET not in everything(capsys, "runs")


@pytest.fixture(scope="module")
def address() -> str:
    server = pgserver.server()
    server.create("er_secret", scenario("postgres/eve_crash") / "final" / "dump.sql")
    # Local users are trusted: any password will do.
    return server.url("er_secret", password=SECRET)


@pytest.mark.postgres
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_source_that_can_be_read(capsys, command, form, address) -> None:
    result = call(capsys, command, address, *form)
    assert result.out + result.err
    assert SECRET not in result.out + result.err
    if form and result.code in (0, 1):
        assert result.json["source"].startswith("postgres://postgres@127.0.0.1")


@pytest.mark.postgres
def test_hints_name_the_source(capsys, address) -> None:
    out = call(capsys, "runs", address).out
    assert address.replace(SECRET, "***") in out


@pytest.mark.postgres
def test_what_python_and_the_notebook_show(address) -> None:
    from eve_replay import open_journal, open_world

    world, journal = open_world(address), open_journal(address)
    with journal:
        shown = [repr(world), repr(journal), world.label, str(journal.receipt.to_json())]
        shown += [
            html() for thing in (world, journal) if callable(html := getattr(thing, "_repr_html_", None))
        ]
    world.close()
    assert not [text for text in shown if SECRET in str(text)]


def test_a_value_that_looks_secret_is_hidden_until_it_is_asked_for(capsys, tmp_path):
    file = tmp_path / "payload"
    file.write_bytes(b'devl[{"apiKey":1,"cents":2},"sk-p9foNlkgtqJ09HpSCxyz123456789",900]')
    shown = call(capsys, "decode", file).out
    assert "sk-p9" not in shown and "[hidden: " in shown and "900" in shown
    assert "sk-p9foNlkgtqJ09HpSCxyz123456789" in call(capsys, "decode", file, "--reveal").out
    assert call(capsys, "decode", file, "--json").json["value"]["apiKey"].startswith("sk-p9")


def test_the_users_token_is_hidden_wherever_it_stands(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("eve_replay.redaction.veil._known", set())
    veil.know("team-token-of-mine")
    file = tmp_path / "payload"
    file.write_bytes(b'devl["it said team-token-of-mine"]')
    assert "it said [hidden: yours]" in call(capsys, "decode", file).out
    assert call(capsys, "decode", file, "--json").json["value"] == "it said [hidden: yours]"
