"""Lesson 9: reports that people really hand in, and what the check says of them. All are of incident 1."""


def charge_order(input, ctx, outside):
    outside.payments.charge(
        input["order"], input["cents"], key=f"invoice {input['invoice']}", invoice=input["invoice"]
    )
    return {"status": "paid"}


def send_mail(input, ctx, outside):
    place = f"{ctx.session_id}:{ctx.turn_id}:{ctx.step_index}:{ctx.position}"
    outside.mail.send(input["to"], input["subject"], input["text"], key=place)
    return {"status": "sent"}


def charge_by_order(input, ctx, outside):
    outside.payments.charge(input["order"], input["cents"], key=input["order"], invoice=input["invoice"])
    return {"status": "paid"}


def charge_by_call_id(input, ctx, outside):
    outside.payments.charge(input["order"], input["cents"], key=ctx.call_id, invoice=input["invoice"])
    return {"status": "paid"}


def charge_after_a_look(input, ctx, outside):
    if not outside.payments.find(invoice=input["invoice"]):
        outside.payments.charge(input["order"], input["cents"], invoice=input["invoice"])
    return {"status": "paid"}


def mail_without_key(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"], input["text"])
    return {"status": "sent"}


def mail_by_subject(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"], input["text"], key=f"{input['to']} {input['subject']}")
    return {"status": "sent"}


RIGHT = {
    "who": "1",
    "session": "5CCA",
    "twice": ["call_a8af7cc820", "call_769303f041"],
    "kept": "ch_a137e0b8",
    "refund": ["ch_dcdc1a23"],
    "crash": "tools-returned",
    "key": ["invoice"],
    "tools": {"charge_order": charge_order, "send_mail": send_mail},
}


def but(**parts):
    return {**RIGHT, **parts}


def tools(**others):
    return but(tools={**RIGHT["tools"], **others})


WRONG = {
    "again_without_harm": (
        but(session="MJFY"),
        "wrong-session",
        "a session whose step ran again too, in the model call: nothing outside was done twice",
    ),
    "resent_on_purpose": (
        but(session="7PAP"),
        "wrong-session",
        "the session in which a receipt was sent again because somebody asked for it",
    ),
    "two_invoices": (
        but(twice=["call_a8af7cc820", "call_769303f041", "ch_46c66231"]),
        "not-doubled",
        "two invoices of one amount taken for a repeat",
    ),
    "reading_tool": (
        but(twice=["call_a8af7cc820", "call_769303f041", "call_15be8aa972"]),
        "not-doubled",
        "a tool that only reads",
    ),
    "only_the_money": (
        but(twice=["call_a8af7cc820"]),
        "missed-one",
        "the charge alone: the mail of the same step went out twice too",
    ),
    "keeps_the_first": (
        but(kept="ch_dcdc1a23", refund=["ch_a137e0b8"]),
        "wrong-kept",
        "the first charge kept because it came first: the session knows the second",
    ),
    "refunds_both": (
        but(refund=["ch_dcdc1a23", "ch_a137e0b8"]),
        "wrong-refund",
        "both charges given back: the shop has given its goods away",
    ),
    "refunds_the_other_order": (
        but(refund=["ch_dcdc1a23", "ch_33a45fb5"]),
        "wrong-refund",
        "an earlier order of the same customer and amount given back too",
    ),
    "inside_a_tool": (
        but(crash="in-tool"),
        "wrong-crash",
        "inside a tool: both tools had returned",
    ),
    "key_order": (but(key=["order"]), "key-merged", "the order: it merges two invoices"),
    "key_customer_and_amount": (
        but(key=["customer", "cents"]),
        "key-merged",
        "customer and amount: somebody who buys twice pays once",
    ),
    "key_place_without_session": (
        but(key=["turn", "step", "position"]),
        "key-merged",
        "the place without the session: every conversation begins at the same place",
    ),
    "key_charge_id": (but(key=["chargeId"]), "key-late", "the id that the outside gives only afterwards"),
    "key_attempt": (but(key=["invoice", "attempt"]), "key-late", "the attempt: new every time it matters"),
    "no_tools": (but(tools={}), "no-tools", "part B left out"),
    "charge_by_order": (tools(charge_order=charge_by_order), "key-merged", "the tool keyed by the order"),
    "charge_by_call_id": (
        tools(charge_order=charge_by_call_id),
        "key-changed",
        "the tool keyed by the call id",
    ),
    "charge_after_a_look": (
        tools(charge_order=charge_after_a_look),
        "checked-too-early",
        "the tool looks first, then acts",
    ),
    "mail_by_subject": (
        tools(send_mail=mail_by_subject),
        "key-merged",
        "the mail keyed by what it says: it cannot be sent again on purpose",
    ),
    "mail_without_key": (tools(send_mail=mail_without_key), "no-key", "only the money was repaired"),
}
