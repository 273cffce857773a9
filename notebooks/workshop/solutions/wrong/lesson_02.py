"""Lesson 2: answers that people really give, and what the check says of them."""


def nothing_returned(where):
    if where["committed"]:
        return 1, 1
    return (2, 2) if where["returned"] else (1, 1)


def trusts_the_stream(where):
    if where["stream"]:
        return 1, 1
    if where["returned"]:
        return 2, 2
    return (1, 2) if where["started"] else (1, 1)


def always_again(where):
    return where["returned"] + 1, where["started"] + 1


def one_attempt(where):
    if where["committed"]:
        return 1, 1
    if where["returned"]:
        return 2, 2
    return (1, 2) if where["started"] else (1, 1)


def may_never_be(where):
    if where["committed"]:
        return where["returned"], where["started"]
    return 0, where["started"] + 1


def one_number(where):
    return 1 if where["committed"] else 2


WRONG = {
    "nothing_returned": (nothing_returned, "may-have-acted", "not returned, so nothing happened"),
    "trusts_the_stream": (trusts_the_stream, "stream-no-commit", "step.completed taken for the commit"),
    "always_again": (always_again, "committed-is-safe", "runs again even after the commit"),
    "one_attempt": (one_attempt, "every-attempt", "right for one attempt; a second crash adds another one"),
    "may_never_be": (may_never_be, "not-begun", "forgets that the step runs after the restart: at least one"),
    "one_number": (one_number, "not-a-pair", "one number instead of at least and at most"),
}
