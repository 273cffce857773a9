"""The exercises of the workshop, one module per lesson, each with a ``TASK``.

``eve_replay.workshop.lesson`` finds them by name; modules that begin with an underscore are shared helpers.
"""
