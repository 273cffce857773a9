"""The hosted world against a local server: recorded exchanges, paging, trouble, keys, tokens."""

from __future__ import annotations

import base64
import functools
import json
import secrets
import traceback

import cbor2
import pytest

from eve_replay.cli import run as run_cli
from eve_replay.codec import KeyRing, derive_run_key
from eve_replay.errors import EveReplayError, SourceUnreadable, UnknownSource, WrongUse
from eve_replay.journal import Journal
from eve_replay.journal.effects.build import effects_of
from eve_replay.values import Undecoded
from eve_replay.worlds.contract import check_world
from eve_replay.worlds.dump import dump_document
from eve_replay.worlds.hosted.client import HostedClient
from eve_replay.worlds.hosted.opener import opener
from eve_replay.worlds.hosted.wire_frames import read_frames
from eve_replay.worlds.hosted.world import HostedWorld, Site
from eve_replay.worlds.registry import open_world
from tests.support.corpus import scenario
from tests.support.hosted_server import FRAMES, Reply, Served, frame, recorded, serving

TOKEN = "tok_" + secrets.token_hex(12)


@functools.cache
def pg(name="eve_approval"):
    return open_world(str(scenario(f"postgres/{name}") / "final" / "dump.sql"))


def quick(url, **client):
    site = Site(base=url, token=TOKEN)
    asker = HostedClient(base=url, headers=site.headers(), sleep=lambda _: None, **{"timeout": 5.0, **client})
    return HostedWorld(site, client=asker)


def comparable(world):
    """What both worlds hold. Waits of the hosted world come from events: no ``updatedAt``, other times."""
    document = dump_document(world)
    del document["world"]
    document["waits"] = [
        {k: w[k] for k in ("waitId", "runId", "status", "resumeAt")} for w in document["waits"]
    ]
    return json.loads(json.dumps(document))


@pytest.mark.parametrize("name", ["eve_approval", "sdk5_rich", "sdk5_sleephook"])
@pytest.mark.parametrize("page", [1000, 3])
def test_served_records_are_those_of_the_database(name, page):
    with serving(Served(pg(name), page=page, lazy="yes"), token=TOKEN) as server:
        world = open_world(server.url, token=TOKEN)
        expected = comparable(pg(name))
        found = comparable(world)
        assert found == expected
        assert world.receipt.clean, world.receipt.problems
        assert server.methods == {"GET"}
        assert all(headers["authorization"] == f"Bearer {TOKEN}" for *_, headers in server.log)


@pytest.mark.parametrize(
    "name", ["eve_approval.http-client5b50", "sdk5_rich.http-client474", "sdk5_rich.http-client5b50"]
)
def test_recorded_exchanges_read_as_the_database(name):
    folder = scenario("hosted/exchanges")
    with serving(recorded((folder / f"{name}.ndjson").read_text("utf-8"))) as server:
        found = comparable(open_world(server.url))
    expected = comparable(pg(name.partition(".")[0]))
    for section in ("runs", "steps", "events", "hooks", "streams"):
        assert found[section] == expected[section], section


@pytest.mark.parametrize("name", ["eve_approval", "sdk5_sleephook"])
def test_records_are_what_the_vendors_client_makes_of_them(name):
    folder = scenario("hosted/exchanges")
    client = json.loads((folder / f"{name}.client5b50.json").read_text("utf-8"))
    with serving(recorded((folder / f"{name}.http-client5b50.ndjson").read_text("utf-8"))) as server:
        world = open_world(server.url)
        for entry in client["runs"]:
            run = world.run(entry["run"]["runId"])
            assert run.status == entry["run"]["status"]
            assert run.fields["createdAt"] == entry["run"]["createdAt"]
            steps = {step["stepId"]: step for step in entry["steps"]["data"]}
            ours = list(world.steps(run.run_id))
            assert {step.step_id for step in ours} == set(steps)
            for step in ours:
                theirs = steps[step.step_id]
                assert (step.status, step.attempt) == (theirs["status"], theirs["attempt"])
            events = [(e.event_id, e.event_type) for e in world.events(run.run_id)]
            assert events == [(e["eventId"], e["eventType"]) for e in entry["events"]["data"]]


