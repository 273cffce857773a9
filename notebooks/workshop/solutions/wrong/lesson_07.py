"""Wrong answers to lesson 7 that people really give, with the diagnosis the check must make of them."""

from eve_replay.workshop.outside import Timeout


def _told(invoice, outside):
    outside.people.tell("Paid or not? " + invoice)
    return {"status": "unknown"}


def key_only(input, ctx, outside):
    invoice = input["invoice"]
    for _ in range(3):
        try:
            outside.payments.charge(input["order"], input["cents"], key="pay " + invoice, invoice=invoice)
            return {"status": "paid"}
        except Timeout:
            ctx.sleep(5)
    return _told(invoice, outside)


def look_twice(input, ctx, outside):
    invoice = input["invoice"]
    for _ in range(3):
        for wait in (60, 0):
            if outside.payments.find(invoice=invoice):
                return {"status": "paid"}
            ctx.sleep(wait)
        try:
            outside.payments.charge(input["order"], input["cents"], invoice=invoice)
            return {"status": "paid"}
        except Timeout:
            ctx.sleep(5)
    return _told(invoice, outside)


def look_only(input, ctx, outside):
    invoice = input["invoice"]
    for _ in range(3):
        if outside.payments.find(invoice=invoice):
            return {"status": "paid"}
        try:
            outside.payments.charge(input["order"], input["cents"], invoice=invoice)
            return {"status": "paid"}
        except Timeout:
            ctx.sleep(5)
    return _told(invoice, outside)


def lost_is_failed(input, ctx, outside):
    invoice = input["invoice"]
    if outside.payments.find(invoice=invoice):
        return {"status": "paid"}
    try:
        outside.payments.charge(input["order"], input["cents"], key="pay " + invoice, invoice=invoice)
    except Timeout:
        return {"status": "failed"}
    return {"status": "paid"}


def lost_is_thrown(input, ctx, outside):
    invoice = input["invoice"]
    if not outside.payments.find(invoice=invoice):
        outside.payments.charge(input["order"], input["cents"], key="pay " + invoice, invoice=invoice)
    return {"status": "paid"}


def lost_is_paid(input, ctx, outside):
    invoice = input["invoice"]
    if not outside.payments.find(invoice=invoice):
        try:
            outside.payments.charge(input["order"], input["cents"], key="pay " + invoice, invoice=invoice)
        except Timeout:
            pass
    return {"status": "paid"}


def try_again_without_key(input, ctx, outside):
    invoice = input["invoice"]
    for _ in range(3):
        try:
            outside.payments.charge(input["order"], input["cents"], invoice=invoice)
            return {"status": "paid"}
        except Timeout:
            ctx.sleep(5)
    return _told(invoice, outside)


def key_per_try(input, ctx, outside):
    invoice = input["invoice"]
    for _ in range(3):
        if outside.payments.find(invoice=invoice):
            return {"status": "paid"}
        try:
            key = "pay " + invoice + " at " + str(ctx.now)
            outside.payments.charge(input["order"], input["cents"], key=key, invoice=invoice)
            return {"status": "paid"}
        except Timeout:
            ctx.sleep(5)
    return _told(invoice, outside)


def key_by_order(input, ctx, outside):
    invoice = input["invoice"]
    for _ in range(3):
        if outside.payments.find(invoice=invoice):
            return {"status": "paid"}
        try:
            key = "pay " + input["order"]
            outside.payments.charge(input["order"], input["cents"], key=key, invoice=invoice)
            return {"status": "paid"}
        except Timeout:
            ctx.sleep(5)
    return _told(invoice, outside)


def look_by_order(input, ctx, outside):
    invoice = input["invoice"]
    for _ in range(3):
        if outside.payments.find(order=input["order"]):
            return {"status": "paid"}
        try:
            outside.payments.charge(input["order"], input["cents"], key="pay " + invoice, invoice=invoice)
            return {"status": "paid"}
        except Timeout:
            ctx.sleep(5)
    return _told(invoice, outside)


WRONG = {
    "key_only": (key_only, "key-expired", "the provider forgets the key after a day"),
    "look_twice": (look_twice, "checked-too-early", "looks, waits a minute, looks again, pays without a key"),
    "look_only": (look_only, "checked-too-early", "the payment on its way is not in the list"),
    "lost_is_failed": (lost_is_failed, "answer-lost", "takes no answer for a no"),
    "lost_is_thrown": (lost_is_thrown, "threw", "lets the Timeout out: eve commits it as an error"),
    "lost_is_paid": (lost_is_paid, "answer-lost", "takes no answer for a yes"),
    "try_again_without_key": (try_again_without_key, "no-key", "a loop around the payment, no key"),
    "key_per_try": (key_per_try, "key-changed", "puts the clock into the key"),
    "key_by_order": (key_by_order, "key-merged", "two invoices of one order under one key"),
    "look_by_order": (look_by_order, "not-done", "takes the payment of another invoice for this one"),
}
