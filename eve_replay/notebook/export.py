"""Executed notebooks as one HTML file that opens from disk, without network, and still steps.

``jupyter nbconvert --to html`` shows widgets through a library on a CDN. This exporter prefers the HTML that
our widgets carry along, and leaves out what would be loaded from elsewhere::

    jupyter nbconvert --to eve-replay guide.ipynb
"""

from __future__ import annotations

from typing import Any

from nbconvert.exporters import HTMLExporter
from traitlets.config import Config

__all__ = ["PageExporter"]


class PageExporter(HTMLExporter):
    """HTML that needs nothing else."""

    export_from_notebook = "eve-replay page"

    def __init__(self, config: Config | None = None, **options: Any) -> None:
        super().__init__(config=config, **options)  # type: ignore[no-untyped-call]
        # Scripts on other hosts: none of ours needs them, and a page from an incident goes nowhere by itself.
        self.require_js_url = self.jquery_url = self.mathjax_url = self.mermaid_js_url = ""

    @property
    def default_config(self) -> Config:
        """Put HTML before the widget view, otherwise as nbconvert's own."""
        config = Config(super().default_config)
        order = list(config.NbConvertBase.display_data_priority)
        order.remove("text/html")
        config.NbConvertBase.display_data_priority = ["text/html", *order]
        return config

    def from_notebook_node(  # type: ignore[override]  # nbconvert's own classes disagree
        self, nb: Any, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[str, dict[str, Any]]:
        """Export without the stored widget state: the HTML outputs hold what is needed."""
        nb.metadata.pop("widgets", None)
        return super().from_notebook_node(nb, resources, **options)