def test_the_contract_holds():
    with serving(Served(pg("sdk5_sleephook"))) as server:
        assert check_world(lambda: open_world(server.url))


def test_a_cut_stream_of_events_is_resumed():
    with serving(Served(pg(), cut_frames=4)) as server:
        world = quick(server.url)
        for run in pg().runs():
            assert [e.event_id for e in world.events(run.run_id)] == [
                e.event_id for e in pg().events(run.run_id)
            ]
        assert "resumed" in {p.code for p in world.receipt.problems}
        assert any(query.get("cursor", "").startswith("eid:") for _, query, _ in server.log)


def test_an_error_frame_ends_the_events_and_is_said():
    with serving(Served(pg(), error_after=2)) as server:
        world = quick(server.url)
        run = next(iter(pg().runs()))
        assert len(list(world.events(run.run_id))) == 2
        assert "payload-missing" in {p.code for p in world.receipt.problems}
        assert not world.receipt.clean
        assert "gave up after 2 events" in world.receipt.missing("events", run.run_id)
        assert not world.receipt.missing("events", "wrun_of_another")


def test_a_log_that_was_cut_on_the_way_bounds_no_count():
    """The record counts more starts than what arrived of the log shows: at least once, and no upper end."""
    whole = pg()
    run = next(each for each in whole.runs() if any(s.attempt for s in whole.steps(each.run_id)))
    events = [event.event_type for event in whole.events(run.run_id)]
    with serving(Served(whole, error_after=events.index("step_started") + 1)) as server:
        session = Journal(quick(server.url)).session(run.run_id)
        assert session.missing("events")
        cut = [effect for effect in effects_of(session) if effect.unlogged is not None]
        assert cut and all(e.executions.max is None and e.certainty == "unknown" for e in cut)


def test_it_waits_as_long_as_the_server_asks():
    slept = []
    with serving(Served(pg())) as server:
        server.trouble = [
            Reply(b"", 429, headers={"Retry-After": "7"}),
            Reply(b"", 503),
            Reply(b"", 429, headers={"Retry-After": "99999"}),
        ]
        world = quick(server.url)
        world._client.sleep = slept.append
        assert list(world.runs())
        assert slept == [7.0, 0.5, 30.0]


def test_a_server_that_stays_down_is_one_sentence():
    with serving(Served(pg())) as server:
        server.trouble = [Reply(b"", 502)] * 9
        with pytest.raises(SourceUnreadable, match="status 502 after 4 tries"):
            list(quick(server.url).runs())
    with pytest.raises(SourceUnreadable, match="nothing listens there"):
        list(quick(server.url).runs())


def test_slow_answers_time_out_and_are_asked_again():
    with serving(Served(pg())) as server:
        server.trouble = [Reply(b"", delay=0.5)]
        assert list(quick(server.url, timeout=0.2).runs())
        server.trouble = [Reply(b"", delay=0.3)] * 9
        with pytest.raises(SourceUnreadable, match="too long"):
            list(quick(server.url, timeout=0.1, tries=2).runs())


