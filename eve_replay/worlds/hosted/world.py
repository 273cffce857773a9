"""Reads runs, steps, events, hooks and streams of the hosted store as records (docs/formats/hosted.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from eve_replay.codec import KeyRing, loads_json, parse_key
from eve_replay.errors import EveReplayError, SourceUnreadable, WrongUse
from eve_replay.problems import LISTS, Lacking, Receipt
from eve_replay.records import (
    EventRecord,
    HookRecord,
    Other,
    RunRecord,
    StepRecord,
    StreamChunk,
    StreamRecord,
)
from eve_replay.values import JsBytes, Undecoded
from eve_replay.worlds.cborx import decode_cbor
from eve_replay.worlds.export.entities import Wrap, entity_fields
from eve_replay.worlds.hosted.client import Answer, HostedClient
from eve_replay.worlds.hosted.shape import Fetched, maps, part, waits_of
from eve_replay.worlds.hosted.wire_frames import BODY_FIELD, Frame, FrameBatch, read_frames

__all__ = ["HostedWorld", "Site"]

#: Page sizes the vendor's own clients use (recorded exchanges): runs and steps 100, events 1000.
_PAGE, _EVENT_PAGE = 100, 1000
#: A cursor that does not move, or an endless supply of pages, ends here.
_MOST_PAGES = 100_000
_REFS = ("input", "output", "error", "metadata")


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where to read: base address, team, project, environment, token and seconds to wait."""

    base: str
    team: str | None = None
    project: str | None = None
    environment: str = "production"
    token: str | None = field(default=None, repr=False)
    timeout: float = 20.0

    @property
    def prefix(self) -> str:
        """What goes before every path: through the proxy nothing, directly ``/api``.

        Source: docs/formats/hosted.md#where.
        """
        return "" if self.project and self.team else "/api"

    def headers(self) -> dict[str, str]:
        """Return the request headers; the token is in them and nowhere else."""
        headers = {
            "Accept": "application/cbor",
            "User-Agent": "eve-replay",
            "x-vercel-environment": self.environment,
        }
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.project and self.team:
            headers |= {"x-vercel-project-id": self.project, "x-vercel-team-id": self.team}
        return headers


