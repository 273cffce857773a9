"""Redaction: planted secrets are gone from the raw file, and the analysis answers as before."""

from __future__ import annotations

import base64
import io
import json

import pytest
import zstandard

from eve_replay.cli import run as run_cli
from eve_replay.codec import KeyRing, Payload
from eve_replay.records import EventRecord, HookRecord, RunRecord, StepRecord, StreamChunk, StreamRecord
from eve_replay.redaction.devalue import redact_devalue
from eve_replay.redaction.redact import Redactor
from eve_replay.redaction.rules import Stand, find_secrets, is_secret_name, luhn
from eve_replay.redaction.text import TextRedactor
from eve_replay.values import JsBytes, Undecoded
from eve_replay.worlds.bundle.world import BundleWorld
from eve_replay.worlds.bundle.write import find_secrets_in, write_bundle
from eve_replay.worlds.memory import MemoryWorld
from tests.support.corpus import data

RUN = "wrun_01M8NVB9PFBX65D9CBNMJXQYNB"
STREAM = "strm_01M8NVB9PFBX65D9CBNMJXQYNB_user"
SECRETS = {
    "password": "Tr0ub4dor-and-3",
    "bearer": "Zm9vYmFyLXRva2VuLTEyMzQ1Njc4",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "api": "sk-live-51Habcdefghijklmnopqrst",
    "github": "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "mail": "jane.doe+shop@customer-mail.example",
    "card": "4111 1111 1111 1111",
    "cookie": "session=9f8e7d6c5b4a; theme=dark",
    "hook": "approve-7c9e6679-order",
    "url": "postgres://app:s3cr3tPw@db.internal/x",
}  # fmt: skip


def devl(text):
    return b"devl" + text.encode()


def flat(value):
    """A devalue document of JSON data (every value an entry)."""
    entries = []

    def put(item):
        index = len(entries)
        entries.append(None)
        if isinstance(item, dict):
            entries[index] = {key: put(each) for key, each in item.items()}
        elif isinstance(item, list):
            entries[index] = [put(each) for each in item]
        else:
            entries[index] = item
        return index

    put(value)
    return json.dumps(entries, separators=(",", ":"), ensure_ascii=False)


def planted_world():
    s = SECRETS
    step_input = {
        "args": [
            {
                "password": s["password"],
                "headers": {"Authorization": f"Bearer {s['bearer']}", "Cookie": s["cookie"]},
                "text": f"Write to {s['mail']} with {s['api']} or {s['github']}, card {s['card']}.",
                "json": json.dumps({"nested": json.dumps({"token": s["jwt"], "to": s["mail"]})}),
                "b64": base64.b64encode(json.dumps({"key": s["api"], "to": s["mail"]}).encode()).decode(),
                "url": s["url"],
                "pairs": [["authorization", f"Basic {s['bearer']}"], ["x-api-key", s["github"]]],
                "har": [{"name": "cookie", "value": s["cookie"]}],
                "echo": f"she said the password is {s['password']}, really",
                "pin": 4711,
                s["mail"]: "as a key",
            }
        ]
    }
    text = flat(step_input)
    zipped = b"zstd" + zstandard.ZstdCompressor().compress(devl(text))
    event = {"type": "message.completed", "data": {"message": f"Sent to {s['mail']} using {s['jwt']}"}}
    line = base64.b64encode((json.dumps(event) + "\n").encode()).decode()
    frame = devl(f'[["Uint8Array",1],"{line}"]')
    chunk = len(frame).to_bytes(4, "big") + frame
    error = {"message": f"401 for {s['api']}", "stack": f"at {s['mail']}"}
    return MemoryWorld(
        runs=[
            RunRecord(
                {
                    "runId": RUN,
                    "status": "failed",
                    "workflowName": "workflow//./w//pay",
                    "attributes": {"$eve.title": f"Mail {s['mail']}", "note": s["api"]},
                    "error": Payload.plain(error),
                    "input": Payload(devl(text)),
                }
            )
        ],
        steps=[
            StepRecord(
                {"runId": RUN, "stepId": "step_1", "stepName": "step//./w//pay", "input": Payload(zipped)}
            )
        ],
        events=[
            EventRecord(
                {
                    "runId": RUN,
                    "eventId": "evnt_1",
                    "eventType": "hook_created",
                    "correlationId": "hook_1",
                    "eventData": {"token": s["hook"], "metadata": Payload(devl(text))},
                }
            )
        ],
        others=[
            HookRecord({"runId": RUN, "hookId": "hook_1", "token": s["hook"]}),
            StreamRecord({"runId": RUN, "name": STREAM}),
        ],
        chunks=[
            StreamChunk(stream=STREAM, chunk_id="chnk_1", data=chunk[:50]),
            StreamChunk(stream=STREAM, chunk_id="chnk_2", data=chunk[50:]),
            StreamChunk(stream=STREAM, chunk_id="chnk_3", data=b"", end=True),
        ],
        label=f"/home/{s['mail']}/project",
    )  # fmt: skip


