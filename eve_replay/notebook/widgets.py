"""The three live widgets: one anywidget class, because they differ in their data only."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from typing import Any

import anywidget
import traitlets

from eve_replay.errors import EveReplayError
from eve_replay.notebook._assets import style, widget_module
from eve_replay.notebook.saved import saved_html

__all__ = ["JournalWidget"]

#: Positions by widget kind and session, so that running a cell again comes back to the same place.
_POSITIONS: dict[tuple[str, str], object] = {}


class JournalWidget(anywidget.AnyWidget):
    """A widget over one session.

    Args:
        kind: ``explorer``, ``crashlab`` or ``diff``.
        data: what the browser needs for stepping, plain JSON data.
        answer: answers a request of the browser with plain JSON data; errors of this package are shown.
        identity: what the position is remembered by; empty for none.
        preload: requests whose answers a saved page should hold.
        text: what a terminal shows in its place.
    """

    _esm = widget_module()
    _css = style()
    kind = traitlets.Unicode().tag(sync=True)
    data = traitlets.Dict().tag(sync=True)
    position = traitlets.Any(None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        *,
        kind: str,
        data: Mapping[str, object],
        answer: Callable[[Mapping[str, Any]], object],
        identity: str = "",
        preload: tuple[Mapping[str, object], ...] = (),
        text: str = "",
    ) -> None:
        self._answer = answer
        self._preload = preload
        self._text = text
        where = (kind, identity)
        super().__init__(kind=kind, data=dict(data), position=_POSITIONS.get(where) if identity else None)
        self.on_msg(self._asked)
        if identity:
            self.observe(lambda change: _POSITIONS.__setitem__(where, change["new"]), names="position")

    def _asked(self, _widget: object, message: object, _buffers: object) -> None:
        if not isinstance(message, Mapping) or not isinstance(message.get("request"), Mapping):
            return
        try:
            reply = {"reply": message.get("id"), "answer": self._answer(message["request"])}
        except EveReplayError as error:
            reply = {"reply": message.get("id"), "error": str(error)}
        except Exception as error:  # one bad payload must not silence the widget
            reply = {"reply": message.get("id"), "error": f"This cannot be shown: {type(error).__name__}: {error}"}
        self.send(reply)

    def to_html(self) -> str:
        """Return a piece of HTML that shows the widget without Python: stepping works on what it holds."""
        return saved_html(self.kind, self.data, self._answer, self._preload)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        inner, *rest = bundle if isinstance(bundle, tuple) else (bundle,)
        # Viewers without widgets take the HTML: an exported notebook still steps.
        inner = {**inner, "text/plain": self._text, "text/html": self.to_html()}
        return (inner, *rest) if rest else inner

    def __repr__(self) -> str:
        return self._text or f"<eve-replay {html.escape(self.kind)}>"
