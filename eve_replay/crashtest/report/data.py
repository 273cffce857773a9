"""The result as one JSON document, and as JUnit XML."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from eve_replay.crashtest.campaign import Outcome
from eve_replay.crashtest.implied import differences
from eve_replay.crashtest.report.story import story, where
from eve_replay.crashtest.verdict import broken_at, expected_of

__all__ = ["document", "junit"]


def document(outcome: Outcome) -> dict[str, Any]:
    """Return the fields of ``crashtest`` (docs/json.md#commands)."""
    same, of = outcome.agreed
    return {
        "project": outcome.project,
        "seals": dict(outcome.seals),
        "door": outcome.door,
        "mode": outcome.mode,
        "warm": outcome.warm,
        "lease": outcome.config.lease,
        "promises": [each.to_json() | {"story": story(each.broken[0]) if each.broken else []}
                     for each in outcome.verdicts],
        "points": [
            {
                "name": result.point.name, "variant": result.variant, "where": where(result),
                "outcome": result.outcome, "why": result.why, "died": result.died,
                "effects": {name: dict(values) for name, values in result.counts.items()},
                "bodies": dict(result.bodies), "implied": result.implied,
                "differs": differences(result.implied or {}, result.outcome, result.bodies)
                if result.implied and result.outcome != "inconclusive" else [],
                "bundle": result.bundle, "seconds": round(result.seconds, 2), "cpu": round(result.cpu, 2),
            }
            for result in outcome.results
        ],
        "baseline": {name: dict(values) for name, values in outcome.baseline.counts.items()},
        "unanswered": list(outcome.baseline.unanswered),
        "agreement": {"same": same, "of": of},
        "leftOut": outcome.left_out,
        "seconds": round(outcome.seconds, 1),
        "cpu": round(outcome.cpu, 1),
        "broken": outcome.broken,
    }  # fmt: skip


def junit(outcome: Outcome) -> str:
    """Return JUnit XML: a test case per promise and point; inconclusive runs are errors, not passes."""
    promises = outcome.config.promises
    root = ElementTree.Element("testsuites", name=f"crashtest {outcome.project}")
    for promise in promises:
        expected = expected_of(promise, outcome.baseline)
        suite = ElementTree.SubElement(root, "testsuite", name=promise.words, tests=str(len(outcome.results)))
        failures = errors = 0
        for result in outcome.results:
            name = f"{result.point.name} ({result.variant})"
            case = ElementTree.SubElement(
                suite, "testcase", classname=promise.effect, name=_xml(name), time=f"{result.seconds:.2f}"
            )
            if result.outcome == "inconclusive":
                errors += 1
                ElementTree.SubElement(case, "error", message=_xml(result.why or "inconclusive"))
            elif promise.kind != "read only" and (how := broken_at(promise, result, expected)):
                failures += 1
                ElementTree.SubElement(case, "failure", message=_xml(how)).text = _xml(where(result))
        suite.set("failures", str(failures))
        suite.set("errors", str(errors))
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    """Leave out what XML cannot hold."""
    return "".join(c if c in "\t\n" or (c >= " " and not 0xD800 <= ord(c) < 0xE000) else "?" for c in text)
