"""Crash tests of a user's own agent: the built project runs on a scratch copy and is killed for real.

This room stands beside the tower: it reads journals with it, and nothing of the reading side imports it. It
is the only place that runs code of the user's, and only because ``crashtest`` or ``fork`` was asked for. Who
does what: ``worker`` is a process per job, in a network namespace where the system allows one; ``broker`` is
the outside, in a process that outlives every kill; a :class:`~eve_replay.crashtest.driver.Driver` starts and
kills one kind of app.
"""
