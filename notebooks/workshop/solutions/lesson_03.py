"""Lesson 3, a solution: what survives a re-run, and differs between two wishes."""


def same_deed(a, b):
    # Whose wish it is and where it stands in the conversation, and what is wanted there. Call ids, event ids
    # and times are new in another attempt: they must not be compared.
    place = ("session", "turnId", "stepIndex", "position")
    wish = ("tool", "input")
    return all(a[name] == b[name] for name in (*place, *wish))
