"""Lesson 7, bigger steps and long outages.

Two nets for two holes. The look covers a payment whose key the provider has forgotten: after three days it
is long finished, so the list shows it. The key covers a payment that is still on its way, which the list does
not show yet. An answer that was lost is neither yes nor no: look and ask again, the key makes that harmless.
"""

from eve_replay.workshop.outside import Timeout


def pay(input, ctx, outside):
    invoice = input["invoice"]

    for _ in range(3):
        if outside.payments.find(invoice=invoice):
            return {"status": "paid"}
        try:
            # The invoice is the deed: the same on every attempt, another one for every payment of an order.
            outside.payments.charge(input["order"], input["cents"], key="pay " + invoice, invoice=invoice)
            return {"status": "paid"}
        except Timeout:
            ctx.sleep(5)

    # Three times no answer. That is no "failed": somebody has to look.
    outside.people.tell("Paid or not? " + invoice)
    return {"status": "unknown"}
