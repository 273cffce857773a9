# ruff: noqa: E501
"""One process of the app: starts a workflow or serves the queue, and kills itself where it is told to.

    worker.py start FLOW     start a workflow and work until it has ended
    worker.py serve          work on what the queue delivers
    worker.py resume TOKEN   answer a hook
    worker.py wake RUN_ID    send the run's own message again, as a person would (world.queue)

Environment: WORKFLOW_LOCAL_DATA_DIR, LEDGER, WRITES (log of the writes), FLOWS (module with the workflows),
TAP (``N:in``, ``N:left`` or ``N:after``, N counting the durable writes of this process from 1; or
``ledger:N``: right after the N-th line in the ledger). With VERCEL_QUEUE_BASE_URL the queue is a process of its own
and outlives this one; without, it lives in the memory of this one.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import pathlib
import signal
import sys

DATA = str(pathlib.Path(os.environ["WORKFLOW_LOCAL_DATA_DIR"]).resolve())
LEDGER = os.environ["LEDGER"]
TAP = os.environ.get("TAP", "")
PRODUCT = sys.argv[1] if len(sys.argv) > 1 else ""
count = 0


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def hit(place: str) -> bool:
    return f"{count}:{place}" == TAP


def note(path: object) -> None:
    with open(os.environ["WRITES"], "a", encoding="utf-8") as out:
        out.write(f"{count} {os.path.relpath(str(path), DATA)}\n")


def inside(path: object) -> bool:
    text = os.path.abspath(os.fspath(path))
    return text.startswith(DATA + os.sep)


def is_temporary(path: object) -> bool:
    return os.path.basename(os.fspath(path)).startswith("tmp")


def tap_writes() -> None:
    """Count what makes a file appear or vanish under the data folder, and die before or after it."""
    global count
    link, replace, rename, unlink = os.link, os.replace, os.rename, os.unlink

    def moved(real):
        def move(src, dst, *args, **kwargs):
            global count
            if not inside(dst):
                return real(src, dst, *args, **kwargs)
            count += 1
            note(dst)
            if hit("in"):
                die()
            real(src, dst, *args, **kwargs)
            if hit("left") or hit("after"):
                die()
            return None

        return move

    def linked(src, dst, *args, **kwargs):
        global count
        if inside(dst):
            count += 1
            note(dst)
            if hit("in"):
                die()
        link(src, dst, *args, **kwargs)
        if inside(dst) and hit("left"):
            die()

    def unlinked(path, *args, **kwargs):
        global count
        gone = inside(path) and not is_temporary(path) and os.path.exists(path)
        if gone:
            count += 1
            note(f"{path} -")
            if hit("in"):
                die()
        unlink(path, *args, **kwargs)
        if inside(path) and hit("after"):
            die()

    os.link, os.replace, os.rename, os.unlink = linked, moved(replace), moved(rename), unlinked


def tap_ledger(flows) -> None:
    real, wanted = flows.effect, TAP.partition(":")[2]
    done = 0

    def effect(*args, **kwargs):
        nonlocal done
        done += 1
        real(*args, **kwargs)
        if TAP.startswith("ledger:") and str(done) == wanted:
            die()

    flows.effect = effect


async def serve(flows) -> None:
    """Take messages from the queue, several at a time, as a dev server would push them."""
    from vercel.workflow._internal import world as w

    world = w.get_world()
    if hasattr(world, "_get_queue_client"):
        await world._get_queue_client()
    if not os.environ.get("VERCEL_QUEUE_BASE_URL"):
        await asyncio.Event().wait()
    topics = [
        str(w.get_physical_topic(w.get_queue_name(each.workflow_id, None)))
        for each in flows.wf._workflows.values()
        if not os.environ.get("FLOW") or each.workflow_id.endswith(os.environ["FLOW"])
    ]

    import vercel.queue as queue

    async def one() -> None:
        client = queue.QueueClient(region="iad1", deployment=queue.ALL_DEPLOYMENTS)
        while True:
            try:
                await client.poll_and_handle(
                    world._queue_callbacks[0],
                    topics=topics,
                    interval=0.1,
                    limit=1,
                    lease_duration=int(os.environ.get("LEASE", "3")),
                )
            except Exception as error:
                print("poll:", type(error).__name__, error, flush=True)
                await asyncio.sleep(0.2)

    await asyncio.gather(*(one() for _ in range(4)))


async def main() -> None:
    flows = importlib.import_module(os.environ.get("FLOWS", "flows"))
    tap_writes()
    tap_ledger(flows)
    from vercel.workflow import Run, start
    from vercel.workflow._internal import world as w

    if sys.argv[1] == "start":
        serving = asyncio.create_task(serve(flows))
        flow = getattr(flows, sys.argv[2])
        run = await start(flow, "o-1")
        print("run", run.run_id, flush=True)
        await serving if os.environ.get("STAY") else await asyncio.wait_for(_ended(run), 60)
    elif sys.argv[1] == "serve":
        print("serving", flush=True)
        await serve(flows)
    elif sys.argv[1] == "resume":
        await flows.Answer(approved=True, by="wu@example.test").resume(sys.argv[2])
        print("resumed", flush=True)
    elif sys.argv[1] == "wake":
        run = await w.get_world().runs_get(sys.argv[2])
        payload = w.WorkflowInvokePayload(run_id=sys.argv[2])
        await w.get_world().queue(w.get_queue_name(run.workflow_name, None), payload)
        if os.environ.get("VERCEL_QUEUE_BASE_URL"):
            return
        await asyncio.sleep(float(os.environ.get("STAY", "4")))
        print(await Run(sys.argv[2]).status(), flush=True)


async def _ended(run) -> None:
    while await run.status() not in ("completed", "failed", "cancelled"):
        await asyncio.sleep(0.1)


asyncio.run(main())
