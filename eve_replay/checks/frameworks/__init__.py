"""Checks of journals that are not on the Workflow SDK's log."""
