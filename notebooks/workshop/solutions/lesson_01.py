"""Lesson 1, a solution: a key that is the same when the step runs again."""


def send_mail(input, ctx, outside):
    # Session and call id are the same when the step runs again, as long as the model gives the same call id
    # when it is asked again. This lesson's model does; lesson 4 is about those that do not.
    key = f"{ctx.session_id}:{ctx.call_id}"
    outside.mail.send(input["to"], input["subject"], key=key)
    return {"status": "sent"}
