"""A source is repeated in many texts; what is secret in it, in none."""

from __future__ import annotations

import pytest

from eve_replay.errors import EveReplayError, SourceUnreadable, UnknownSource, WrongUse
from eve_replay.worlds import registry
from eve_replay.worlds.base import World
from eve_replay.worlds.registry import open_world
from eve_replay.worlds.sources import public_source, public_text, unescaped_login

SECRET = "geheim77"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (f"postgres://me:{SECRET}@h/d", "postgres://me:***@h/d"),
        (f"postgres://me:{SECRET}@a/d + redis://:{SECRET}@b/0", "postgres://me:***@a/d + redis://:***@b/0"),
        (f"~/project + postgres://me:{SECRET}@a/d", "~/project + postgres://me:***@a/d"),
        (f"https://{SECRET}@host/x", "https://***@host/x"),
        (f"https://me:{SECRET}@host/x@y", "https://***@host/x@y"),
        (f"ssh://me:{SECRET}@host/a@b", "ssh://me:***@host/a@b"),
        ("s3://bucket/a@b/c", "s3://bucket/a@b/c"),
        ("https://host/a?to=me@example.com", "https://host/a?to=me@example.com"),
        (
            f"s3://b/k?X-Amz-Signature={SECRET}&X-Amz-Credential={SECRET}&n=1",
            "s3://b/k?X-Amz-Signature=***&X-Amz-Credential=***&n=1",
        ),
        (f"https://x.blob/f?sv=1&sig={SECRET}", "https://x.blob/f?sv=1&sig=***"),
        (f"https://h/f?pass={SECRET}&authToken={SECRET}", "https://h/f?pass=***&authToken=***"),
        (f"me:{SECRET}@host/db", "me:***@host/db"),
        ("host:path/file@2", "host:path/file@2"),
        ("C:\\me@work\\app", "C:\\me@work\\app"),
        ("sample:crash-in-tool", "sample:crash-in-tool"),
        ("./odd: name@x", "./odd: name@x"),
    ],
)
def test_the_public_form(source: str, shown: str) -> None:
    assert public_source(source) == shown
    assert public_source(shown) == shown


def test_sentences_with_addresses() -> None:
    said = f"No server at postgres://me:{SECRET}@h/d, nor at `redis://:{SECRET}@h`."
    assert public_text(said) == "No server at postgres://me:***@h/d, nor at `redis://:***@h`."
    assert public_text("Write to me@example.com.") == "Write to me@example.com."


class Repeating:
    """A careless plugin: it repeats the source in everything it says."""

    kind = "careless"

    def recognises(self, source: str) -> float:
        return 0.9

    def open(self, source: str, **options: object) -> World:
        raise SourceUnreadable(f"I cannot open {source}.", hint=f"Look at {source[:20]}{source[20:]} again.")


@pytest.mark.parametrize(
    "source",
    [
        f"mysql://me:{SECRET}@h/d",
        f"mysql://{'m' * 190}:{SECRET}@h/d",
        f"me:{SECRET}@h/d",
        f"postgres://me:{SECRET}@h:notaport/d",
        f"https://me:{SECRET}@h",
        f"vercel://me:{SECRET}@team/a/b",
    ],
)
def test_no_refusal_repeats_a_password(source: str) -> None:
    with pytest.raises(EveReplayError) as caught:
        registry.open_world(source)
    said = caught.value
    assert SECRET not in f"{said} {said.args} {said.message} {said.hint}"
    for kind in ("local", "export", "bundle", "pgdump", "mongo"):
        with pytest.raises(EveReplayError) as caught:
            registry.open_world(source, kind=kind)
        assert SECRET not in f"{caught.value} {caught.value!r}", kind


def test_a_plugin_cannot_repeat_it_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_builtin", lambda: iter(()))
    monkeypatch.setattr(registry, "_plugins", lambda: iter([("careless", Repeating())]))
    with pytest.raises(SourceUnreadable) as caught:
        registry.open_world(f"odd://me:{SECRET}@h/with a blank")
    assert SECRET not in str(caught.value)
    assert "odd://me:***@h/with a blank" in caught.value.message


def test_an_unknown_source_is_still_named() -> None:
    with pytest.raises(UnknownSource, match=r"oracle://me:\*\*\*@h/d is no source"):
        registry.open_world(f"oracle://me:{SECRET}@h/d")
    for scheme in ("nats", "libsql", "cosmos"):
        with pytest.raises(SourceUnreadable) as caught:
            registry.open_world(f"{scheme}://me:{SECRET}@h/d")
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "source",
    [
        "postgres://bob:HUNT@ER2pw#x@host/db",
        "mysql://bob:a/b@host/db",
        "redis://:a#b@host",
        "postgres://b:a@c@h/d",
    ],
)
def test_a_password_that_ends_its_login_is_refused_and_not_shown(source):
    assert unescaped_login(source)
    with pytest.raises(WrongUse, match="%40") as caught:
        open_world(source)
    assert not any(part in str(caught.value) for part in ("HUNT", "ER2pw", "er2pw", "a/b", "a#b", "a@c"))


@pytest.mark.parametrize(
    "source",
    [
        "postgres://bob:HUNT%40ER@host/db",
        "postgres://host/db?user=me@place",
        "redis://h:1/0",
        "https://a/@b",
        "./a@b",
    ],
)
def test_other_logins_are_fine(source):
    assert not unescaped_login(source)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("host=h user=bob password=geheim77 dbname=x", "host=h user=bob password=*** dbname=x"),
        ("password = 'ge heim\\'77' host=h", "password=*** host=h"),
        ("Server=h;Pwd={a;b};Uid=me", "Server=h;Pwd=***;Uid=me"),
    ],
)
def test_a_password_of_keywords_is_hidden(source, shown):
    assert public_source(source) == shown
