"""Worlds: where runs are stored. One module per kind; ``open_world`` finds the right one."""
