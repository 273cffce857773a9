"""The outside: what acts, what a key absorbs, what a claim loses, and what lands late."""

from eve_replay.crashtest.model import Stub
from eve_replay.crashtest.provider import Provider, Request


def post(path="/charge", order="o1", key=None, method="POST"):
    headers = {"idempotency-key": key} if key else {}
    return Request(method=method, host="pay.example", target=path, headers=headers, body={"order": order})


def provider(**stub):
    return Provider(
        stubs=(Stub(name="charge", method="POST", host="pay.example", path="/charge", by="order", **stub),)
    )


def effects(outside, *requests):
    return [outside.answer(each).effect for each in requests]


def test_plain_acts_each_time_and_a_key_acts_once():
    assert effects(provider(), post(key="k"), post(key="k")) == [True, True]
    assert effects(provider(does="key"), post(key="k"), post(key="k"), post(key="l")) == [True, False, True]
    assert effects(provider(does="key"), post(), post()) == [True, True]  # no key, no protection


def test_a_key_is_reserved_when_the_request_arrives():
    outside = provider(does="key")
    outside.reserve(post(key="k"))
    assert outside.answer(post(key="k")).effect is False  # the repeat comes before the first one lands
    assert outside.answer(post(key="k"), late=True).effect is True


def test_a_claim_is_taken_once():
    outside = provider(does="claim")
    first, second = outside.answer(post()), outside.answer(post())
    assert (first.status, second.status) == (200, 409)


def test_a_list_shows_what_was_done_by_business_value():
    stub = Stub(
        name="seen", method="GET", host="pay.example", path="/charges", does="list", of="charge", by="order"
    )
    outside = Provider(stubs=(*provider().stubs, stub))
    outside.answer(post(order="o1"))
    ask = Request(method="GET", host="pay.example", target="/charges?order=o1", headers={})
    other = Request(method="GET", host="pay.example", target="/charges?order=o2", headers={})
    assert len(outside.answer(ask).body) == 1 and outside.answer(other).body == []


def test_an_error_is_answered_some_times_and_then_it_acts():
    outside = provider(does="error", status=502, times=2)
    assert [outside.answer(post()).status for _ in range(3)] == [502, 502, 200]
    assert len(outside.done) == 1


def test_what_has_no_stub_is_refused_by_name_and_only_answered_to_learn():
    answer = provider().answer(post("/refund"))
    assert answer.unanswered and answer.status == 501 and "POST pay.example/refund" in answer.body["error"]
    learning = Provider(learn=True).answer(post("/refund"))
    assert learning.unanswered and learning.status == 200
