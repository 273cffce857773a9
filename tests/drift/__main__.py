# ruff: noqa: E501
"""Record a turn and a crash with given versions of the vendors' packages, and say what the reader does not know.

    python -m tests.drift eve@0.80.1                       one version of eve
    python -m tests.drift eve@0.50.0 eve@0.80.1            several, one after the other
    python -m tests.drift workflow@4.8.9                   a plain app of the Workflow SDK
    python -m tests.drift @workflow/core@5.0.0-beta.55     only what its serializer writes (no app)
    python -m tests.drift @workflow-worlds/redis@0.2.2     the plain app on another world
    python -m tests.drift vercel-workflow@0.12.0           the Python SDK
    python -m tests.drift --survey FOLDER ...              no recording: a data folder that is there already

Packages come from the registries that npm and pip are set up for. Needs node (24) with npm, and pip; nothing of it
runs in CI. What is installed and recorded stays in --work and is used again there.

What is said, per target:
  layout       files and folders whose names no rule of the reader covers
  field        fields of records and events, and keys of stream events, that no line of the reader names
  event type   events (and stream events) of a type it does not know
  prefix       first bytes of payloads that are no known envelope
  tag          types inside payloads that it cannot revive
  code         step functions and workflows of the vendor that it has no role for
  decode       values that it shows otherwise than the vendor's own decoder

Exit code 0: nothing new. 1: the list says what is. 2: a target could not be installed or recorded.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.drift import record_eve, record_python, record_sdk
from tests.drift.packages import Failed, Target, parse
from tests.drift.report import Report, told
from tests.drift.survey import survey

RECORDERS = {
    "eve": record_eve.record,
    "workflow": record_sdk.record_app,
    "@workflow/core": record_sdk.record_values,
    "vercel-workflow": record_python.record,
}


def main(argv: list[str] | None = None) -> int:
    """Run the targets that were named."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.drift",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "targets", nargs="*", metavar="NAME@VERSION", help="package and version (npm or PyPI)"
    )
    parser.add_argument(
        "--survey", nargs="+", type=Path, default=[], metavar="FOLDER", help="look at these only"
    )
    parser.add_argument(
        "--work", type=Path, help="where to install and record (kept); else a temporary folder"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")
    args = parser.parse_args(argv)
    if not args.targets and not args.survey:
        parser.error("name a target, for example eve@0.80.1, or a folder with --survey")
    reports: list[Report] = [survey(folder, str(folder)) for folder in args.survey]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="drift-") as temporary:
        work = args.work or Path(temporary)
        for text in args.targets:
            target = parse(text)
            try:
                made = _recorder(target)(target, work)
            except Failed as error:
                failed += 1
                reports.append(Report(name=text, failed=str(error)))
                continue
            reports += made
    if args.json:
        print(json.dumps([each.to_json() for each in reports], indent=1))
    else:
        print("\n\n".join(told(each) for each in reports))
    return 2 if failed else 1 if any(each.news for each in reports) else 0


def _recorder(target: Target):
    found = RECORDERS.get(target.name)
    return found if found is not None else record_sdk.record_world


if __name__ == "__main__":
    sys.exit(main())
