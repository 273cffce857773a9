"""Lesson 3: answers that people really give, and what the check says of them."""


def call_id(a, b):
    return a["callId"] == b["callId"]


def event_id(a, b):
    return a["eventId"] == b["eventId"]


def everything(a, b):
    return a == b


def words(a, b):
    return a["tool"] == b["tool"] and a["input"] == b["input"]


def words_in_a_turn(a, b):
    return all(a[name] == b[name] for name in ("session", "turnId", "tool", "input"))


def place_without_session(a, b):
    return all(a[name] == b[name] for name in ("turnId", "stepIndex", "position", "tool", "input"))


def place_only(a, b):
    return all(a[name] == b[name] for name in ("session", "turnId", "stepIndex", "position"))


def text(a, b):
    return "yes" if a["input"] == b["input"] else "no"


WRONG = {
    "call_id": (call_id, "ids-change", "the call id: new when the model mints ids"),
    "event_id": (event_id, "ids-change", "the event id: new on every attempt, always"),
    "everything": (everything, "ids-change", "the whole dict: it holds times and ids"),
    "words": (words, "other-turn", "tool and input: the same words in another turn are another wish"),
    "words_in_a_turn": (words_in_a_turn, "other-place", "a model can want the same thing twice in one turn"),
    "place_without_session": (
        place_without_session,
        "other-session",
        "two conversations have the same places",
    ),
    "place_only": (place_only, "other-wish", "asked again, the model may want another tool in that place"),
    "text": (text, "not-a-bool", "a text instead of True or False"),
}
