"""A crash test of somebody's own tool: what it does in peace is what was wanted."""

import pytest

from eve_replay.errors import WrongUse
from eve_replay.workshop.own_tool import crash_test


def bare(input, ctx, outside):
    outside.payments.charge(input["order"], input["cents"])
    outside.mail.send(input["to"], "Thank you", key=f"thanks {input['order']}")
    return {"status": "done"}


def keyed(input, ctx, outside):
    outside.payments.charge(input["order"], input["cents"], key=f"pay {input['order']}")
    outside.mail.send(input["to"], "Thank you", key=f"thanks {input['order']}")
    return {"status": "done"}


ORDERS = (
    {"order": "o1", "cents": 100, "to": "a@example.com"},
    {"order": "o2", "cents": 100, "to": "b@x.org"},
)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_it_does_in_peace_must_happen_once(language):
    verdict = crash_test(bare, *ORDERS, language=language)
    assert not verdict.passed and verdict.code == "no-key" and verdict.story and "o1" in verdict.headline
    assert crash_test(keyed, *ORDERS, language=language).passed


def test_a_key_of_the_call_id_does_not_hold_with_a_real_model():
    def minted(input, ctx, outside):
        outside.payments.charge(input["order"], input["cents"], key=ctx.call_id)

    assert crash_test(minted, ORDERS[0]).code == "key-changed"
    assert crash_test(minted, ORDERS[0], model="same").passed


def test_nothing_to_test_is_said():
    with pytest.raises(WrongUse):
        crash_test(bare)
    with pytest.raises(WrongUse, match="nothing outside"):
        crash_test(lambda input, ctx, outside: None, {})
