"""Workflows recorded after the rules were written: other shapes, to hold the rules against."""

from __future__ import annotations

import asyncio

import flows as first
from flows import Answer, charge, mail, pick, refund, wf
from vercel.workflow import FatalError, get_step_metadata, set_attributes, sleep


def effect(tool: str, **more: object) -> None:
    """Write to the ledger; looked up late, so that a tap on it is seen."""
    first.effect(tool, **more)


@wf.step
async def ship(order: str, part: int) -> str:
    effect("ship", order=order, part=part)
    if part == 2:
        raise FatalError("no such part")
    return f"{order}/{part}"


@wf.step
async def shaky(order: str) -> str:
    effect("shaky", order=order)
    if get_step_metadata().attempt == 1:
        raise ValueError("first time")
    return order


@wf.step
async def slow(order: str) -> str:
    effect("slow", order=order)
    await asyncio.sleep(0.4)
    return order


@wf.workflow
async def saga(order: str) -> list:
    paid = await charge(order, 5)
    done = await asyncio.gather(ship(order, 1), ship(order, 2), return_exceptions=True)
    if any(isinstance(each, BaseException) for each in done):
        return [await refund(paid["order"])]
    return list(done)


@wf.workflow
async def loop(order: str) -> int:
    for n in range(3):
        await charge(f"{order}-{n}", n)
    await set_attributes({"stage": "mailed"})
    await mail(order)
    return 3


@wf.workflow
async def race(order: str) -> str:
    nap = asyncio.ensure_future(_nap())
    work = asyncio.ensure_future(_work(order))
    await asyncio.wait([nap, work], return_when=asyncio.FIRST_COMPLETED)
    await nap
    return await mail(order)


async def _nap() -> None:
    await sleep(1)


async def _work(order: str) -> str:
    return await slow(order)


@wf.workflow
async def ask_twice(order: str) -> str:
    first_answer = await Answer.wait(token=f"one-{order}")
    await shaky(first_answer.by)
    items = await asyncio.gather(pick("item-4"), pick("item-5"))
    return await mail(items[0])
