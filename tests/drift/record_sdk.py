# ruff: noqa: E501
"""The plain Workflow SDK: an app on Nitro, its serializer alone, or the app on another world."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.drift.compare import compare, compare_values
from tests.drift.packages import Failed, Target, npm, run
from tests.drift.record_eve import APPS, Server, _copy, _data, _lines, _until
from tests.drift.report import Report
from tests.drift.survey import look_at_record, odd, survey

CONFIG = """import { defineConfig } from "nitro";
export default defineConfig({ serverDir: "./server", modules: ["workflow/nitro"] });
"""
ROUTES = {
    "server/routes/health.get.ts": """import { defineHandler } from "nitro/h3";
export default defineHandler(() => ({ ok: true }));
""",
    "server/routes/start.post.ts": """import { defineHandler } from "nitro/h3";
import { start } from "workflow/api";
import { order } from "../../workflows/orders";
export default defineHandler(async (event) => {
  const { id } = await event.req.json() as any;
  const run = await start(order, [{ id, items: new Map([["sku", 2]]), placed: new Date(0), total: 12345678901234567890n }]);
  return { runId: run.runId };
});
""",
    "server/routes/approve.post.ts": """import { defineHandler } from "nitro/h3";
import { resumeHook } from "workflow/api";
export default defineHandler(async (event) => {
  const { id } = await event.req.json() as any;
  await resumeHook(`approve:${id}`, { ok: true });
  return { ok: true };
});
""",
    "server/plugins/start-world.ts": """import * as runtime from "workflow/runtime";
export default async () => {
  try { const world: any = await (runtime as any).getWorld(); await world.start?.(); } catch (e) { console.log("world.start", e); }
};
""",
}
#: Other worlds: the SDK they were made for, the server they need, how they are told of it (its ``{port}``).
WORLDS = {
    "@workflow-worlds/redis": (
        "4.1.0-beta.54",
        "redis-server",
        {"WORKFLOW_REDIS_URI": "redis://127.0.0.1:{port}"},
    ),
}


def record_app(target: Target, work: Path) -> list[Report]:
    """The plain app on the local world."""
    folder = _app(work / target.folder, {"workflow": target.version})
    _scenario(folder, {})
    end = _copy(_data(folder), folder / "recorded-end")
    reports = [
        survey(folder / "recorded-crash", f"{target} at the crash"),
        survey(end, f"{target} after it"),
    ]
    compare(end, folder / "node_modules", reports[1])
    return reports


def record_world(target: Target, work: Path) -> list[Report]:
    """The plain app on another world: what the reader says of its store."""
    if target.name not in WORLDS:
        raise Failed(
            f"{target.name} is not known here. There are eve, workflow, @workflow/core, vercel-workflow and the "
            f"worlds {', '.join(WORLDS)}; another one needs a line in WORLDS of tests/drift/record_sdk.py."
        )
    sdk, program, settings = WORLDS[target.name]
    folder = _app(work / target.folder, {"workflow": sdk, target.name: target.version})
    with _server(program, folder) as port:
        env = {key: value.replace("{port}", str(port)) for key, value in settings.items()}
        _scenario(folder, {**env, "WORKFLOW_TARGET_WORLD": target.name}, local=False)
        source = next(iter(env.values()))
        report = Report(name=f"{target} (its store)")
        said = run(sys.executable, "-m", "eve_replay", "worlds", "--probe", source)
        report.notes.append("probe: " + " ".join(said.split())[:300])
        look_at(source, report)
    return [report]


def look_at(source: str, report: Report) -> None:
    """Read a store through the product and note what it does not know."""
    from eve_replay.worlds.dump import dump_document
    from eve_replay.worlds.registry import open_world

    world = open_world(source)
    document = dump_document(world)
    report.seen = {key: len(value) for key, value in document.items() if isinstance(value, list)}
    if not report.seen.get("runs"):
        report.new("layout", "no run is found in the store", source)
    for kind in ("runs", "steps", "events", "hooks", "waits"):
        for record in document[kind]:
            look_at_record(kind, record, report)
    for problem in world.receipt.problems:
        report.new("reader", f"{problem.code}: {problem.message}", problem.where)
    for place, tag in odd(document, "$"):
        report.new("tag", tag, place)


@contextlib.contextmanager
def _server(program: str, folder: Path) -> Iterator[int]:
    """A server of the store on a free port, ended with the recording."""
    found = shutil.which(program)
    if found is None:
        raise Failed(f"{program} is not installed.")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    store = folder / "store"
    shutil.rmtree(store, ignore_errors=True)
    store.mkdir(parents=True)
    process = subprocess.Popen(
        [found, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(store), "--save", ""],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        time.sleep(0.5)
        yield port
    finally:
        process.kill()
        process.wait()


def record_values(target: Target, work: Path) -> list[Report]:
    """The serializer alone: many values, written and read by it, and read by this reader."""
    folder = npm(work / target.folder, {target.name: target.version})
    report = Report(name=f"{target} (values)")
    compare_values(folder / "node_modules", report)
    return [report]


def _app(folder: Path, dependencies: dict[str, str]) -> Path:
    npm(folder, {**dependencies, "nitro": "3.0.260903-beta"})
    (folder / "nitro.config.ts").write_text(CONFIG)
    for place, text in ROUTES.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)
    (folder / "workflows").mkdir(exist_ok=True)
    shutil.copyfile(APPS / "sdk/orders.ts", folder / "workflows/orders.ts")
    if not (folder / ".output").exists():
        run("npx", "--no-install", "nitro", "build", cwd=folder)
    return folder


def _scenario(folder: Path, env: dict[str, str], *, local: bool = True) -> None:
    """A run to its end, and one that is killed inside a step and taken up again."""
    for name in (".workflow-data", ".output/.workflow-data", "recorded-crash", "recorded-end"):
        shutil.rmtree(folder / name, ignore_errors=True)
    ledger = folder / "ledger.ndjson"
    ledger.unlink(missing_ok=True)
    env = {**env, "LEDGER_FILE": str(ledger)}
    command = ["node", ".output/server/index.mjs"]
    server = Server(folder, command, env, "/health")
    try:
        _start(server, "a")
        _until(lambda: _lines(ledger) >= 2, 40, "the run's end", give_up=False)
    finally:
        server.kill()
    server = Server(folder, command, {**env, "SLOW": "60000"}, "/health")
    try:
        before = _lines(ledger)
        server.ask("POST", "/start", {"id": "b"})
        _until(lambda: _lines(ledger) > before, 40, "the slow step")
    finally:
        server.kill()
    if local:
        _copy(_data(folder), folder / "recorded-crash")
    server = Server(folder, command, env, "/health")
    try:
        before = _lines(ledger)
        _until(lambda: _lines(ledger) > before, 15, "the step's second run", give_up=False)
        _approve(server, "b")
        time.sleep(3.0)
    finally:
        server.kill()


def _start(server: Server, id_: str) -> None:
    status, text = server.ask("POST", "/start", {"id": id_})
    if status != 200:
        raise Failed(f"start answered {status}: {text[:300]}")
    _approve(server, id_)


def _approve(server: Server, id_: str) -> None:
    def approved() -> bool:
        return server.ask("POST", "/approve", {"id": id_})[0] == 200

    _until(approved, 15, "the hook", give_up=False)
