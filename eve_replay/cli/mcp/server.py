"""The server: the tools over stdio, with the official SDK."""

from __future__ import annotations

from eve_replay._version import __version__
from eve_replay.cli.mcp.tools import INSTRUCTIONS, Tools
from eve_replay.errors import WrongUse

__all__ = ["serve"]


def serve(source: str, *, budget: int) -> None:
    """Answer on stdin and stdout until the client leaves.

    Args:
        source: as on the command line.
        budget: bytes of an answer, about.

    Raises:
        WrongUse: the SDK is not installed.
    """
    try:
        from mcp.server import MCPServer
        from mcp.types import ToolAnnotations
    except ImportError:
        raise WrongUse(
            "Serving an agent needs the MCP SDK, version 2.", hint="pip install 'eve-replay[mcp]'."
        ) from None
    server = MCPServer("eve-replay", version=__version__, instructions=INSTRUCTIONS, log_level="ERROR")
    for tool in Tools(source, budget=budget).all():
        notes = ToolAnnotations(
            title=tool.__name__.replace("_", " "),
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        )
        server.tool(annotations=notes, structured_output=False)(tool)
    server.run("stdio")
