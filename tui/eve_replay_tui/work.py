"""Starting work beside the screen: the newest of a group counts, the one before it is cancelled."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, cast

from textual.dom import DOMNode

__all__ = ["start"]


def start(node: DOMNode, group: str, work: Callable[..., Coroutine[Any, Any, Any]], *args: Any) -> None:
    """Run ``work(*args)`` as a worker of a node. It is called when it begins.

    Args:
        node: who waits for it; the work ends with it.
        group: a name; work of the same group that has not ended is cancelled.
        work: an async function.
        *args: its arguments.
    """

    async def run() -> None:
        await work(*args)

    node.run_worker(cast(Any, run), group=group, exclusive=True)
