"""A real Jupyter server and a real Chromium for the tests, and the few gestures the tests share."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.support.programs import begin, end

ARTEFACTS = Path(__file__).parents[1] / "artefacts"
ROOT = Path(__file__).parents[2]
#: Chromium makes requests of its own (updates, QUIC probes); these turn them off, so that ours would show.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
KERNEL = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def chromium() -> str | None:
    """Return the path of a Chromium, None without one."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return os.environ.get("EVE_REPLAY_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def missing() -> str:
    """Return why browser tests cannot run here, empty when they can."""
    for name in ("jupyterlab", "playwright"):
        if find_spec(name) is None:  # not imported: that takes seconds, and collecting asks too
            return f"{name} is not installed"
    return "" if chromium() else "no Chromium found; set EVE_REPLAY_CHROMIUM to its path"


def notebook(*sources: str) -> dict[str, Any]:
    """Return a notebook of code cells, without outputs."""
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{number}",
            "metadata": {},
            "execution_count": None,
            "outputs": [],
            "source": source,
        }
        for number, source in enumerate(sources)
    ]
    return {"cells": cells, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}


@contextlib.contextmanager
def server(folder: Path, program: str = "jupyterlab") -> Iterator[str]:
    """Run a Jupyter server over ``folder`` and yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = folder / ".jupyter"
    config.mkdir(exist_ok=True)
    if program == "jupyterlab":
        # It asks at its first start whether it may fetch news; nobody is here to answer.
        quiet = config / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
        quiet.mkdir(parents=True, exist_ok=True)
        settings = '{"fetchNews": "false", "checkForUpdates": false}'
        (quiet / "notification.jupyterlab-settings").write_text(settings)
    extensions = config / "data" / "labextensions"  # where the wheel puts ours
    extensions.mkdir(parents=True, exist_ok=True)
    if not (extensions / "eve-replay").exists():
        shutil.copytree(ROOT / "eve_replay" / "notebook" / "labextension", extensions / "eve-replay")
    words = [
        sys.executable,
        "-m",
        program,
        str(folder),
        "--no-browser",
        "--ip=127.0.0.1",
        f"--port={port}",
        "--IdentityProvider.token=",
        "--ServerApp.password=",
        "--ServerApp.use_redirect_file=False",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        words.append("--allow-root")
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(config),
        "JUPYTER_PATH": os.pathsep.join(
            filter(None, [str(config / "data"), os.environ.get("JUPYTER_PATH", "")])
        ),
        "JUPYTER_RUNTIME_DIR": str(config / "runtime"),
        "IPYTHONDIR": str(config / "ipython"),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tui")]),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "TZ": "UTC",
    }
    log = (config / "server.log").open("wb")
    process = begin(words, stdout=log, stderr=subprocess.STDOUT, env=environment, cwd=folder)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(400):
            if process.poll() is not None:
                raise RuntimeError((config / "server.log").read_text("utf-8", "replace")[-2000:])
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{address}/api", timeout=2).close()
                break
            time.sleep(0.2)
        else:
            raise RuntimeError("the Jupyter server did not start")
        yield address
    finally:
        end(process)
        log.close()


#: The package that builds the site without installation brings an extension that only JupyterLite can load;
#: where both are installed in one environment JupyterLab complains about it, before any page of ours.
_NOT_OURS = "@jupyterlite/"


class Watched:
    """A page with everything it complained about and everywhere it went."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.errors: list[str] = []
        self.abroad: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._complained(f"uncaught: {error}"))
        page.on("request", self._request)

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self._complained(f"{message.text} {message.location.get('url', '')}")

    def _complained(self, text: str) -> None:
        if _NOT_OURS not in text:
            self.errors.append(text)

    def _request(self, request: Any) -> None:
        at_home = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "file:")
        if not request.url.startswith(at_home):
            self.abroad.append(request.url)

    def clean(self) -> None:
        """Fail when there was an error or a request to anywhere else."""
        assert not self.errors, self.errors
        assert not self.abroad, self.abroad


def open_notebook(page: Any, address: str, name: str) -> None:
    """Open a notebook in JupyterLab and wait until its kernel can be used."""
    page.goto(f"{address}/lab/tree/{name}?reset", wait_until="domcontentloaded")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=90_000)
    page.wait_for_selector('.jp-StatusBar-TextItem:text-matches("Python 3.* Idle")', timeout=90_000)


def run_all(page: Any) -> None:
    """Run every cell through the menu, as a person does."""
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('li.lm-Menu-item[data-command="runmenu:run-all"]')
    with contextlib.suppress(Exception):  # a session that is still starting asks which kernel it should be
        page.click(".jp-Dialog button.jp-mod-accept", timeout=1500)


def theme(page: Any, name: str) -> None:
    """Switch the theme of JupyterLab through its settings menu."""
    page.click('.lm-MenuBar-itemLabel:text-is("Settings")')
    page.hover('.lm-Menu-item:has(.lm-Menu-itemLabel:text-is("Theme"))')
    page.click(
        f'.lm-Menu-item[data-command="apputils:change-theme"]:has(.lm-Menu-itemLabel:text-is("{name}"))'
    )
    light = "false" if "Dark" in name else "true"
    page.wait_for_selector(f'body[data-jp-theme-light="{light}"]', state="attached", timeout=20_000)


def shot(page: Any, name: str) -> Path:
    """Keep a screenshot among the artefacts (not in git)."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    path = ARTEFACTS / f"{name}.png"
    page.screenshot(path=str(path))
    return path


def write(folder: Path, name: str, *sources: str) -> None:
    """Write a notebook of code cells into a folder."""
    (folder / name).write_text(json.dumps(notebook(*sources)), encoding="utf-8")
