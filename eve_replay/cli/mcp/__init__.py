"""The journal for coding agents: the documents of the commands, as few tools of a read-only MCP server."""
