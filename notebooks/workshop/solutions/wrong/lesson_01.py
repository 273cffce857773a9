"""Lesson 1: answers that people really give, and what the check says of them."""

import uuid

_SENT = set()


def remembers(input, ctx, outside):
    if ctx.call_id in _SENT:
        return {"status": "sent"}
    outside.mail.send(input["to"], input["subject"])
    _SENT.add(ctx.call_id)
    return {"status": "sent"}


def fresh_id(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"], key=str(uuid.uuid4()))
    return {"status": "sent"}


def clock(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"], key=f"{input['to']} {ctx.now}")
    return {"status": "sent"}


def constant(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"], key="receipt")
    return {"status": "sent"}


def session(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"], key=ctx.session_id)
    return {"status": "sent"}


def subject_only(input, ctx, outside):
    outside.mail.send(input["to"], input["subject"], key=input["subject"])
    return {"status": "sent"}


def tries(input, ctx, outside):
    try:
        outside.mail.send(input["to"], input["subject"])
    except Exception:
        return {"status": "sent"}
    return {"status": "sent"}


def in_finally(input, ctx, outside):
    try:
        return {"status": "sent"}
    finally:
        outside.mail.send(input["to"], input["subject"])


def hashed(input, ctx, outside):
    key = str(hash(input["to"] + input["subject"]))
    outside.mail.send(input["to"], input["subject"], key=key)
    return {"status": "sent"}


WRONG = {
    "remembers": (remembers, "memory-lost", "a set in the module: gone with the process"),
    "fresh_id": (fresh_id, "key-changed", "a new random key on every attempt"),
    "clock": (clock, "key-changed", "the time in the key"),
    "hashed": (hashed, "salted-hash", "hash() of the text: Python salts it anew at every start"),
    "constant": (constant, "key-merged", "one key for all mails: the second one is never sent"),
    "session": (session, "key-merged", "the session id alone: one mail per conversation"),
    "subject_only": (subject_only, "key-merged", "the subject alone: the second person gets no mail"),
    "tries": (tries, "no-key", "try and except: the death of a process is no exception"),
    "in_finally": (in_finally, "no-key", "sending in finally: it runs again all the same"),
}
