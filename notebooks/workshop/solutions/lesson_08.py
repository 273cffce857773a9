"""Lesson 8, the other philosophy: Flue's rules for one call.

Source: docs/evidence/flue.md#after-a-crash, recordings in brackets.
"""


def flue_fate(call):
    if call["message"] == "unfinished":
        return "asked"  # tools start only after the message is complete: it never ran (e3)
    if call["outcome"]:
        return "kept"  # finished calls are kept, always (b2, k1)
    if not call["attempts_left"]:
        return "unknown"  # every open call is marked, durable ones too (g1, g2, h3)
    if call["durable"]:
        return "steps"  # the body again, recorded steps from the record (c, d, d3)
    return "unknown"  # an ordinary call is never run again (b1, k2), nor one that was durable once (c2)
