"""A widget as a piece of HTML that needs nothing else: no kernel, no network, no library."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eve_replay.errors import EveReplayError
from eve_replay.notebook._assets import script, style

__all__ = ["SAVED_BUDGET", "saved_html"]

#: Bytes of saved answers per widget: ten widgets must stay under 3 MB, scripts included.
SAVED_BUDGET = 90_000


def saved_html(
    kind: str,
    data: Mapping[str, object],
    answer: Callable[[Mapping[str, Any]], object],
    preload: Sequence[Mapping[str, object]],
) -> str:
    """Return HTML with the widget's data and as many preloaded answers as the budget allows."""
    saved: dict[str, object] = {}
    used = 0
    for request in preload:
        try:
            reply = answer(request)
        except EveReplayError:
            continue
        size = len(_compact(reply))
        if used + size > SAVED_BUDGET:
            continue
        used += size
        saved[_compact(request)] = reply
    packed = _inert(_compact({"kind": kind, "data": data, "saved": saved}))
    name = "er-" + hashlib.sha256(packed.encode("utf-8", "replace")).hexdigest()[:12]
    return (
        f'<div id="{name}" class="er-saved"></div>'
        f'<script type="application/json" id="{name}-data">{packed}</script>'
        f'<script type="module">\n{script()}\n'
        f'const page = JSON.parse(document.getElementById("{name}-data").textContent);\n'
        f'start(document.getElementById("{name}"), page.kind, page.data, page.saved, {_inert(_compact(style()))});\n'
        f"</script>"
    )


def _compact(value: object) -> str:
    """Return JSON as JavaScript's ``JSON.stringify`` writes it: requests are found again by their text."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _inert(json_text: str) -> str:
    """Return JSON that cannot end a script element or start a comment in it, whatever a payload says."""
    return json_text.replace("<", "\\u003c").replace(">", "\\u003e").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
