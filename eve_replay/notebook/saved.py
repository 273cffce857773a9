"""A widget as a piece of HTML that needs nothing else: no kernel, no network, no library."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from eve_replay.errors import EveReplayError
from eve_replay.notebook._assets import Family, script, style

__all__ = ["SAVED_BUDGET", "pack", "packed_page", "saved_html"]

#: Bytes, packed, that saved answers of one widget may take: ten widgets stay under 3 MB, scripts included.
SAVED_BUDGET = 45_000
#: Characters of one saved answer: a diff of two huge states is not worth the room of a hundred tabs.
_ONE = 200_000


def pack(value: object) -> str:
    """Return JSON data as zlib in base64: nothing in it can end a script element, whatever a payload says."""
    return base64.b64encode(zlib.compress(_compact(value).encode("ascii"), 6)).decode("ascii")


def packed_page(
    data: Mapping[str, object],
    answer: Callable[[Mapping[str, Any]], object],
    preload: Iterable[Mapping[str, object]],
) -> str:
    """Return a widget's data, packed with as many preloaded answers as the budget allows.

    Args:
        data: what the widget needs for stepping; always whole.
        answer: answers a request.
        preload: the requests to answer, most wanted first.
    """
    saved: dict[str, object] = {}
    squeezed = zlib.compressobj(6)
    used = 0
    for request in preload:
        try:
            reply = answer(request)
        except EveReplayError:
            continue
        text = _compact(reply)
        if len(text) > _ONE:
            continue
        used += len(squeezed.compress(text.encode("ascii")))
        if used > SAVED_BUDGET:
            break
        saved[_asked(request)] = reply
    return pack({"data": data, "saved": saved})


def saved_html(kind: str, packed: str, fallback: str, family: Family = "journal") -> str:
    """Return HTML that unpacks and starts the widget; where scripts do not run it shows ``fallback``."""
    name = "er-" + hashlib.sha256(packed.encode("ascii")).hexdigest()[:12]
    call = f'document.getElementById("{name}"), "{kind}", "{packed}", {_inert(style(family))}'
    return (
        f'<div id="{name}" class="er-saved">{fallback}</div>\n'
        f'<script type="module">\n{script(family)}\neveReplay.start({call});\n</script>'
    )


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _asked(request: Mapping[str, object]) -> str:
    """Return a request as JavaScript's ``JSON.stringify`` writes it: answers are found by this text."""
    return json.dumps(request, separators=(",", ":"), ensure_ascii=False)


def _inert(text: str) -> str:
    """Return text as a JavaScript string that cannot end a script element."""
    return json.dumps(text).replace("<", "\\u003c").replace(">", "\\u003e")
