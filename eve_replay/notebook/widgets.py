"""The live widgets: one anywidget class for all three, because they differ in their data only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from eve_replay.errors import EveReplayError
from eve_replay.notebook._assets import Family, style, widget_module
from eve_replay.notebook.saved import packed_page, saved_html
from eve_replay.notebook.server import lacking
from eve_replay.views.kit.speech import Spoken, catalog

__all__ = ["JournalWidget", "remembered"]

#: Positions by widget kind and session, so that running a cell again comes back to the same place.
_POSITIONS: dict[tuple[str, str], object] = {}


def remembered(kind: str, identity: str) -> object:
    """Return the position that a widget of this kind and identity would come back to, None without one."""
    return _POSITIONS.get((kind, identity)) if identity else None


class JournalWidget(anywidget.AnyWidget):
    """A widget over one session.

    Args:
        kind: ``explorer``, ``crashlab`` or ``diff``.
        data: what the browser needs for stepping, plain JSON data.
        answer: answers a request of the browser with plain JSON data; errors of this package are shown.
        identity: what the position is remembered by; empty for none.
        preload: requests whose answers come with the widget and stay in a saved page.
        text: what a terminal shows in its place.
        fallback: HTML for viewers that run no script.
        language: what its own words are shown in; data and names stay as they are.
    """

    #: Called once when the widget is closed.
    on_close: Callable[[], None] | None = None

    #: Which scripts it needs.
    family: Family = "journal"

    _esm = widget_module()
    _css = style()
    kind = traitlets.Unicode().tag(sync=True)
    packed = traitlets.Unicode().tag(sync=True)
    position = traitlets.Any(None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        *,
        kind: str,
        data: Mapping[str, object],
        answer: Callable[[Mapping[str, Any]], object],
        identity: str = "",
        preload: Iterable[Mapping[str, object]] = (),
        text: str = "",
        fallback: str = "",
        language: Spoken = "en",
    ) -> None:
        self._language: Spoken = language
        self._answer = answer
        self._text = text
        self._fallback = fallback
        where = (kind, identity)
        super().__init__(
            kind=kind,
            packed=packed_page(self._spoken(data), answer, preload),
            position=remembered(kind, identity),
        )
        self.on_msg(self._asked)
        if identity:
            self.observe(lambda change: _POSITIONS.__setitem__(where, change["new"]), names="position")

    def take(
        self,
        *,
        data: Mapping[str, object],
        answer: Callable[[Mapping[str, Any]], object],
        preload: Iterable[Mapping[str, object]] = (),
        text: str = "",
        fallback: str = "",
    ) -> None:
        """Show something newer in the same place; the page keeps what is selected and open."""
        self._answer, self._text, self._fallback = answer, text, fallback
        self.packed = packed_page(self._spoken(data), answer, preload)

    def _spoken(self, data: Mapping[str, object]) -> Mapping[str, object]:
        pairs = catalog(self._language)
        return {**data, "speech": [list(each) for each in pairs]} if pairs else data

    def close(self) -> None:
        """Take the widget out of the page and stop following."""
        done, self.on_close = self.on_close, None
        if done is not None:
            done()
        super().close()

    def _asked(self, _widget: object, message: object, _buffers: object) -> None:
        if not isinstance(message, Mapping) or not isinstance(message.get("request"), Mapping):
            return
        try:
            reply = {"reply": message.get("id"), "answer": self._answer(message["request"])}
        except EveReplayError as error:
            reply = {"reply": message.get("id"), "error": str(error)}
        except Exception as error:  # one bad payload must not silence the widget
            reply = {
                "reply": message.get("id"),
                "error": f"This cannot be shown: {type(error).__name__}: {error}",
            }
        self.send(reply)

    def to_html(self) -> str:
        """Return a piece of HTML that shows the widget without Python: stepping works on what it holds."""
        return saved_html(self.kind, self.packed, self._fallback, self.family)

    def save(self, path: str | Path) -> Path:
        """Write the widget as a page of its own, for mail or a ticket, and return its path."""
        place = Path(path)
        head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>eve-replay</title>'
        place.write_text(f"{head}\n<body>\n{self.to_html()}\n</body></html>\n", encoding="utf-8")
        return place

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        missing = lacking()
        if missing:
            note = f'<p role="note">{escape(missing)}</p>'
            return {"text/plain": f"{self._text}\n{missing}", "text/html": note + self.to_html()}
        bundle: Any = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        inner, *rest = bundle if isinstance(bundle, tuple) else (bundle,)
        # Viewers without widgets take the HTML: an exported notebook still steps.
        inner = {**inner, "text/plain": self._text, "text/html": self.to_html()}
        return (inner, *rest) if rest else inner

    def __repr__(self) -> str:
        return self._text or f"<eve-replay {self.kind}>"