class HostedWorld:
    """Runs in the hosted store. Each answer is asked for when it is needed and not kept.

    Args:
        site: where to read.
        wrap: makes the payloads; its keys open encrypted ones.
        fetch_keys: ask the vendor's audited key route for the key of each run that is read.
        client: replaced in tests; None makes one for ``site``.
    """

    kind = "hosted"

    def __init__(
        self,
        site: Site,
        *,
        wrap: Wrap | None = None,
        fetch_keys: bool = False,
        client: HostedClient | None = None,
    ) -> None:
        self._site = site
        self._client = client or HostedClient(base=site.base, headers=site.headers(), timeout=site.timeout)
        place = "/".join(part for part in (site.team, site.project) if part)
        self.label = f"{urlsplit(site.base).netloc}{f' {place}' if place else ''}"
        self.receipt = Receipt()
        self.about: Mapping[str, object] = {
            "host": urlsplit(site.base).netloc,
            "environment": site.environment,
            **({"team": site.team, "project": site.project} if place else {}),
        }
        wrap = wrap or Wrap()
        self._deployments: dict[str, str] = {}
        self._asked: set[tuple[object, ...]] = set()
        self._fresh = True
        self._known: set[str] = set()
        if fetch_keys:
            known = wrap.keys
            wrap = Wrap(keys=KeyRing(derive=lambda run: self._run_key(run, known)), limit=wrap.limit)
            self.receipt.problem(
                "info", "key-route", self.label,
                "Run keys are asked from the vendor's key route, which logs each request for audits.",
            )  # fmt: skip
        self._wrap = wrap
        #: Read by those who decode stream chunks.
        self.keys, self.limit = wrap.keys, wrap.limit

    # -- the World protocol ---------------------------------------------------------------------------

    def runs(self) -> Iterator[RunRecord]:
        """Yield every run, oldest first, without payloads: they are asked for when one is opened."""
        query: dict[str, str | int] = {"limit": _PAGE, "sortOrder": "asc", "remoteRefBehavior": "lazy"}
        # The order is asked for, and not relied on: older servers list the newest first whatever is asked.
        found = {str(item.get("runId") or ""): item for item in self._pages("/v2/runs", query, "runs")}
        for run_id in sorted(found):
            yield RunRecord(self._listed(found[run_id]), origin=f"runs/{run_id}")

    def run(self, run_id: str) -> RunRecord:
        """Return one run with its payloads. Raises NotFound."""
        item = self._one(f"/v2/runs/{part(run_id)}", {"remoteRefBehavior": "resolve"})
        return RunRecord(self._fields(item, f"runs/{run_id}"), origin=f"runs/{run_id}")

    def steps(self, run_id: str) -> Iterator[StepRecord]:
        """Yield the run's steps by step id."""
        query: dict[str, str | int] = {"limit": _PAGE, "remoteRefBehavior": "resolve"}
        found = list(self._pages(f"/v2/runs/{part(run_id)}/steps", query, f"runs/{run_id}/steps"))
        self._check(run_id, found)
        for item in sorted(found, key=lambda item: str(item.get("stepId"))):
            where = f"runs/{run_id}/steps/{item.get('stepId')}"
            yield StepRecord(self._fields(item, where), origin=where)

    def events(self, run_id: str) -> Iterator[EventRecord]:
        """Yield the run's events in the order of the log."""
        # A sealed log has fillers (docs/formats/hosted.md); a page that overlaps the one before repeats
        # events.
        records = [self._event(frame, run_id) for frame in self._frames(run_id)]
        self._check(run_id, records)
        kept = {r.event_id: r for r in records if r.event_type != "noop" and r.run_id == run_id}
        yield from sorted(kept.values(), key=lambda r: (r.slot is None, r.slot or 0, r.event_id))

    def others(self, run_id: str) -> Iterator[Other]:
        """Yield hooks, waits (from their events: the API has no route for them) and stream names."""
        part(run_id)
        self._check(run_id)
        query: dict[str, str | int] = {"limit": _PAGE, "remoteRefBehavior": "resolve", "runId": run_id}
        for item in self._pages("/v2/hooks", query, f"runs/{run_id}/hooks"):
            if item.get("runId") == run_id:
                where = f"hooks/{item.get('hookId')}"
                yield HookRecord(self._fields(item, where), origin=where)
        yield from waits_of(run_id, self.events(run_id))
        for name in self._stream_names(run_id):
            yield StreamRecord({"runId": run_id, "name": name}, origin=f"runs/{run_id}/streams/{name}")

    def stream(self, run_id: str, name: str) -> Iterator[StreamChunk]:
        """Yield a stream's chunks; the API numbers them, so their ids are ``index:0``, ``index:1``."""
        path = f"/v2/runs/{part(run_id)}/streams/{part(name)}/chunks"
        where = f"runs/{run_id}/streams/{name}"
        last, done = -1, False
        for page in self._raw_pages(path, {"limit": _PAGE}, where):
            done = done or page.get("done") is True
            for item in maps(page.get("data")):
                data = item.get("data")
                data = data.data if isinstance(data, JsBytes) else data
                index = item.get("index")
                if not isinstance(data, bytes) or not isinstance(index, int):
                    self.receipt.skip(where=where, what="chunk", why="It has no index or no bytes.")
                    continue
                last = max(last, index)
                yield StreamChunk(
                    stream=name, chunk_id=f"index:{index:08d}", data=data, origin=f"{where}/{index}"
                )
        if done:
            yield StreamChunk(
                stream=name, chunk_id=f"index:{last + 1:08d}", data=b"", end=True, origin=f"{where} done"
            )

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _check(self, run_id: str, found: Sequence[object] = ()) -> None:
        """Ask for the run when nothing shows that there is one. Raises NotFound."""
        if not found and run_id not in self._known:
            self.run(run_id)
        self._known.add(run_id)

    # -- asking ---------------------------------------------------------------------------------------

    def _get(self, path: str, query: Mapping[str, str | int | None]) -> Answer:
        answer = self._client.get(self._site.prefix + path, query)
        asked = (path, *sorted((name, str(value)) for name, value in query.items()))
        self._fresh = asked not in self._asked
        self._asked.add(asked)
        self.receipt.seen += self._fresh
        if answer.cut:
            self.receipt.problem(
                "error", "cut-answer", path, "The answer ended early; what came before the cut is shown.",
                "Read it again.",
            )  # fmt: skip
        return answer

    def _document(self, path: str, query: Mapping[str, str | int | None]) -> object:
        answer = self._get(path, query)
        if answer.content_type == "application/cbor":
            value: object = decode_cbor(answer.body)
        else:
            try:
                value = loads_json(answer.body)
            except ValueError as error:
                value = Undecoded("bad-json", f"The answer is no JSON: {error}.")
        if isinstance(value, Undecoded):
            self.receipt.skip(where=path, what="answer", why=value.message)
        else:
            self.receipt.parsed += self._fresh
        return value

    def _one(self, path: str, query: Mapping[str, str | int | None]) -> Mapping[str, object]:
        value = self._document(path, query)
        if isinstance(value, Mapping):
            return value
        raise SourceUnreadable(
            f"The hosted store's answer to {path} is not a record.",
            hint="Read it again, or check the address.",
        )

    def _raw_pages(
        self, path: str, query: Mapping[str, str | int], where: str
    ) -> Iterator[Mapping[str, object]]:
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = self._document(path, {**query, "cursor": cursor})
            if not isinstance(page, Mapping):
                self._gap(where, "the listing stops: a page could not be read")
                self.receipt.problem(
                    "error", "cut-listing", where, "The listing stops here: a page could not be read.",
                    "Read it again.",
                )  # fmt: skip
                return
            yield page
            following = page.get("cursor")
            if not page.get("hasMore"):
                return
            if not isinstance(following, str) or following == cursor:
                self._gap(where, "the server said there is more, but not where to go on")
                self.receipt.problem(
                    "error", "lost-cursor", where, "The server says there is more, but not where to go on."
                )
                return
            cursor = following

    def _pages(self, path: str, query: Mapping[str, str | int], where: str) -> Iterator[Mapping[str, object]]:
        for page in self._raw_pages(path, query, where):
            yield from maps(page.get("data"))

    def _frames(self, run_id: str) -> Iterator[Frame]:
        path, where = f"/v4/runs/{part(run_id)}/events", f"runs/{run_id}/events"
        cursor: str | None = None
        resumed = 0
        for _ in range(_MOST_PAGES):
            query = {"limit": _EVENT_PAGE, "cursor": cursor, "remoteRefBehavior": "resolve"}
            batch = read_frames(self._get(path, query).body)
            self.receipt.parsed += self._fresh
            yield from batch.frames
            if batch.failure is not None:
                code, message = batch.failure
                self._gap(where, f"the server gave up after {len(batch.frames)} events ({message})")
                self.receipt.problem(
                    "error", code, where, f"The server gave up after {len(batch.frames)} events: {message}.",
                    "Events after this one are missing here, not in the run.",
                )  # fmt: skip
                return
            if not batch.truncated:
                if not batch.has_more:
                    return
                following = batch.next_cursor
            else:
                resumed += 1
                following = self._resume(batch, where, resumed)
            if following is None or following == cursor:
                self._gap(where, "the events were cut off on the way")
                self.receipt.problem(
                    "error", "cut-events", where,
                    f"The events stop here: {batch.damage or 'no cursor to go on'}.",
                    "Read it again.",
                )  # fmt: skip
                return
            cursor = following

    def _gap(self, where: str, why: str) -> None:
        """Say which list is not whole: ``where`` is ``runs``, or ``runs/ID/events`` and the like."""
        parts = where.split("/")
        of: Lacking = next((each for each in LISTS if each == parts[-1]), "others")
        self.receipt.gap(of, why, run_id=parts[1] if len(parts) > 1 else "")

    def _resume(self, batch: FrameBatch, where: str, resumed: int) -> str | None:
        """Return the cursor to go on with after a cut: the vendor's ``eid:<last event id>``."""
        last = batch.frames[-1].meta.get("eventId") if batch.frames else None
        if not isinstance(last, str) or resumed > 20:
            return None
        self.receipt.problem(
            "info",
            "resumed",
            where,
            f"The stream of events was cut ({batch.damage}); reading went on after {last}.",
        )
        return f"eid:{last}"

    # -- shaping --------------------------------------------------------------------------------------

    def _fields(self, item: Mapping[str, object], where: str) -> dict[str, object]:
        fields = entity_fields({k: v for k, v in item.items() if not k.endswith("Ref")}, self._wrap, where)
        self._remember(fields)
        for name in _REFS:
            if name not in fields and item.get(f"{name}Ref") is not None:
                lost = Undecoded("unresolved-ref", f"The server sent a reference instead of the {name}.")
                fields[name] = self._wrap.decoded(lost, f"{where}/{name}", str(item.get("runId") or ""))
        return fields

    def _listed(self, item: Mapping[str, object]) -> Mapping[str, object]:
        """Return the fields of a listed run; payloads the list left out are fetched when asked for."""
        ready = entity_fields({k: v for k, v in item.items() if not k.endswith("Ref")}, self._wrap, "runs")
        self._remember(ready)
        run_id = str(item.get("runId") or "")
        missing = [name for name in _REFS if name not in ready and item.get(f"{name}Ref") is not None]
        return Fetched(ready, missing, lambda: self._resolved(run_id)) if missing else ready

    def _resolved(self, run_id: str) -> Mapping[str, object]:
        try:
            return self.run(run_id).fields
        except EveReplayError as error:
            lost = Undecoded("not-fetched", f"The payload could not be fetched: {error.message}")
            return {name: self._wrap.decoded(lost, f"runs/{run_id}/{name}", run_id) for name in _REFS}

    def _event(self, frame: Frame, run_id: str) -> EventRecord:
        where = f"runs/{run_id}/events/{frame.meta.get('eventId')}"
        fields = entity_fields({"runId": run_id, **frame.meta}, self._wrap, where)
        name = BODY_FIELD.get(str(frame.meta.get("eventType")))
        if frame.body:
            data = fields.get("eventData")
            inner = dict(data) if isinstance(data, Mapping) else {}
            inner[name or "payload"] = self._body(frame.body, f"{where}/{name}", run_id)
            fields["eventData"] = inner
        return EventRecord(fields, origin=where)

    def _body(self, body: bytes, where: str, run_id: str) -> object:
        """A body is a prefixed payload; error bodies of old releases are a CBOR map instead.

        Source: docs/formats/hosted.md.
        """
        if body[:1] >= b"\xa0":
            value = decode_cbor(body)
            if isinstance(value, Mapping):
                return self._wrap.payload(value, where, run_id)
        return self._wrap.payload(body, where, run_id)

    def _stream_names(self, run_id: str) -> list[str]:
        value = self._document(f"/v2/runs/{part(run_id)}/streams", {})
        return sorted(name for name in value if isinstance(name, str)) if isinstance(value, list) else []

    # -- keys -----------------------------------------------------------------------------------------

    def _remember(self, fields: Mapping[str, object]) -> None:
        run, deployment = fields.get("runId"), fields.get("deploymentId")
        if isinstance(run, str) and isinstance(deployment, str):
            self._deployments[run] = deployment

    def _run_key(self, run_id: str, known: KeyRing | None) -> bytes | None:
        """Ask the vendor's key route for a run's key (only when the caller chose it)."""
        key = known.key_for(run_id) if known else None
        deployment = self._deployments.get(run_id)
        if key is not None or deployment is None or not self._site.project:
            return key
        query = {"projectId": self._site.project, "runId": run_id, "teamId": self._site.team}
        try:
            answer = loads_json(self._client.get(f"/run-key/{part(deployment)}", query).body)
            text = answer.get("key") if isinstance(answer, Mapping) else None
            return parse_key(text) if isinstance(text, str) else None
        except (EveReplayError, WrongUse, ValueError) as error:
            self.receipt.problem("warning", "no-run-key", run_id, f"The key route gave no key: {error}.")
            return None
