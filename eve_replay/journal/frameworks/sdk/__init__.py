"""Plain Workflow SDK apps: a run is a session of its own."""
