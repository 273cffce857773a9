"""Wrong answers to lesson 6 that people really give, with the diagnosis the check must make of them."""


def charge(outside, order, cents):
    outside.payments.charge(order, cents, key="order " + order)


def charge_without_key(outside, order, cents):
    outside.payments.charge(order, cents)


def send_receipt(outside, order, to):
    outside.mail.send(to, "Receipt for " + order, key="receipt " + order)


def _asked(input, ctx):
    return ctx.ask("Charge " + str(input["cents"]) + " for " + input["order"] + "?")


def outside_a_step(input, ctx, outside):
    if _asked(input, ctx) != "yes":
        return {"status": "declined"}
    charge_without_key(outside, input["order"], input["cents"])
    ctx.step("receipt", send_receipt, outside, input["order"], input["to"])
    return {"status": "charged"}


def before_the_question(input, ctx, outside):
    ctx.step("charge", charge, outside, input["order"], input["cents"])
    if _asked(input, ctx) != "yes":
        return {"status": "declined"}
    ctx.step("receipt", send_receipt, outside, input["order"], input["to"])
    return {"status": "charged"}


def step_without_key(input, ctx, outside):
    if _asked(input, ctx) != "yes":
        return {"status": "declined"}
    ctx.step("charge", charge_without_key, outside, input["order"], input["cents"])
    ctx.step("receipt", send_receipt, outside, input["order"], input["to"])
    return {"status": "charged"}


def looks_in_the_body(input, ctx, outside):
    if _asked(input, ctx) != "yes":
        return {"status": "declined"}
    if not outside.payments.find(order=input["order"]):
        ctx.step("charge", charge, outside, input["order"], input["cents"])
    ctx.step("receipt", send_receipt, outside, input["order"], input["to"])
    return {"status": "charged"}


def decides_by_memory(input, ctx, outside, seen=[]):  # noqa: B006  # the mistake is the point
    if not seen:
        ctx.step("hello", print, "a new order")
    seen.append(input["order"])
    if _asked(input, ctx) != "yes":
        return {"status": "declined"}
    ctx.step("charge", charge, outside, input["order"], input["cents"])
    ctx.step("receipt", send_receipt, outside, input["order"], input["to"])
    return {"status": "charged"}


def one_big_step(input, ctx, outside):
    def all_of_it():
        if _asked(input, ctx) != "yes":
            return {"status": "declined"}
        charge(outside, input["order"], input["cents"])
        send_receipt(outside, input["order"], input["to"])
        return {"status": "charged"}

    return ctx.step("all", all_of_it)


def never_asks(input, ctx, outside):
    ctx.step("charge", charge, outside, input["order"], input["cents"])
    ctx.step("receipt", send_receipt, outside, input["order"], input["to"])
    return {"status": "charged"}


WRONG = {
    "outside_a_step": (outside_a_step, "outside-a-step", "charges in the body, so at every replay"),
    "before_the_question": (before_the_question, "not-asked-for", "charges first and asks then"),
    "step_without_key": (step_without_key, "no-key", "takes the step for a key"),
    "looks_in_the_body": (looks_in_the_body, "diverged", "decides by a look outside a step"),
    "decides_by_memory": (decides_by_memory, "diverged", "decides by a variable of the process"),
    "one_big_step": (one_big_step, "threw", "asks inside a step"),
    "never_asks": (never_asks, "not-asked-for", "leaves the person out"),
}
