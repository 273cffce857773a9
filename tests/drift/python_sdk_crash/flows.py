"""Workflows whose crashes are recorded: one per kind of thing that a Python workflow does.

Every side effect is a line in ``LEDGER`` (what really happened), written by the step that did it.
"""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import decimal
import json
import os
import uuid

import vercel.workflow as sdk
from vercel.workflow import BaseHook, Workflows, sleep

#: Older versions have no such classes and no streams: then a plain error, and no stream.
FatalError = getattr(sdk, "FatalError", RuntimeError)
RetryableError = getattr(sdk, "RetryableError", None)
get_step_metadata = getattr(sdk, "get_step_metadata", None)
get_writable = getattr(sdk, "get_writable", None)

wf = Workflows()


def effect(tool: str, **more: object) -> None:
    """Do what cannot be undone: one line in the ledger."""
    line = {"tool": tool, **more}
    if get_step_metadata is not None:
        meta = get_step_metadata()
        line = {"tool": tool, "step": meta.step_id, "attempt": meta.attempt, "run": meta.run_id, **more}
    with open(os.environ["LEDGER"], "a", encoding="utf-8") as ledger:
        ledger.write(json.dumps(line) + "\n")
        ledger.flush()
        os.fsync(ledger.fileno())


@wf.step
async def charge(order: str, cents: int) -> dict:
    effect("charge", order=order)
    return {"order": order, "cents": cents, "blob": b"\x01\x02"}


@wf.step
async def mail(to: str) -> str:
    effect("mail", to=to)
    return f"sent {to}"


@wf.step
async def pick(item: str) -> str:
    effect("pick", item=item)
    await asyncio.sleep(0.05 * (ord(item[-1]) % 4))
    return item.upper()


@wf.step
async def flaky(order: str) -> int:
    attempt = get_step_metadata().attempt if get_step_metadata is not None else 3
    effect("flaky", order=order)
    if attempt < 3:
        raise RetryableError(f"busy {attempt}", retry_after=1) if RetryableError else ValueError("busy")
    return attempt


@wf.step
async def refuse(order: str) -> str:
    effect("refuse", order=order)
    raise FatalError("card declined")


@wf.step
async def refund(order: str) -> str:
    effect("refund", order=order)
    return f"refunded {order}"


@wf.step(max_retries=1)
async def broken(order: str) -> str:
    effect("broken", order=order)
    raise ValueError("always")


@wf.step
async def gather_facts(order: str) -> dict:
    effect("gather_facts", order=order)
    if get_writable is not None:
        async with get_writable() as out:
            for n in range(3):
                await out.write({"line": n, "order": order})
    return {
        "roles": {"admin", "ops"},
        "pair": (1, "zwei"),
        "when": datetime.datetime(2026, 2, 3, 4, 5, 6, tzinfo=datetime.UTC),
        "price": decimal.Decimal("12.50"),
        "id": uuid.UUID(int=7),
        "big": 2**70,
        "text": "漢字 " * 400,
        "deep": [{"a": [None, True, 1.5, {"b": b"xyz"}]}],
    }


@dataclasses.dataclass
class Answer(BaseHook):
    """What a person sends."""

    approved: bool
    by: str


@wf.workflow
async def plain(order: str) -> str:
    paid = await charge(order, 2100)
    return await mail(paid["order"])


@wf.workflow
async def parallel(order: str) -> list:
    done = await asyncio.gather(pick("item-1"), pick("item-2"), pick("item-3"))
    return [*done, await mail(order)]


@wf.workflow
async def retry(order: str) -> int:
    n = await flaky(order)
    await mail(order)
    return n


@wf.workflow
async def fatal(order: str) -> str:
    try:
        await refuse(order)
    except Exception:
        return await refund(order)
    return "never"


@wf.workflow
async def exhausted(order: str) -> str:
    return await broken(order)


@wf.workflow
async def sleepy(order: str) -> str:
    await charge(order, 1)
    await sleep(2)
    return await mail(order)


@wf.workflow
async def hooked(order: str) -> str:
    await charge(order, 2)
    answer = await Answer.wait(token=f"approve-{order}")
    if answer.approved:
        return await mail(answer.by)
    return "refused"


@wf.workflow
async def nested(order: str) -> dict:
    facts = await gather_facts(order)
    await mail(order)
    return facts
