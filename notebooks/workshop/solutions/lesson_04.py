"""Lesson 4, a solution: the key is the name of the deed."""


def pay(input, ctx, outside):
    # The invoice is what no other payment has, and what stays when the model is asked again: its call id may
    # be new and the order of its calls another one.
    key = f"invoice {input['invoice']}"
    paid = outside.payments.charge(input["order"], input["cents"], key=key, invoice=input["invoice"])
    return {"status": "paid", "charge": paid["id"]}
