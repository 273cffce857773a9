"""Executed notebooks as one HTML file that opens from disk, without network, and still steps.

``jupyter nbconvert --to html`` shows widgets through a library on a CDN. This exporter prefers the HTML that our
widgets carry along, and leaves out what would be loaded from elsewhere::

    jupyter nbconvert --to eve-replay guide.ipynb
"""

from __future__ import annotations

from nbconvert.exporters import HTMLExporter
from traitlets import default
from traitlets.config import Config

__all__ = ["PageExporter"]


class PageExporter(HTMLExporter):  # type: ignore[misc]  # nbconvert has no types
    """HTML that needs nothing else."""

    export_from_notebook = "eve-replay page"

    def __init__(self, config: Config | None = None, **options: object) -> None:
        super().__init__(config=config, **options)
        # Scripts on other hosts: none of ours needs them, and a page from an incident goes nowhere by itself.
        self.require_js_url = self.jquery_url = self.mathjax_url = self.mermaid_js_url = ""
        self.widget_renderer_url = ""

    @default("template_name")
    def _template(self) -> str:
        return "lab"

    @property
    def default_config(self) -> Config:
        """Put HTML before the widget view, otherwise as nbconvert's own."""
        config = Config(super().default_config)
        order = list(config.NbConvertBase.display_data_priority)
        order.remove("text/html")
        config.NbConvertBase.display_data_priority = ["text/html", *order]
        return config

    def from_notebook_node(self, nb: object, resources: object = None, **options: object) -> object:
        """Export without the stored widget state: the HTML outputs hold what is needed."""
        metadata = getattr(nb, "metadata", None)
        if metadata is not None:
            metadata.pop("widgets", None)
        return super().from_notebook_node(nb, resources, **options)
