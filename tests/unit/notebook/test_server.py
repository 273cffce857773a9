"""A server in another environment than the kernel: what it lacks is said, and the saved form is shown."""

import subprocess
import sys

import pytest

import eve_replay as er
from eve_replay.notebook import server

pytest.importorskip("anywidget")


@pytest.fixture
def above(tmp_path, monkeypatch):
    """A process that looks like the Jupyter server above this kernel, in an environment of its own."""
    programs = tmp_path / "env" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    script = tmp_path / "jupyter-lab"
    script.write_text("input()")
    process = subprocess.Popen([programs / "python", script], stdin=subprocess.PIPE)
    monkeypatch.setenv("JPY_PARENT_PID", str(process.pid))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "home"))
    monkeypatch.delenv("JUPYTER_PATH", raising=False)
    server.lacking.cache_clear()
    yield tmp_path / "env"
    process.communicate(b"\n")
    server.lacking.cache_clear()


def needs(env, name):
    (env / "share" / "jupyter" / "labextensions" / name).mkdir(parents=True)
    server.lacking.cache_clear()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells the parent's program")
def test_what_the_server_lacks_is_said_in_one_line(above, monkeypatch):
    if any(each.is_dir() for each in server._places(above / "bin" / "python")[1:] if "usr" in str(each)):
        pytest.skip("this machine has extensions for everybody")
    widget = er.explore("sample:simple-turn")
    bundle = widget._repr_mimebundle_()
    assert f"{above / 'bin' / 'python'} -m pip install ipywidgets anywidget" in bundle["text/plain"]
    assert set(bundle) == {"text/plain", "text/html"} and 'class="er-saved"' in bundle["text/html"]
    needs(above, "anywidget")
    assert server.lacking().count("pip install ipywidgets,") == 1
    needs(above, "@jupyter-widgets/jupyterlab-manager")
    assert server.lacking() == ""
    assert "application/vnd.jupyter.widget-view+json" in str(widget._repr_mimebundle_())


def test_nothing_is_said_where_nothing_is_known(monkeypatch):
    for pid in ("", "x", "999999999"):
        monkeypatch.setenv("JPY_PARENT_PID", pid)
        server.lacking.cache_clear()
        assert server.lacking() == ""
    server.lacking.cache_clear()
