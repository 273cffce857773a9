"""Wrong answers to lesson 5 that people really give, with the diagnosis the check must make of them."""


def _mail(input):
    return input["to"] + " / " + input["subject"]


def get_then_send(input, ctx, outside):
    if outside.store.get(_mail(input)) == "done":
        return {"status": "sent"}
    outside.mail.send(input["to"], input["subject"])
    outside.store.set(_mail(input), "done")
    return {"status": "sent"}


def pending_means_sent(input, ctx, outside):
    if outside.store.set_nx(_mail(input), "pending"):
        outside.mail.send(input["to"], input["subject"])
        outside.store.set(_mail(input), "done")
    return {"status": "sent"}


def pending_says_nothing(input, ctx, outside):
    if outside.store.set_nx(_mail(input), "pending"):
        outside.mail.send(input["to"], input["subject"])
        outside.store.set(_mail(input), "done")
        return {"status": "sent"}
    return {"status": outside.store.get(_mail(input))}


def pending_means_not_sent(input, ctx, outside):
    if outside.store.set_nx(_mail(input), "pending") or outside.store.get(_mail(input)) == "pending":
        outside.mail.send(input["to"], input["subject"])
        outside.store.set(_mail(input), "done")
    return {"status": "sent"}


def send_then_claim(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"])
    outside.store.set_nx(_mail(input), "done")
    return {"status": "sent"}


def claim_runs_out(input, ctx, outside):
    if outside.store.set_nx(_mail(input), "pending", seconds=60):
        outside.mail.send(input["to"], input["subject"])
        outside.store.set(_mail(input), "done")
        return {"status": "sent"}
    if outside.store.get(_mail(input)) == "done":
        return {"status": "sent"}
    outside.people.tell("Sent or not? " + _mail(input))
    return {"status": "unknown"}


def claim_given_back(input, ctx, outside):
    if not outside.store.set_nx(_mail(input), "pending"):
        outside.people.tell("Sent or not? " + _mail(input))
        return {"status": "unknown"}
    try:
        outside.mail.send(input["to"], input["subject"])
    finally:
        outside.store.delete(_mail(input))
    return {"status": "sent"}


def claim_by_call_id(input, ctx, outside):
    if outside.store.set_nx(ctx.call_id, "pending"):
        outside.mail.send(input["to"], input["subject"])
        outside.store.set(ctx.call_id, "done")
        return {"status": "sent"}
    if outside.store.get(ctx.call_id) == "done":
        return {"status": "sent"}
    outside.people.tell("Sent or not? " + _mail(input))
    return {"status": "unknown"}


def claim_by_person(input, ctx, outside):
    if outside.store.set_nx(input["to"], "pending"):
        outside.mail.send(input["to"], input["subject"])
        outside.store.set(input["to"], "done")
        return {"status": "sent"}
    if outside.store.get(input["to"]) == "done":
        return {"status": "sent"}
    outside.people.tell("Sent or not? " + _mail(input))
    return {"status": "unknown"}


def note_in_memory(input, ctx, outside, sent=set()):  # noqa: B006  # the mistake is the point
    if _mail(input) not in sent:
        outside.mail.send(input["to"], input["subject"])
        sent.add(_mail(input))
    return {"status": "sent"}


def always_a_person(input, ctx, outside):
    outside.people.tell("Please send: " + _mail(input))
    return {"status": "unknown"}


def a_person_even_when_done(input, ctx, outside):
    if outside.store.set_nx(_mail(input), "pending"):
        outside.mail.send(input["to"], input["subject"])
        outside.store.set(_mail(input), "done")
        return {"status": "sent"}
    outside.people.tell("Sent or not? " + _mail(input))
    return {"status": "unknown"}


def tells_without_a_name(input, ctx, outside):
    if outside.store.set_nx(_mail(input), "pending"):
        outside.mail.send(input["to"], input["subject"])
        outside.store.set(_mail(input), "done")
        return {"status": "sent"}
    if outside.store.get(_mail(input)) == "done":
        return {"status": "sent"}
    outside.people.tell("A mail may be missing")
    return {"status": "unknown"}


def done_comes_first(input, ctx, outside):
    if outside.store.get(_mail(input)) == "done":
        return {"status": "sent"}
    if not outside.store.set_nx(_mail(input), "pending"):
        outside.people.tell("Sent or not? " + _mail(input))
        return {"status": "unknown"}
    outside.store.set(_mail(input), "done")
    outside.mail.send(input["to"], input["subject"])
    return {"status": "sent"}


WRONG = {
    "get_then_send": (get_then_send, "noted-too-late", "looks and sends in two steps"),
    "pending_means_sent": (pending_means_sent, "claimed-not-done", "takes the claim for the deed"),
    "pending_says_nothing": (pending_says_nothing, "pending-forever", "finds pending and tells nobody"),
    "pending_means_not_sent": (pending_means_not_sent, "claim-ignored", "sends again when it finds pending"),
    "send_then_claim": (send_then_claim, "no-key", "claims after the mail"),
    "claim_runs_out": (claim_runs_out, "claim-released", "the claim lasts 60 s, the lease 860 s"),
    "claim_given_back": (claim_given_back, "claim-released", "deletes the claim in finally"),
    "claim_by_call_id": (claim_by_call_id, "key-changed", "the model gives a new call id"),
    "claim_by_person": (claim_by_person, "key-merged", "two mails to one person share a claim"),
    "note_in_memory": (note_in_memory, "memory-lost", "notes it in the memory of the process"),
    "always_a_person": (always_a_person, "person-not-needed", "tells a person although nothing went wrong"),
    "a_person_even_when_done": (a_person_even_when_done, "person-not-needed", "does not read what it noted"),
    "tells_without_a_name": (tells_without_a_name, "pending-forever", "does not say which mail"),
    "done_comes_first": (done_comes_first, "claimed-not-done", "writes done before it sends"),
}
