"""Lesson 6, parking and replay.

The body asks first and then acts. It decides by the answer alone, which is on record, so that every replay
takes the same way. What touches the outside stands in a step. And each step has its key inside, because a
step that had acted and was not recorded runs again.
"""


def order(input, ctx, outside):
    def charge():
        outside.payments.charge(input["order"], input["cents"], key="order " + input["order"])

    def send_receipt():
        outside.mail.send(input["to"], "Receipt for " + input["order"], key="receipt " + input["order"])

    answer = ctx.ask("Charge " + str(input["cents"]) + " for " + input["order"] + "?")
    if answer != "yes":
        return {"status": "declined"}

    # No look whether it is paid already: at a replay it would find the charge and take another way. The step
    # is on record by then, and the key stands for the rest.
    ctx.step("charge", charge)
    ctx.step("receipt", send_receipt)
    return {"status": "charged"}
