"""Lesson 2, a solution: between the attempts that returned and the attempts that began, plus one to come."""


def charges_seen(where):
    # Only the commit in the log says that nothing runs again. What the stream says does not matter.
    again = 0 if where["committed"] else 1
    # An attempt that returned has charged. One that only began may have.
    return where["returned"] + again, where["started"] + again
