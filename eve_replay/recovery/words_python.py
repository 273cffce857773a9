"""Sentences of the Python SDK's rules (docs/evidence/python-sdk.md), by name."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["PYTHON_RULES"]

_PAGE = "docs/evidence/python-sdk.md"

#: Name to text and section; all of them *implied* for a run that has not recovered yet.
PYTHON_RULES: Mapping[str, tuple[str, str]] = {
    "py-replayed": (
        "A step whose end event is in the log is answered from it: its body does not run again.",
        f"{_PAGE}#steps",
    ),
    "py-D": (
        "A step with a start and no end event runs again whole as soon as its message is delivered again.",
        f"{_PAGE}#steps",
    ),
    "py-retry": (
        "The body raised before. It runs again, and may raise again until its retries are used up.",
        f"{_PAGE}#retries",
    ),
    "py-budget": (
        "Every start counts against the retries of a step, those that a kill ended too: the next start is "
        "past them, and the step fails without running its body.",
        f"{_PAGE}#retries",
    ),
    "py-C3": (
        "The start was cut off before its event: it runs when its message is delivered again, nothing ran "
        "before. The record counts the start, the log does not.",
        f"{_PAGE}#steps",
    ),
    "py-C1b": (
        "The record of the step is there, its step_created event is not: the next pass puts it into the "
        "queue and it runs normally.",
        f"{_PAGE}#steps",
    ),
    "py-B": (
        "The step is created and its message is in the queue: it runs, nothing ran before.",
        f"{_PAGE}#lost-message",
    ),
    "py-B-unknown": (
        "The step is created and was not started. Only the pass that creates a step puts its message into "
        "the queue, after the event; whether it came to that, the folder does not say. If not, nothing ever "
        "starts it.",
        f"{_PAGE}#lost-message",
    ),
    "py-B-lost": (
        "The process died after the step_created event and before the step's message: a later pass sees that "
        "it is created and does not send it again. Nothing starts it, and the run waits for ever.",
        f"{_PAGE}#lost-message",
    ),
    "py-run-unknown": (
        "The run is created and has not begun. start() sends its message after the event; whether it came to "
        "that, the folder does not say. If not, nothing ever begins it.",
        f"{_PAGE}#lost-message",
    ),
    "py-run-lost": (
        "start() died before it had sent the run's message: nothing of the run ever begins.",
        f"{_PAGE}#lost-message",
    ),
    "py-F2": (
        "The record says the step ended and its end event is missing: a delivery is dropped because the step "
        "has ended, and the run never hears of it. It does not run again; where the code waits for it, the "
        "run waits for ever.",
        f"{_PAGE}#half-written",
    ),
    "py-W2": (
        "The lock of the sleep's end is there without its event: every pass finds it taken, and the run "
        "wakes up every second and goes on sleeping, for ever.",
        f"{_PAGE}#half-written",
    ),
    "py-attribute": (
        "The claim of an attribute write is there without its event: every pass finds it taken and starts "
        "over at once, without end. The run never goes on, and the worker is kept busy.",
        f"{_PAGE}#half-written",
    ),
    "py-hook": (
        "The hook's token is claimed and its record was never written: no pass creates it again, and nobody "
        "finds it by its token.",
        f"{_PAGE}#hooks",
    ),
    "py-queue": (
        "Nothing looks through the folder at a start: what goes on is what a queue outside the worker "
        "delivers again. With the queue in the worker's memory nothing does.",
        f"{_PAGE}#queue",
    ),
    "py-timer": (
        "A sleep keeps its end time: the delayed message of the run wakes it, if the queue still holds it.",
        f"{_PAGE}#queue",
    ),
}
