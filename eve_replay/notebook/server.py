"""Whether the Jupyter server above this kernel can show our widgets: it may run in another environment.

A widget needs anywidget's and ipywidgets' scripts beside the server. Where it lacks them, its page says
"Click to show javascript error"; the saved form of the widget needs nothing and still steps.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

__all__ = ["lacking"]

#: Extensions of JupyterLab that a widget needs, and the packages that bring them.
_NEEDED = {"@jupyter-widgets/jupyterlab-manager": "ipywidgets", "anywidget": "anywidget"}


@cache
def lacking() -> str:
    """Return one line that says what to install for the server; empty when nothing is known to be missing."""
    program = _server()
    if program is None:
        return ""
    places = _places(program)
    missing = [
        package
        for name, package in _NEEDED.items()
        if not any((place / "labextensions" / name).is_dir() for place in places)
    ]
    if not missing:
        return ""
    return (
        "Jupyter runs in another environment than this kernel, without the widgets' scripts: this is the "
        f"saved form. For the live one: {program} -m pip install {' '.join(missing)}, then reload the page."
    )


def _server() -> Path | None:
    """Return the Python that runs the Jupyter server above this kernel; None where nobody can tell."""
    parent = os.environ.get("JPY_PARENT_PID", "")
    if not parent.isdigit():
        return None
    try:
        words = Path(f"/proc/{parent}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return None
    program = Path(words[0])
    if not any("jupyter" in Path(word).name or "notebook" in Path(word).name for word in words[1:4]):
        return None
    return program if program.is_absolute() and program.name.startswith("python") else None


def _places(program: Path) -> list[Path]:
    """Return where that server looks for extensions."""
    own = [program.parent.parent / "share" / "jupyter"]
    own += [Path(each) for each in os.environ.get("JUPYTER_PATH", "").split(os.pathsep) if each]
    home = os.environ.get("JUPYTER_DATA_DIR")
    own += [Path(home) if home else Path.home() / ".local" / "share" / "jupyter"]
    return [*own, Path("/usr/local/share/jupyter"), Path("/usr/share/jupyter")]
