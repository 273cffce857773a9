"""What eve, plain Workflow SDK apps and the Python SDK share: the event log, and eve's stream in it."""
