"""Rules of services: each finds what it is for, and leaves texts, ids and placeholders alone."""

import random
import re
import string

import pytest

from eve_replay.codec import Payload
from eve_replay.records import RunRecord, StreamChunk, StreamRecord
from eve_replay.redaction.leaks import leaked, looks_random, rules_version
from eve_replay.redaction.redact import Redactor
from eve_replay.redaction.text import PLAIN
from eve_replay.worlds.bundle.write import find_secrets_in
from eve_replay.worlds.memory import MemoryWorld

PICK = random.Random(21)


def some(count, signs=string.ascii_letters + string.digits):
    return "".join(PICK.choice(signs) for _ in range(count))


HEX = "0123456789abcdef"
#: Made here, so that no file of the repository holds what scanners take for a leak.
SECRETS = {
    "groq": lambda: "gs" + "k_" + some(52),
    "xai": lambda: "xa" + "i-" + some(80),
    "perplexity": lambda: "pp" + "lx-" + some(48),
    "replicate": lambda: "r" + "8_" + some(37),
    "anthropic": lambda: "sk-" + "ant-api03-" + some(93) + "AA",
    "openai": lambda: "sk-" + "proj-" + some(74) + "T3BlbkFJ" + some(74),
    "github": lambda: "gh" + "p_" + some(36),
    "gitlab": lambda: "gl" + "pat-" + some(20),
    "slack webhook": lambda: "https://hooks.slack.com/services/T" + some(8) + "/B" + some(8) + "/" + some(24),
    "discord webhook": lambda: "https://discord.com/api/webhooks/" + some(18, "123456789") + "/" + some(68),
    "telegram": lambda: some(9, "123456789") + ":" + "AA" + some(33),
    "twilio": lambda: "S" + "K" + some(32, HEX),
    "mailgun": lambda: "key" + "-" + some(32, HEX),
    "pypi": lambda: "py" + "pi-AgEIcHlwaS5vcmc" + some(60),
    "notion": lambda: "nt" + "n_" + some(46),
    "azure": lambda: "Account" + "Key=" + some(86) + "==",
    "databricks": lambda: "da" + "pi" + some(32, HEX),
    "shopify": lambda: "shp" + "at_" + some(32, HEX),
    "airtable": lambda: "pa" + "t" + some(14) + "." + some(64, HEX),
    "doppler": lambda: "d" + "p.pt." + some(43),
    "vault": lambda: "h" + "vs." + some(95),
    "fly": lambda: "fo" + "1_" + some(43),
    "square": lambda: "sq" + "0atp-" + some(22),
    "braintree": lambda: "access_" + "token$production$" + some(16, HEX) + "$" + some(32, HEX),
    "google refresh": lambda: "1/" + "/0" + some(60),
    "fcm": lambda: some(11) + ":AP" + "A91b" + some(134),
    "pgp": lambda: "-----BEGIN PGP PRIVATE KEY" + " BLOCK-----\n" + some(200) + "\n-----END PGP",
    "npm": lambda: "np" + "m_" + some(36),
    "sendgrid": lambda: "S" + "G." + some(22) + "." + some(43),
    "langsmith": lambda: "lsv2" + "_pt_" + some(32, HEX) + "_" + some(10, HEX),
    "unknown to all": lambda: "Qz8" + some(45),
}
HARMLESS = (
    "The session of the customer was refunded on 2026-11-30 at 09:05:32, and nothing else happened.",
    "wrun_01M8NVET2Q9XT7ZZ1AMCAAJ64S",
    "step//./app/workflows/order//chargeCard",
    "mock-tool-call-1-0-1",
    "0196a6f0-8c2e-7c3b-9a54-0d3c2f1e5b6a",
    "xai-your-key-goes-in-this-place-please",
    "gsk_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "src/components/PaymentMethodSelectorWithFallback.tsx",
)


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_of_a_service_is_taken_out(name):
    for _ in range(5):
        secret = SECRETS[name]()
        text = f"I used {secret} for it."
        changed = Redactor(b"salt").plain({"note": text}, PLAIN)["note"]
        body = max(re.split(r"[^A-Za-z0-9_-]", secret), key=len)
        assert len(changed) == len(text) and body not in changed, name
        assert changed.startswith("I used ") and changed.endswith(" for it.")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text):
    redactor = Redactor(b"salt")
    assert redactor.plain({"note": text}, PLAIN)["note"] == text and not redactor.left


def test_what_may_be_one_is_listed():
    redactor = Redactor(b"salt")
    digest = some(64, HEX)
    assert redactor.plain({"note": f"built {digest}"}, PLAIN)["note"] == f"built {digest}"
    assert list(redactor.left) == [f"{digest[:4]}… (64 characters)"]


def test_rules_say_where_they_are_from():
    assert re.match(r"gitleaks v8\.\d+.*, 2\d\d rules, and \d+ of ours", rules_version())


def test_random_or_not():
    assert looks_random("aB3" + some(40)) and not looks_random("a" * 40 + "B3")
    assert not looks_random("PaymentMethodSelectorWithFallback2")


@pytest.mark.timeout(20)
def test_no_rule_takes_long_for_a_text_that_means_harm():
    for filler in ("a", " ", "-", "key=", "secret: ", 'password="', "s."):
        text = "kind: secret data: sk hooks.slack.com npm_ key-" + filler * (60_000 // len(filler))
        list(leaked(text))


def test_a_secret_over_many_chunks_of_a_stream():
    secret = "gs" + "k_" + some(52)
    parts = ["Take ", secret[:11], secret[11:30], secret[30:], " and go."]

    def frame(delta):
        import base64
        import json

        event = json.dumps({"type": "message.appended", "data": {"messageDelta": delta}}) + "\n"
        raw = b"devl" + json.dumps([["Uint8Array", 1], base64.b64encode(event.encode()).decode()]).encode()
        return len(raw).to_bytes(4, "big") + raw

    chunks = [StreamChunk(stream="s", chunk_id=f"chnk_{i}", data=frame(part)) for i, part in enumerate(parts)]
    run = RunRecord({"runId": "wrun_1", "status": "running", "input": Payload(b"devl[1]")})
    world = MemoryWorld(runs=[run], others=[StreamRecord({"runId": "wrun_1", "name": "s"})], chunks=chunks)
    first = Redactor(b"salt")
    find_secrets_in(world, first)
    second = Redactor(b"salt", deltas=first.deltas, literals=first.found)
    from eve_replay.codec import session_events

    said = [event["data"]["messageDelta"] for _, event in session_events(second.chunks(chunks, "wrun_1"))]
    assert len(said) == 5 and said[0] == parts[0] and said[4] == parts[4]
    assert not any(piece in "".join(said) for piece in parts[1:4])
    assert list(map(len, said)) == list(map(len, parts))
