"""Lesson 4: answers that people really give, and what the check says of them."""

import random


def _pay(input, outside, key):
    paid = outside.payments.charge(input["order"], input["cents"], key=key, invoice=input["invoice"])
    return {"status": "paid", "charge": paid["id"]}


def no_key(input, ctx, outside):
    return _pay(input, outside, None)


def call_id(input, ctx, outside):
    return _pay(input, outside, f"{ctx.session_id}:{ctx.call_id}")


def session(input, ctx, outside):
    return _pay(input, outside, ctx.session_id)


def run(input, ctx, outside):
    return _pay(input, outside, ctx.run_id)


def turn(input, ctx, outside):
    return _pay(input, outside, f"{ctx.session_id}:{ctx.turn_id}")


def order(input, ctx, outside):
    return _pay(input, outside, input["order"])


def order_and_cents(input, ctx, outside):
    return _pay(input, outside, f"{input['order']}:{input['cents']}")


def turn_and_order(input, ctx, outside):
    return _pay(input, outside, f"{ctx.session_id}:{ctx.turn_id}:{input['order']}:{input['cents']}")


def place(input, ctx, outside):
    return _pay(input, outside, f"{ctx.session_id}:{ctx.turn_id}:{ctx.step_index}:{ctx.position}")


def place_and_invoice(input, ctx, outside):
    return _pay(input, outside, f"{ctx.turn_id}:{ctx.step_index}:{ctx.position}:{input['invoice']}")


def order_and_position(input, ctx, outside):
    return _pay(input, outside, f"{input['order']}:{ctx.position}")


def dice(input, ctx, outside):
    return _pay(input, outside, f"{input['invoice']}:{random.random()}")


WRONG = {
    "no_key": (no_key, "no-key", "no key at all"),
    "call_id": (call_id, "key-changed", "the call id: the model makes a new one when it is asked again"),
    "session": (session, "key-merged", "the session id: one payment per conversation"),
    "run": (run, "key-merged", "the run id: one payment per run"),
    "turn": (turn, "key-merged", "the turn: one payment per message"),
    "order": (order, "key-merged", "the order number: two invoices of one order are merged"),
    "order_and_cents": (
        order_and_cents,
        "key-merged",
        "order and amount: merged when both are equal on purpose",
    ),
    "turn_and_order": (turn_and_order, "key-merged", "turn, order and amount: merged within one turn"),
    "place": (place, "key-changed", "the place: it changes hands when the model names them in another order"),
    "place_and_invoice": (place_and_invoice, "key-changed", "place and invoice: more is not safer"),
    "order_and_position": (order_and_position, "key-merged", "order and position: merged in the second turn"),
    "dice": (dice, "key-changed", "a random part makes any key a new one"),
}
