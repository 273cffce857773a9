"""What a person can always do with a store nobody has described: the vendor's own export, or a layout."""

from __future__ import annotations

__all__ = ["way_out"]


def way_out(source: str = "", package: str = "", *, describe: bool = False) -> str:
    """Return the commands that make any world readable, as one hint.

    Args:
        source: the store, for the command that describes it.
        package: the npm package of the world, a placeholder when unknown.
        describe: whether a draft of a layout can be written from the store.
    """
    world = package or "<package of the world>"
    hint = (
        f"The way that works for every world: npx workflow inspect runs --backend {world} --withData --json "
        f"> out/runs.json, then per run: npx workflow inspect steps --runId ID --backend {world} "
        f"--withData --limit 100 --json > out/ID.steps.json, the same with events, and open the folder out."
    )
    if describe:
        shown = source or "SOURCE"
        hint += (
            f" Or describe the store once: eve-replay worlds --describe '{shown}' > my.toml, fill it in, "
            f"and open '{shown}{'&' if '?' in shown else '?'}layout=my.toml'."
        )
    return hint
