"""Worlds described by data: a layout says which table or key holds what, a few readers do the rest."""
