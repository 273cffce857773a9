"""Lesson 5, claim before act.

One atomic write before the mail decides who sends it: ``set_nx`` is True for one caller only, whatever
happens. Whoever comes later finds one of two words. ``done`` was written after the mail: it is sent.
``pending`` means that somebody began and nobody knows how far they came: neither send nor say "sent", tell a
person.
"""


def send(input, ctx, outside):
    # What makes this mail this one: who gets it and what it is about. Not the call id: the model gives a new
    # one when it is asked again (lesson 4).
    mail = input["to"] + " / " + input["subject"]

    if outside.store.set_nx(mail, "pending"):  # no end: recovery may come after days
        outside.mail.send(input["to"], input["subject"])
        outside.store.set(mail, "done")
        return {"status": "sent"}

    if outside.store.get(mail) == "done":
        return {"status": "sent"}

    # A process died between the claim and "done". The mail went out or it did not.
    outside.people.tell("Sent or not? " + mail)
    return {"status": "unknown"}
