"""Do the payloads decode, and are they sealed where they should be?"""

from __future__ import annotations

from collections.abc import Iterator

from eve_replay.checks.finding import Finding
from eve_replay.checks.phrases import count
from eve_replay.codec import Payload
from eve_replay.journal.model import Evidence, Run
from eve_replay.problems import Severity
from eve_replay.records import RUN_PAYLOADS, STEP_PAYLOADS
from eve_replay.values import Undecoded

__all__ = ["check_payloads"]

_SEALS = frozenset({"encr", "encp"})
_WHY: dict[str, tuple[Severity, str, str]] = {
    "missing-key": (
        "warning",
        "The bytes are whole and encrypted; only the key is missing.",
        "Give the run key (--key).",
    ),
    "wrong-key": ("warning", "The key given does not open it.", "Give the key of this run."),
}
_BROKEN: tuple[Severity, str, str] = (
    "error",
    "The runtime cannot read it either: a replay that needs it fails.",
    "Compare with a backup; the raw bytes can be written out with the decode command.",
)


def check_payloads(run: Run) -> Iterator[Finding]:
    """Yield one finding per way in which payloads of a run fail, with the first place and the number.

    Decodes every payload of the run: this is the doctor's costly part.
    """
    failed: dict[str, list[tuple[str, str, str]]] = {}
    open_text: list[tuple[str, str]] = []
    sealed = _sealed_expected(run)
    seen: set[int] = set()
    for where, kind, payload in _payloads(run):
        if isinstance(payload.raw, bytes):
            # Every step's input stands in its record and in its event: once is enough.
            digest = hash(payload.raw)
            if digest in seen:
                continue
            seen.add(digest)
        layers = payload.layers
        if sealed and isinstance(payload.raw, bytes) and layers and not _SEALS & set(layers):
            open_text.append((where, kind))
        value = payload.shared
        if isinstance(value, Undecoded):
            failed.setdefault(value.reason, []).append((where, kind, value.message))
    for reason, places in sorted(failed.items()):
        severity, why, fix = _WHY.get(reason, _BROKEN)
        where, kind, message = places[0]
        more = f", and {count(len(places) - 1, 'more like it', 'more like it')}" if len(places) > 1 else ""
        yield Finding(
            code=f"payload-{reason}",
            severity=severity,
            where=where,
            sentence=f"{kind} does not decode ({reason}: {message.rstrip('.')}){more}.",
            why=why,
            fix=fix,
            run_id=run.run_id,
            session_id=run.session_id,
            evidence=tuple(
                Evidence(kind="payload", id=w, run_id=run.run_id, path=k) for w, k, _ in places[:20]
            ),
        )
    if open_text:
        where, kind = open_text[0]
        yield Finding(
            code="payload-plain-text",
            severity="warning",
            where=where,
            sentence=f"{count(len(open_text), 'payload')} in plain text although the run says that it "
            "encrypts"
            f" (first: {kind}).",
            why="Whoever reads the store reads these.",
            fix="Find out which writer had no key; purge or re-encrypt them.",
            run_id=run.run_id,
            session_id=run.session_id,
        )


def _sealed_expected(run: Run) -> bool:
    """Whether the run says that its payloads are encrypted (``features.encryption``, or a public key)."""
    context = run.record.fields.get("executionContext")
    features = context.get("features") if isinstance(context, dict) else None
    if isinstance(features, dict) and features.get("encryption") is True:
        return True
    return isinstance(run.record.fields.get("encryptionPublicKey"), str)


def _payloads(run: Run) -> Iterator[tuple[str, str, Payload]]:
    for name in RUN_PAYLOADS:
        payload = run.record.payload(name)
        if payload is not None:
            yield run.run_id, f"the run's {name}", payload
    for step in run.steps:
        if step.record is None:
            continue
        for name in STEP_PAYLOADS:
            payload = step.record.payload(name)
            if payload is not None:
                yield step.step_id, f"the {name} of {step.function}", payload
    for event in run.events:
        for name, payload in event.payloads():
            yield event.event_id, f"{name} of {event.event_type}", payload
    for hook in run.hooks:
        payload = hook.payload("metadata")
        if payload is not None:
            yield hook.hook_id, "the hook's metadata", payload
