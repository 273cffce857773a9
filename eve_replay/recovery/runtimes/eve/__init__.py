"""How eve on the Workflow SDK recovers."""
