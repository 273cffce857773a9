"""Lesson 6, parking and replay.

The body asks first and then acts. It decides by the answer alone, which is on record, so that every replay takes
the same way. What touches the outside stands in a step. And each step has its key inside, because a step that
had acted and was not recorded runs again.
"""


def charge(outside, order, cents):
    outside.payments.charge(order, cents, key="order " + order)


def send_receipt(outside, order, to):
    outside.mail.send(to, "Receipt for " + order, key="receipt " + order)


def order(input, ctx, outside):
    answer = ctx.ask("Charge " + str(input["cents"]) + " for " + input["order"] + "?")
    if answer != "yes":
        return {"status": "declined"}

    # No look whether it is paid already: at a replay it would find the charge and take another way. The step is
    # on record by then, and the key stands for the rest.
    ctx.step("charge", charge, outside, input["order"], input["cents"])
    ctx.step("receipt", send_receipt, outside, input["order"], input["to"])
    return {"status": "charged"}
