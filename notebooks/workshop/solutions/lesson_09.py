"""Lesson 9, a solution for each of the four incidents.

Which one somebody has depends on the name they type: `incident("name")` tells it. The reports below were
found with `why` and the ledger; the check computes what is right from the recordings.
"""

#: A number instead of a name chooses an incident.
me = "1"


def charge_order(input, ctx, outside):
    # An invoice is charged once, whoever asks and however often: its number is the name of the deed. The
    # order, or the customer and the amount, would merge two invoices that are both wanted.
    paid = outside.payments.charge(
        input["order"], input["cents"], key=f"invoice {input['invoice']}", invoice=input["invoice"]
    )
    return {"status": "paid", "charge": paid["id"]}


def send_mail(input, ctx, outside):
    # A mail has no number of its own, and the same mail may be wanted again in another turn. So its key is
    # the place of the wish in the conversation. The call id would not do: the model makes a new one.
    place = f"{ctx.session_id}:{ctx.turn_id}:{ctx.step_index}:{ctx.position}"
    outside.mail.send(input["to"], input["subject"], input["text"], key=place)
    return {"status": "sent"}


TOOLS = {"charge_order": charge_order, "send_mail": send_mail}

#: One report per incident, by its number.
REPORTS = {
    1: {
        # Charge and mail had returned, the step was not committed: both ran again.
        "who": "1",
        "session": "5CCA",
        "twice": ["call_a8af7cc820", "call_769303f041"],
        "kept": "ch_a137e0b8",
        "refund": ["ch_dcdc1a23"],
        "crash": "tools-returned",
        "key": ["invoice"],
        "tools": TOOLS,
    },
    2: {
        # The tool looked before it paid, and the first request was still on its way: it saw nothing.
        "who": "2",
        "session": "NQSF",
        "twice": ["call_77daf1bdd8"],
        "kept": "ch_16bd23e5",
        "refund": ["ch_391d2577"],
        "crash": "in-tool",
        "key": ["invoice"],
        "tools": TOOLS,
    },
    3: {
        # The key was made of the call id, and the model made a new id when it was asked again.
        "who": "3",
        "session": "3DXB",
        "twice": ["call_9w2zyth85t"],
        "kept": "ch_43b622e2",
        "refund": ["ch_dc1d5c9e"],
        "crash": "in-tool",
        "key": ["invoice"],
        "tools": TOOLS,
    },
    4: {
        # The charge had a key and was made once. The mail had none and went out twice: no refund.
        "who": "4",
        "session": "TF7G",
        "twice": ["call_959e6e9cd7"],
        "kept": "",
        "refund": [],
        "crash": "in-tool",
        "key": ["session", "turn", "step", "position"],
        "tools": TOOLS,
    },
}

#: What the exercise of every lesson calls its answer.
report = REPORTS[1]
