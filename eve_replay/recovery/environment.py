"""Where the process comes back: what decides whether, and when, anything is recovered at all.

Source: docs/evidence/environments.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from eve_replay.errors import WrongUse
from eve_replay.journal.model import Certainty

__all__ = ["DEFAULT_LEASE", "ENVIRONMENTS", "Environment", "environment"]

#: ``WORKFLOW_INLINE_OWNERSHIP_LEASE_SECONDS``: an environment variable the journal does not hold.
DEFAULT_LEASE = 860.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """One way of coming back.

    Attributes:
        name: as ``--environment`` takes it.
        words: what a person calls it.
        recovers: ``yes`` by itself, ``no`` nothing happens, ``once-asked`` the run is dead for messages too.
        why: why nothing happens, when ``recovers`` is not ``yes``; ``person`` what a person can do then.
        same_version: whether the code that comes back is the version that wrote the run.
        transactional: whether record and event of a commit are one write, so that no wedge is possible.
        processes: how many processes work on the store at once.
        lease_seconds: how long an inline step stays with its dead owner, counted from the step's start.
        max_retries: retries of a step that throws (starts that run the body: one more).
        certainty: observed where a recording shows it.
        source: where that is written.
    """

    name: str
    words: str
    recovers: Literal["yes", "no"] = "yes"
    why: str = ""
    person: str = ""
    same_version: bool = True
    transactional: bool = False
    processes: int = 1
    lease_seconds: float = DEFAULT_LEASE
    lease_assumed: bool = True
    max_retries: int = 3
    retention_days: float | None = None
    certainty: Certainty = "observed"
    source: str = ""

    def with_options(
        self,
        *,
        lease_seconds: float | None = None,
        max_retries: int | None = None,
        retention_days: float | None = None,
    ) -> Environment:
        """Return the same environment with other numbers. Raises WrongUse for negative ones."""
        for name, value in (
            ("lease", lease_seconds),
            ("retries", max_retries),
            ("retention", retention_days),
        ):
            if value is not None and value < 0:
                raise WrongUse(f"A {name} of {value} makes no sense.", hint="Give zero or more.")
        return replace(
            self,
            lease_seconds=self.lease_seconds if lease_seconds is None else float(lease_seconds),
            lease_assumed=self.lease_assumed and lease_seconds is None,
            max_retries=self.max_retries if max_retries is None else max_retries,
            retention_days=self.retention_days if retention_days is None else retention_days,
        )


def _named(*environments: Environment) -> Mapping[str, Environment]:
    return MappingProxyType({each.name: each for each in environments})


ENVIRONMENTS: Mapping[str, Environment] = _named(
    Environment(
        name="eve-start",
        words="eve start, same version",
        source="docs/evidence/environments.md#eve-start",
    ),
    Environment(
        name="eve-dev",
        words="eve dev without --resume",
        recovers="no",
        why="eve dev starts a new generation and leaves the run dormant; a message to it gets HTTP 500",
        person="start `eve dev --resume`, or `eve start` with the same version",
        source="docs/evidence/environments.md#eve-dev",
    ),
    Environment(
        name="eve-dev-resume",
        words="eve dev --resume, snapshot kept",
        source="docs/evidence/environments.md#eve-dev",
    ),
    Environment(
        name="eve-dev-resume-pruned",
        words="eve dev --resume, snapshot pruned",
        recovers="no",
        why="the code generation that wrote the run is gone, so nothing can replay it",
        person="none by recovery: reset the session and repair the outside by hand",
        certainty="unknown",
        source="docs/evidence/environments.md#eve-dev; not recorded",
    ),
    Environment(
        name="other-version",
        words="another eve version",
        recovers="no",
        same_version=False,
        why=(
            "another eve version cannot replay the run: a root session waits stranded (messages get 409 with "
            "the version), a subagent or tool run is cancelled"
        ),
        person="start the eve version that wrote it, or reset the session",
        source="docs/evidence/environments.md#another-version",
    ),
    Environment(
        name="postgres",
        words="eve start on the Postgres world",
        transactional=False,
        source="docs/evidence/environments.md#postgres",
    ),
    Environment(
        name="postgres-4.1",
        words="Workflow SDK 4.1 on the Postgres world",
        recovers="no",
        why="seen: 150 s after the restart nothing had happened; the queue keeps the dead worker's job",
        person="let the queue's job expire, or start the run again",
        source="docs/evidence/environments.md#postgres",
    ),
    Environment(
        name="python-sdk",
        words="the vendor's Python SDK, its queue outlives the worker and delivers again",
        source="docs/evidence/python-sdk.md#queue",
    ),
    Environment(
        name="python-sdk-restarted",
        words="the vendor's Python SDK with its queue in the worker's memory (no VERCEL_QUEUE_BASE_URL)",
        recovers="no",
        why="the queue died with the process: nothing delivers its messages again, and a start looks for "
        "nothing",
        person=(
            "send the messages again with world.queue: of the step that is open, else of the run; or start "
            "the run again"
        ),
        source="docs/evidence/python-sdk.md#restart",
    ),
    Environment(
        name="hosted",
        words="Vercel, the run's own deployment",
        transactional=True,
        certainty="implied",
        source="docs/evidence/environments.md#hosted; not recorded",
    ),
    Environment(
        name="sdk-started",
        words="plain Workflow SDK app that calls world.start()",
        source="docs/evidence/environments.md#plain-sdk",
    ),
    Environment(
        name="sdk-not-started",
        words="plain Workflow SDK app that does not call world.start()",
        recovers="no",
        why="nothing is recovered until somebody calls world.start()",
        person="call world.start() when the server starts (in SDK 5.0.0-beta.55 on Nitro that call throws)",
        source="docs/evidence/environments.md#plain-sdk",
    ),
    Environment(
        name="two-processes",
        words="two processes on one folder",
        processes=2,
        certainty="implied",
        source="docs/evidence/environments.md#two-processes",
    ),
    Environment(
        name="not-restarted",
        words="the process does not come back",
        recovers="no",
        why="no process is there",
        person="start it again",
        source="docs/evidence/environments.md#never-started",
    ),
    Environment(
        name="flue-redeployed",
        words="Flue, after a deploy that no longer declares its durable tools durable",
        lease_seconds=30.0,
        lease_assumed=False,
        transactional=True,
        same_version=False,
        max_retries=9,
        source="docs/evidence/flue.md#after-a-crash",
    ),
    Environment(
        name="flue",
        words="Flue on its own store",
        lease_seconds=30.0,
        lease_assumed=False,
        transactional=True,
        max_retries=9,
        source="docs/evidence/flue.md#after-a-crash",
    ),
)


_SHORT = {
    "start": "eve-start",
    "eve": "eve-start",
    "dev": "eve-dev",
    "resume": "eve-dev-resume",
    "dev-resume": "eve-dev-resume",
    "vercel": "hosted",
    "sdk": "sdk-started",
    "none": "not-restarted",
}


def environment(name: str) -> Environment:
    """Return an environment by name. Raises WrongUse with the names there are."""
    wanted = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")
    found = ENVIRONMENTS.get(_SHORT.get(wanted, wanted))
    if found is None:
        raise WrongUse(f"There is no environment {name!r}.", hint=f"Use one of {', '.join(ENVIRONMENTS)}.")
    return found
