"""The effects policy, and what a name alone suggests."""

import pytest

from eve_replay.errors import WrongUse
from eve_replay.journal.effects.policy import EffectsPolicy, Protection, hint_for, runtime_step, split_words

TOML = """
default = "unprotected"
[tools.charge_card]
class = "keyed"
by = "business-id"
key = "$.input.order"
ledger = "charge"
note = "orders are charged once"
[tools."get_*"]
class = "read-only"
[tools]
send_email = "keyed:call-id"
restart_service = { class = "approval-gated" }
[steps]
"*//chargeCard" = "claimed"
"""


def test_a_policy_file(tmp_path):
    path = tmp_path / "effects.toml"
    path.write_text(TOML)
    policy = EffectsPolicy.load(path)
    rule = policy.rule_for("charge_card")
    assert (rule.protection.klass, rule.protection.by, rule.key_path) == (
        "keyed",
        "business-id",
        "$.input.order",
    )
    assert rule.ledger == ("charge",)
    assert policy.rule_for("get_weather").protection.klass == "read-only"
    assert policy.rule_for("send_email").protection.by == "call-id"
    assert policy.rule_for("restart_service").protection.approval
    assert policy.rule_for("chargeCard", "step//./app//chargeCard").protection.klass == "claimed"
    assert policy.rule_for("other") is None
    assert policy.default.klass == "unprotected"
    assert str(path) == policy.origin


def test_a_dict_and_its_short_form():
    policy = EffectsPolicy.load({"charge_card": "keyed:coordinates", "default": "unknown"})
    assert policy.rule_for("charge_card").protection.by == "coordinates"
    assert EffectsPolicy.load(policy) is policy
    assert EffectsPolicy.load(None).rules == ()


def test_an_exact_name_beats_a_pattern():
    policy = EffectsPolicy.load({"tools": {"*": "unprotected", "pay": "claimed"}})
    assert policy.rule_for("pay").protection.klass == "claimed"


@pytest.mark.parametrize(
    "data",
    [
        {"charge": "sometimes"},
        {"charge": {"class": "keyed", "by": "moon"}},
        {"charge": 5},
        {"tools": {"charge": ["keyed"]}},
    ],
)
def test_mistakes_are_named(data):
    with pytest.raises(WrongUse, match="charge"):
        EffectsPolicy.load(data)


def test_files_that_cannot_be_used(tmp_path):
    with pytest.raises(WrongUse, match="cannot be read"):
        EffectsPolicy.load(tmp_path / "none.toml")
    bad = tmp_path / "bad.toml"
    bad.write_text("[tools\n")
    with pytest.raises(WrongUse, match="not valid TOML"):
        EffectsPolicy.load(bad)
    bad.write_bytes(b"\xff\xfe")
    with pytest.raises(WrongUse, match="not valid TOML"):
        EffectsPolicy.load(bad)


@pytest.mark.parametrize(
    ("protection", "survives"),
    [
        (Protection(klass="keyed", by="call-id"), None),
        (Protection(klass="keyed", by="coordinates"), True),
        (Protection(klass="keyed", by="attempt"), False),
        (Protection(klass="claimed"), True),
        (Protection(klass="check-then-act"), None),
        (Protection(klass="unprotected"), False),
        (Protection(klass="unknown"), None),
    ],
)
def test_what_survives_a_re_run(protection, survives):
    assert protection.survives is survives


def test_hints_are_marked_and_cautious():
    assert (hint_for("get_weather").klass, hint_for("get_weather").source) == ("read-only", "hint")
    assert hint_for("lookUp").klass == "read-only"
    assert hint_for("charge_card").klass == "unknown" and hint_for("charge_card").source == "hint"
    assert hint_for("check_then_pay").source == "none"
    assert hint_for("").source == "none"
    assert "(guessed from the name)" in hint_for("get_weather").word
    assert Protection(klass="keyed", by="call-id", approval=True).word == "keyed by call id, approval-gated"


def test_words_and_runtime_modules():
    assert split_words("checkThenAct_now-ok") == ("check", "then", "act", "now", "ok")
    assert runtime_step("eve") and runtime_step("@workflow/core") and not runtime_step("./app")
