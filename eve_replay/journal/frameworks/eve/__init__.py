"""eve: sessions, turns and subagents on the Workflow SDK's log."""
