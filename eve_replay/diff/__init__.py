"""What changed: values, attempts, steps and runs compared.

``diff_values`` gives a tree of :class:`Change` (values kept), ``json_patch`` the RFC 6902 operations over
tagged JSON, ``unified`` a text diff. ``diff.attempts``, ``diff.steps`` and ``diff.runs`` compare what the
journal joined. Front ends draw ``eve_replay.views.diffs.diff``, never these.

The room can be called: ``er.diff(step)`` is ``er.attempt_diff(step)``, which is what a type checker knows.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

from eve_replay.diff.model import ABSENT, Change, ChangeKind
from eve_replay.diff.patch import json_patch, unified
from eve_replay.diff.text import Piece, text_pieces
from eve_replay.diff.values import diff_values

__all__ = ["ABSENT", "Change", "ChangeKind", "Piece", "diff_values", "json_patch", "text_pieces", "unified"]


class _Called(ModuleType):
    """The module as a function, for who writes ``er.diff(step)`` as they write ``er.why(step)``."""

    def __call__(self, target: object, first: int = 1, second: int | None = None, **more: object) -> object:
        """Return two attempts side by side: ``er.attempt_diff``."""
        return import_module(__name__.partition(".")[0]).attempt_diff(target, first, second, **more)


sys.modules[__name__].__class__ = _Called
