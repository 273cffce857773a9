"""Wrong answers to lesson 6 that people really give, with the diagnosis the check must make of them."""


def _parts(input, ctx, outside):
    """What all of them have: charge with and without a key, the receipt, the question."""

    def charge():
        outside.payments.charge(input["order"], input["cents"], key="order " + input["order"])

    def charge_without_key():
        outside.payments.charge(input["order"], input["cents"])

    def send_receipt():
        outside.mail.send(input["to"], "Receipt for " + input["order"], key="receipt " + input["order"])

    def ask():
        return ctx.ask("Charge " + str(input["cents"]) + " for " + input["order"] + "?")

    return charge, charge_without_key, send_receipt, ask


def outside_a_step(input, ctx, outside):
    _, charge_without_key, send_receipt, ask = _parts(input, ctx, outside)
    if ask() != "yes":
        return {"status": "declined"}
    charge_without_key()
    ctx.step("receipt", send_receipt)
    return {"status": "charged"}


def before_the_question(input, ctx, outside):
    charge, _, send_receipt, ask = _parts(input, ctx, outside)
    ctx.step("charge", charge)
    if ask() != "yes":
        return {"status": "declined"}
    ctx.step("receipt", send_receipt)
    return {"status": "charged"}


def step_without_key(input, ctx, outside):
    _, charge_without_key, send_receipt, ask = _parts(input, ctx, outside)
    if ask() != "yes":
        return {"status": "declined"}
    ctx.step("charge", charge_without_key)
    ctx.step("receipt", send_receipt)
    return {"status": "charged"}


def looks_in_the_body(input, ctx, outside):
    charge, _, send_receipt, ask = _parts(input, ctx, outside)
    if ask() != "yes":
        return {"status": "declined"}
    if not outside.payments.find(order=input["order"]):
        ctx.step("charge", charge)
    ctx.step("receipt", send_receipt)
    return {"status": "charged"}


def decides_by_memory(input, ctx, outside, seen=[]):  # noqa: B006  # the mistake is the point
    charge, _, send_receipt, ask = _parts(input, ctx, outside)
    if not seen:
        ctx.step("hello", lambda: "a new order")
    seen.append(input["order"])
    if ask() != "yes":
        return {"status": "declined"}
    ctx.step("charge", charge)
    ctx.step("receipt", send_receipt)
    return {"status": "charged"}


def one_big_step(input, ctx, outside):
    charge, _, send_receipt, ask = _parts(input, ctx, outside)

    def all_of_it():
        if ask() != "yes":
            return {"status": "declined"}
        charge()
        send_receipt()
        return {"status": "charged"}

    return ctx.step("all", all_of_it)


def never_asks(input, ctx, outside):
    charge, _, send_receipt, _ = _parts(input, ctx, outside)
    ctx.step("charge", charge)
    ctx.step("receipt", send_receipt)
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