def redacted(world, **how):
    first = Redactor(b"salt", **how)
    literals = find_secrets_in(world, first)
    redactor = Redactor(b"salt", literals=literals, **how)
    file = io.BytesIO()
    write_bundle(world, file, redactor=redactor)
    return file.getvalue(), redactor


def raw_text(content):
    return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(content), read_across_frames=True).read()


def forms(secret):
    """A secret as it is, in JSON, and in base64 at every alignment."""
    yield secret.encode()
    yield json.dumps(secret)[1:-1].encode()
    for shift in range(3):
        coded = base64.b64encode(b"x" * shift + secret.encode())
        yield coded[4 if shift else 0 : (shift + len(secret)) // 3 * 4]


def test_the_secrets_are_there_when_nothing_is_redacted():
    file = io.BytesIO()
    write_bundle(planted_world(), file)
    raw = raw_text(file.getvalue())
    for name, secret in SECRETS.items():
        assert any(form in raw for form in forms(secret)), name


@pytest.mark.parametrize("mask_all", [False, True])
def test_no_planted_secret_is_in_the_raw_file(mask_all):
    content, redactor = redacted(planted_world(), mask_all=mask_all)
    raw = raw_text(content)
    world = BundleWorld(io.BytesIO(content), "x")
    opened = [raw]
    for run in world.runs():
        for step in world.steps(run.run_id):
            opened.append(json.dumps(step.payload("input").tagged(), ensure_ascii=False).encode())
        opened += [chunk.data for chunk in world.stream(RUN, STREAM)]
    for name, secret in SECRETS.items():
        parts = [secret, "s3cr3tPw"] if name == "url" else [secret]
        for part in parts if name != "url" else parts[1:]:
            for form in forms(part):
                assert not any(form in text for text in opened), (name, form)
    assert b"4711" not in raw.split(b'"pin"')[-1][:200]
    counted = set(redactor.counts)
    assert {"secret field", "e-mail", "jwt", "api key", "card number", "hook token"} <= counted
    assert not any(secret in repr(redactor.counts) for secret in SECRETS.values())


def test_structure_sizes_and_equality_stay():
    world = planted_world()
    content, _ = redacted(world)
    bundle = BundleWorld(io.BytesIO(content), "x")
    before, after = next(world.steps(RUN)), next(bundle.steps(RUN))
    old, new = before.payload("input"), after.payload("input")
    assert new.layers == old.layers and new.text_size == old.text_size
    assert isinstance(new.value, dict) and not isinstance(new.value, Undecoded)
    args = new.value["args"][0]
    assert list(args)[:-1] == list(old.value["args"][0])[:-1]
    assert len(args["password"]) == len(SECRETS["password"])
    assert args["password"] in args["echo"], "the same secret has the same stand-in"
    assert json.loads(json.loads(args["json"])["nested"]).keys() == {"token", "to"}
    assert json.loads(base64.b64decode(args["b64"])).keys() == {"key", "to"}
    assert args["text"].startswith("Write to ") and args["text"].endswith(".")
    hook = next(iter(bundle.others(RUN)))
    event = next(bundle.events(RUN))
    assert hook.fields["token"] == event.data["token"] != SECRETS["hook"]
    assert [len(c.data) for c in bundle.stream(RUN, STREAM)] == [
        len(c.data) for c in world.stream(RUN, STREAM)
    ]


def test_two_salts_give_two_stand_ins():
    assert Stand(b"a")("secret-1") != Stand(b"b")("secret-1")
    text = "Ünï Ab9 漢字 🙂 \ud83d \x00\n-_"
    other = Stand(b"a")(text)
    assert len(other) == len(text)
    sizes = [len(t.encode("utf-8", "surrogatepass")) for t in (text, other)]
    assert sizes[0] == sizes[1]
    assert [c for c in other if not c.isalnum()][-4:] == ["\x00", "\n", "-", "_"]


@pytest.mark.parametrize("mode", ["--redact", "--redact-all"])
@pytest.mark.parametrize(
    "source",
    [
        "crash-in-tool", "batch-crash", "approval-hold", "attempts-exhausted-throw-then-kill", "subagent",
        "pay-with-key", "steering", "local-sdk/local5_rich", "local-sdk/local4_sleephook",
        "postgres/eve_crash",
        "redis/redisr_retry", "older-0.20.0",
    ],
)  # fmt: skip
def test_the_analysis_answers_as_before(source, mode, tmp_path, capsys):
    where, file = str(data(source)), str(tmp_path / "x.everun")
    assert run_cli(["pack", where, "-o", file, mode]) in (0, 1)
    capsys.readouterr()
    found = []
    for place in (where, file):
        run_cli(["why", place, "--json", "--now", "2026-11-30T12:00:00Z"])
        sessions = json.loads(capsys.readouterr().out)["sessions"]
        run_cli(["attempts", place, "--json"])
        steps = json.loads(capsys.readouterr().out)["steps"]
        found.append((
            [(s["sessionId"], s["status"]) for s in sessions],
            [(v["code"], v["certainty"]) for s in sessions for v in s["verdicts"]],
            [
                (e["tool"], e["callId"], e["executions"], e["certainty"])
                for s in sessions for e in s["effects"]
            ],
            [
                (s["stepId"], s["status"], s.get("action"), [
                    (a["n"], a["outcome"], a["startedAt"], [c["callId"] for c in a["toolCalls"]])
                    for a in s["attempts"]
                ])
                for s in steps
            ],
        ))  # fmt: skip
    assert found[0] == found[1]


@pytest.mark.parametrize("command", ["runs", "why", "attempts", "turns", "receipt", "doctor", "search x"])
def test_every_command_says_that_it_is_redacted(command, tmp_path, capsys):
    file = str(tmp_path / "x.everun")
    run_cli(["pack", "sample:crash-in-tool", "-o", file, "--redact-all"])
    capsys.readouterr()
    name, *words = command.split()
    run_cli([name, file, *words])
    shown = " ".join((out := capsys.readouterr()).err.split()) + " ".join(out.out.split())
    assert "is redacted" in shown
    run_cli([name, file, *words, "--json"])
    document = json.loads(capsys.readouterr().out)
    assert "redacted" in {problem["code"] for problem in document["receipt"]["problems"]}


def test_encrypted_payloads_stay_or_go_by_choice_and_open_with_a_key():
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    key = bytes(32)
    raw = (
        b"encr"
        + bytes(12)
        + AESGCM(key).encrypt(bytes(12), devl(flat({"password": SECRETS["password"]})), None)
    )
    world = MemoryWorld(
        runs=[RunRecord({"runId": RUN, "status": "running", "input": Payload(raw, run_id=RUN)})]
    )

    def stored(**how):
        content, redactor = redacted(world, **how)
        return BundleWorld(io.BytesIO(content), "x").run(RUN).payload("input"), redactor.counts

    kept, counts = stored()
    assert kept.raw == raw and counts["kept encrypted"] == 1
    dropped, counts = stored(drop_encrypted=True)
    assert dropped.raw == b"encr" + bytes(len(raw) - 4) and counts["dropped encrypted"] == 1
    opened, _ = stored(keys=KeyRing(default=key))
    assert opened.layers == ("devl",)
    assert len(opened.value["password"]) == len(SECRETS["password"])
    assert opened.value["password"] != SECRETS["password"]


def test_what_nobody_can_read_is_blanked():
    world = MemoryWorld(runs=[RunRecord({"runId": RUN, "input": Payload(b"devl[secret garbage")})])
    content, redactor = redacted(world)
    assert BundleWorld(io.BytesIO(content), "x").run(RUN).payload("input").raw == b"devl" + bytes(15)
    assert redactor.counts["undecodable"] == 1


@pytest.mark.parametrize(
    "text",
    [
        '[["Date",1],"2026-01-02T03:04:05.678Z"]', '[["URL",1],"https://example.com:8080/p?q=jane"]',
        '[["RegExp",1],{"source":2,"flags":3},"^[a-z]+(?:b|c)","gi"]',
        '[["BigInt",1],"12345678901234567890"]',
        '[["Map",1],[2],[3,4],"password","Hunter2xx"]', '[["Set",1],[2],"a text"]',
        "[-1]", "-1", "[[1,-2],3]",
        '[["Uint8Array",1],"/////w=="]', '["\\u0000\\ud83d \\"q\\""]', '[["null","key",1],"value text"]',
        '[["Error",1],{"message":2,"stack":3},"Sorry Jane","Error: Sorry Jane\\n  at x"]',
        '[{"status":1,"password":1},"completed"]',
    ],
)  # fmt: skip
def test_masked_values_still_decode_to_the_same_kind(text):
    for mask_all in (False, True):
        changed = redact_devalue(text, TextRedactor(Stand(b"s"), mask_all=mask_all))
        before, after = Payload(devl(text)), Payload(devl(changed))
        assert type(after.value) is type(before.value)
        assert not isinstance(after.undecoded, Undecoded) or before.undecoded is not None
    if "completed" in text:
        value = Payload(devl(redact_devalue(text, TextRedactor(Stand(b"s"))))).value
        assert value["status"] == "completed" != value["password"]


def test_binary_data_and_schemas():
    redactor = TextRedactor(Stand(b"s"))
    assert redactor.data(b"\xff\xfe" + SECRETS["mail"].encode()).find(b"customer") < 0
    assert TextRedactor(Stand(b"s"), mask_all=True).data(b"\xff\xfe\x01") == bytes(3)
    schema = '{"password":{"type":"string"},"inputTokens":12,"tokens":5}'
    assert redactor.json(schema) == schema
    assert isinstance(JsBytes("Uint8Array", b""), JsBytes)


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("password", True), ("userPassword", True), ("apiKey", True), ("API_KEY", True), ("x-api-key", True),
        ("Set-Cookie", True), ("accessToken", True), ("clientSecret", True), ("tokens", False),
        ("token", True),
        ("inputTokens", False), ("key", False), ("author", False), ("passenger", False), ("spinner", False),
    ],
)  # fmt: skip
def test_names_of_secrets(name, secret):
    assert is_secret_name(name) is secret


def test_card_numbers_need_their_check_digit():
    assert luhn("4111111111111111") and not luhn("4111111111111112")
    assert not list(find_secrets("order 1700000000000, evnt_00000000000000000000000003, 4111111111111112"))
    assert [rule for rule, *_ in find_secrets("4111-1111-1111-1111")] == ["card number"]
    assert not list(find_secrets("step//eve@0.80.1//turnStep dpl_local@1.0.0"))
