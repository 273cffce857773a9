"""What changed: values, attempts, steps and runs compared.

``diff_values`` gives a tree of :class:`Change` (values kept), ``json_patch`` the RFC 6902 operations over
tagged JSON, ``unified`` a text diff. ``diff.attempts``, ``diff.steps`` and ``diff.runs`` compare what the
journal joined. Front ends draw ``eve_replay.views.diffs.diff``, never these.
"""

from __future__ import annotations

from eve_replay.diff.model import ABSENT, Change, ChangeKind
from eve_replay.diff.patch import json_patch, unified
from eve_replay.diff.text import Piece, text_pieces
from eve_replay.diff.values import diff_values

__all__ = ["ABSENT", "Change", "ChangeKind", "Piece", "diff_values", "json_patch", "text_pieces", "unified"]