def test_cut_and_malformed_answers_are_named_and_keep_what_is_there():
    run = next(iter(pg().runs())).run_id
    whole = Served(pg())(f"/api/v4/runs/{run}/events", {})
    half = whole.body[: len(whole.body) // 2]
    with serving(Served(pg())) as server:
        world = quick(server.url)
        server.trouble = [Reply(half, kind=FRAMES, length=len(whole.body))]
        assert len(list(world.events(run))) == len(list(pg().events(run)))
        assert "cut-answer" in {p.code for p in world.receipt.problems}
        world = quick(server.url)
        server.trouble = [Reply(b"\xbf\x61")]
        assert list(world.runs()) == []
        assert not world.receipt.clean
        server.trouble = [Reply(b"<html>", kind="text/html")]
        assert list(quick(server.url).runs()) == []
        server.trouble = [Reply(cbor2.dumps([1, 2]))]
        with pytest.raises(SourceUnreadable):
            quick(server.url).run(run)
        page = {"data": [], "hasMore": True, "cursor": None}
        server.trouble = [Reply(cbor2.dumps(page))]
        world = quick(server.url)
        assert list(world.runs()) == []
        assert "lost-cursor" in {p.code for p in world.receipt.problems}


@pytest.mark.parametrize("cut", range(0, 120, 7))
def test_damaged_frames_never_raise(cut):
    data = frame({"eventId": "evnt_1", "eventType": "run_started"}) * 2 + frame({"_end": 1, "hasMore": False})
    batch = read_frames(data[:cut])
    assert batch.truncated or not batch.damage
    assert len(read_frames(data[:cut] + b"\xff" * 40).frames) <= 3


def test_references_that_stay_are_unknown_and_never_empty():
    with serving(Served(pg("sdk5_rich"), lazy="always")) as server:
        world = quick(server.url)
        run = next(iter(world.runs()))
        payload = run.payload("input")
        assert isinstance(payload.value, Undecoded)
        assert payload.value.reason == "unresolved-ref"


def encr(raw, key):
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = bytes(12)
    return b"encr" + nonce + AESGCM(key).encrypt(nonce, raw, None)


def test_encrypted_payloads_open_with_a_run_key_and_with_a_deployment_key():
    run_key = bytes(range(32))
    expected = comparable(pg("sdk5_rich"))
    with serving(Served(pg("sdk5_rich"), encrypt=lambda raw, run: encr(raw, run_key))) as server:
        world = open_world(server.url, keys=KeyRing(default=run_key))
        assert comparable(world)["steps"] == expected["steps"]
        sealed = open_world(server.url)
        assert dump_document(sealed)["steps"][0]["input"]["error"]["name"] == "missing-key"
    deployment = bytes(range(32, 64))
    served = Served(
        pg("sdk5_rich"),
        prefix="",
        encrypt=lambda raw, run: encr(raw, derive_run_key(deployment, "prj_1", run)),
    )
    with serving(served) as server:
        source = f"{server.url}/?team=team_1&project=prj_1"
        world = open_world(source, deployment_key=base64.b64encode(deployment).decode())
        assert comparable(world)["events"] == expected["events"]
        assert all(headers["x-vercel-project-id"] == "prj_1" for *_, headers in server.log)


def test_sealed_payloads_of_the_vendor_open():
    payloads = json.loads((scenario("hosted/exchanges") / "payloads.json").read_text("utf-8"))
    key = base64.b64decode(payloads["run_key_base64"])
    by_plain = {
        base64.b64decode(i["plain_base64"]): base64.b64decode(i["encp_base64"]) for i in payloads["items"]
    }
    with serving(Served(pg("sdk5_rich"), encrypt=lambda raw, run: by_plain.get(raw, raw))) as server:
        world = open_world(server.url, keys=KeyRing(default=key))
        assert comparable(world)["steps"] == comparable(pg("sdk5_rich"))["steps"]
        layers = {s.payload("input").layers for r in world.runs() for s in world.steps(r.run_id)}
        assert any(layer[0] == "encp" for layer in layers)


def test_the_key_route_is_asked_only_on_request_and_that_is_said():
    key = bytes(range(32))
    served = Served(pg("sdk5_rich"), prefix="", encrypt=lambda raw, run: encr(raw, key))

    def answer(path, query):
        if path.startswith("/run-key/"):
            body = json.dumps({"key": base64.b64encode(key).decode()}).encode()
            return Reply(body, kind="application/json")
        return served(path, query)

    with serving(answer) as server:
        source = f"{server.url}/?team=team_1&project=prj_1"
        plain = open_world(source)
        dump_document(plain)
        assert not any(path.startswith("/run-key") for path, *_ in server.log)
        world = open_world(source, fetch_keys=True)
        assert comparable(world)["steps"] == comparable(pg("sdk5_rich"))["steps"]
        assert any("audit" in p.message for p in world.receipt.problems)
        keys = [query for path, query, _ in server.log if path.startswith("/run-key")]
        assert keys and keys[0]["projectId"] == "prj_1" and keys[0]["teamId"] == "team_1"


def test_a_wrong_token_is_refused_and_never_shown(capsys, monkeypatch):
    monkeypatch.setenv("VERCEL_TOKEN", "tok_wrong_secret_value")
    monkeypatch.setenv("EVE_REPLAY_TOKEN_HOSTS", "127.0.0.1")
    with serving(Served(pg()), token=TOKEN) as server:
        for words in (["runs", server.url], ["dump", server.url], ["receipt", server.url, "--json"]):
            assert run_cli(words) == 3
        world = open_world(server.url, token="tok_wrong_secret_value")
        with pytest.raises(SourceUnreadable, match="refused the token") as caught:
            list(world.runs())
    shown = capsys.readouterr()
    everything = "".join((
        shown.out, shown.err, repr(world), repr(vars(world)), str(world.about), world.label,
        repr(world.receipt), repr(world._client), repr(world._site),
        "".join(traceback.format_exception(caught.value)),
    ))  # fmt: skip
    assert "tok_wrong" not in everything
    assert "VERCEL_TOKEN" in shown.err


def test_the_command_line_takes_the_token_from_the_environment(capsys, monkeypatch):
    monkeypatch.delenv("VERCEL_TOKEN", raising=False)
    monkeypatch.setenv("WORKFLOW_VERCEL_AUTH_TOKEN", TOKEN)
    monkeypatch.setenv("EVE_REPLAY_TOKEN_HOSTS", "other.example, 127.0.0.1")
    with serving(Served(pg()), token=TOKEN) as server:
        assert run_cli(["runs", server.url, "--json"]) == 0
        out = capsys.readouterr()
        assert len(json.loads(out.out)["runs"]) == 4
        assert TOKEN not in out.out + out.err
    assert run_cli(["runs", str(scenario("postgres/eve_approval") / "final"), "--fetch-keys"]) == 2


def test_the_token_goes_only_to_hosts_it_belongs_to(capsys, monkeypatch):
    """Opening an address that somebody sends must not hand them the token."""
    monkeypatch.setenv("VERCEL_TOKEN", TOKEN)
    monkeypatch.delenv("EVE_REPLAY_TOKEN_HOSTS", raising=False)
    with serving(Served(pg()), token=TOKEN) as server:
        assert run_cli(["runs", server.url]) == 3  # this machine is asked, without the token
        assert server.log and all("authorization" not in str(line).lower() for line in server.log)
    assert run_cli(["runs", "https://runs.example.invalid/x"]) == 3
    shown = capsys.readouterr()
    assert "not sent to runs.example.invalid" in shown.err and TOKEN not in shown.out + shown.err
    assert "EVE_REPLAY_TOKEN_HOSTS=runs.example.invalid" in shown.err


def test_redirects_are_not_followed():
    with serving(Served(pg())) as server:
        server.trouble = [Reply(b"", 302, headers={"Location": "http://127.0.0.1:9/"})]
        with pytest.raises(SourceUnreadable, match="redirect"):
            list(quick(server.url).runs())


@pytest.mark.parametrize(
    ("source", "error", "words"),
    [
        ("vercel://team", WrongUse, "vercel://TEAM/PROJECT"),
        ("vercel://team/project", SourceUnreadable, "needs a token"),
        ("http://example.com", SourceUnreadable, "Plain http"),
        ("https://u:p@example.com", WrongUse, "password"),
        ("https://", UnknownSource, "no host"),
    ],
)
def test_addresses_that_make_no_sense(source, error, words):
    assert opener.recognises(source) >= 0.5
    with pytest.raises(error) as caught:
        opener.open(source)
    assert words in str(caught.value)
    assert isinstance(caught.value, EveReplayError)
