"""The edition that runs in a browser: a static site of JupyterLite, Pyodide, the lessons and eve-replay.

Everything the site needs lies in it; it asks no other server for anything. It is built in a folder beside its
place and moved there when it is whole.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from eve_replay._version import __version__
from eve_replay.codec import dumps_tagged, loads_json
from eve_replay.errors import SourceUnreadable
from eve_replay.tools import pyodide
from eve_replay.tools.places import beside, check_place, move_into_place, size_of
from eve_replay.tools.programs import (
    Say,
    ToolFailed,
    has_module,
    npm_pack,
    pip_download,
    python,
    require,
)
from eve_replay.tools.site_pages import SERVE, index_page, lessons_in, readme
from eve_replay.tools.wheels import Wheel, own_wheel, read_wheel
from eve_replay.workshop.model import Language

__all__ = ["MARK", "Built", "Lessons", "build_site"]

#: The files of the lessons per language: where each lies, and where it goes.
Lessons = Mapping[Language, Sequence[tuple[Path, Path]]]

#: Says that a folder is a site of ours, and of what it is made.
MARK = "site.json"
_PLUGIN = "@jupyterlite/pyodide-kernel-extension:kernel"
_KERNEL = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
#: Times in the site are this one, so that the same input gives the same site.
_EPOCH = 1_580_601_600
_PACK = {"zh": "jupyterlab-language-pack-zh-CN==4.5.post3"}
#: Files of the app that only its developers need.
_USELESS = ("rspack.config.js", "rspack.config.analyze.js", "rspack.config.watch.js", "doc")
_STEPS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What was built.

    Attributes:
        folder: where it lies.
        size: bytes.
        lessons: how many notebooks per language.
        python: version of the Python in the browser.
        packages: how many wheels it loads.
    """

    folder: Path
    size: int
    lessons: Mapping[Language, int]
    python: str
    packages: int


def build_site(
    out: Path,
    lessons: Lessons,
    say: Say,
    *,
    runtime: Path | None = None,
    wheels: Sequence[Path] = (),
    force: bool = False,
) -> Built:
    """Build the site.

    Args:
        out: its folder; it must not exist, be empty, or hold an earlier site.
        lessons: the notebooks of each language.
        say: called with each line of progress.
        runtime: a Pyodide archive or folder to use instead of asking the npm registry.
        wheels: folders of wheels to use instead of asking the package index.
        force: replace what is in ``out``, whatever it is.

    Raises:
        WrongUse: ``out`` holds something else.
        ToolFailed: a program is missing or failed, or a registry cannot be reached. ``out`` is as it was.
    """
    check_place(out, MARK, force=force)
    _require(runtime)
    version = _wanted_pyodide()
    with beside(out) as work:
        lite = work / "lite"
        for name in ("own", "npm", "wheels", "lite"):
            (work / name).mkdir()
        say(f"[1/{_STEPS}] the wheel of this eve-replay, without solutions and terminal UI")
        own = own_wheel(work / "own", without=_not_for_browsers)
        if runtime is None:
            say(f"[2/{_STEPS}] Pyodide {version} from the npm registry (about 5 MB)")
            runtime = npm_pack(f"pyodide@{version}", work / "npm")
        else:
            say(f"[2/{_STEPS}] Pyodide from {runtime}")
        info = pyodide.unpack_runtime(runtime, lite / "static" / "pyodide")
        where = "the package index (about 9 MB)" if not wheels else "the folders you named"
        say(f"[3/{_STEPS}] packages for Python {info['python']} in the browser, from {where}")
        found = _download(work / "wheels", str(info["python"]), [*lessons], wheels)
        say(f"[4/{_STEPS}] the lessons, and a list of the packages")
        extensions = _prepare(lite, own, found, info, lessons)
        say(f"[5/{_STEPS}] JupyterLite")
        made = _lite(lite, work / "site", extensions)
        say(f"[6/{_STEPS}] first page, README, and a look whether all is there")
        packs = [wheel for wheel in found if wheel.name.startswith("jupyterlab-language-pack")]
        _finish(made, lessons, packs, info, found)
        _inspect(made, lessons)
        move_into_place(made, out)
    lock = loads_json((out / "static" / "pyodide" / pyodide.LOCK).read_bytes())
    counts = {language: len(lessons_in(each)) for language, each in lessons.items()}
    return Built(
        folder=out,
        size=size_of(out),
        lessons=counts,
        python=str(info["python"]),
        packages=len(lock["packages"]),
    )


def _require(runtime: Path | None) -> None:
    extra = "install them with `pip install 'eve-replay[site]'`"
    needs = [
        (has_module("jupyterlite_core"), "JupyterLite (jupyterlite-core)", extra),
        (has_module("jupyterlite_pyodide_kernel"), "its kernel (jupyterlite-pyodide-kernel)", extra),
        (has_module("jupyter_server"), "jupyter-server", extra),
        (has_module("packaging"), "packaging", extra),
        (has_module("pip"), "pip", "install pip with `python -m ensurepip`"),
        (
            runtime is not None or shutil.which("npm") is not None,
            "npm",
            "npm comes with Node.js (or give a Pyodide archive with --pyodide)",
        ),
    ]
    require(needs, purpose="To build the site")


def _wanted_pyodide() -> str:
    """Return the version of Pyodide that the installed kernel is made for."""
    constants = importlib.import_module("jupyterlite_pyodide_kernel.constants")
    return str(constants.PYODIDE_VERSION)


def _not_for_browsers(name: str) -> bool:
    return name.startswith(("eve_replay_tui/", "eve_replay/_notebooks/"))


def _download(
    folder: Path, version: str, languages: Iterable[Language], sources: Sequence[Path]
) -> list[Wheel]:
    pins = files("eve_replay.tools").joinpath("site-wheels.txt").read_text("utf-8").splitlines()
    wanted = [line.strip() for line in pins if line.strip() and not line.startswith("#")]
    kernel = "jupyterlite-pyodide-kernel"
    wanted.append(f"{kernel}=={importlib.metadata.version(kernel)}")
    wanted += [_PACK[language] for language in languages if language in _PACK]
    short = ".".join(version.split(".")[:2])
    options = [f"--python-version={short}", "--implementation=py", "--abi=none", "--platform=any"]
    pip_download(wanted, folder, options=options, sources=sources)
    return [read_wheel(path) for path in sorted(folder.glob("*.whl"))]


def _prepare(
    lite: Path, own: Path, found: Sequence[Wheel], info: Mapping[str, object], lessons: Lessons
) -> list[Path]:
    """Lay out what JupyterLite builds from, and return the wheels that extend JupyterLab."""
    kernel = next(wheel for wheel in found if wheel.name == "jupyterlite-pyodide-kernel")
    inside = [read_wheel(path) for path in _wheels_in(kernel.path, lite.parent / "kernel")]
    site_only = ("jupyterlite-pyodide-kernel", "jupyterlab-language-pack-zh-cn")
    loaded = [wheel for wheel in found if wheel.name not in site_only]
    names = pyodide.write_lock(lite / "static" / "pyodide", [*loaded, *inside, read_wheel(own)], info)
    config: dict[str, object] = {
        "appName": "eve-replay workshop",
        "litePluginSettings": {
            _PLUGIN: {"disablePyPIFallback": True, "loadPyodideOptions": {"packages": list(names)}}
        },
    }
    _write_json(lite / "jupyter-lite.json", {"jupyter-lite-schema-version": 0, "jupyter-config-data": config})
    if [*lessons] == ["zh"]:
        locale = {"@jupyterlab/translation-extension:plugin": {"locale": "zh-CN"}}
        _write_json(lite / "overrides.json", locale)
    for language, each in lessons.items():
        for source, place in each:
            target = lite / "lessons" / language / place
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_for_browsers(source) if source.suffix == ".ipynb" else source.read_bytes())
    return [wheel.path for wheel in found if wheel.name in ("anywidget", "jupyterlab-widgets", kernel.name)]


def _wheels_in(kernel: Path, folder: Path) -> list[Path]:
    """Unpack the wheels that the kernel's extension brings along: its own Python part."""
    import zipfile

    folder.mkdir()
    newest: dict[str, Path] = {}
    with zipfile.ZipFile(kernel) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".whl"):
                path = folder / name.rpartition("/")[2]
                path.write_bytes(archive.read(name))
                # There are stubs for two generations of ipywidgets; the later name is the newer one.
                newest[path.name.partition("-")[0]] = path
    return [*newest.values()]


def _for_browsers(path: Path) -> bytes:
    """Return a notebook that asks for the kernel there is in a browser, and so starts without a question."""
    try:
        book = loads_json(path.read_bytes())
        book["metadata"]["kernelspec"] = _KERNEL
    except (ValueError, KeyError, TypeError) as error:
        raise SourceUnreadable(f"{path.name} is no notebook ({error}).") from error
    return dumps_tagged(book, indent=1, ensure_ascii=False).encode()


def _lite(lite: Path, site: Path, extensions: Sequence[Path]) -> Path:
    build = {"federated_extensions": [str(path) for path in extensions], "contents": [str(lite / "lessons")]}
    _write_json(lite / "jupyter_lite_config.json", {"LiteBuildConfig": build})
    words = ["-m", "jupyterlite_core", "build", "--lite-dir", str(lite), "--output-dir", str(site)]
    words += ["--apps", "lab", "--ignore-sys-prefix", "--no-libarchive", "--no-sourcemaps"]
    words += ["--no-unused-shared-packages", "--source-date-epoch", str(_EPOCH)]
    told = python(words, what="JupyterLite", folder=lite)
    if not (site / "lab" / "index.html").is_file():
        raise ToolFailed(f"JupyterLite built no site: {told.strip().splitlines()[-1:]}")
    for name in _USELESS:
        path = site / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return site


def _finish(
    site: Path,
    lessons: Lessons,
    packs: Sequence[Wheel],
    info: Mapping[str, object],
    found: Sequence[Wheel],
) -> None:
    for pack in packs:
        _translate(site, pack)
    (site / "index.html").write_text(index_page(lessons), encoding="utf-8")
    (site / "serve.py").write_text(SERVE, encoding="utf-8")
    (site / "README.txt").write_text(readme(lessons), encoding="utf-8")
    made_of = {
        "eve-replay": __version__,
        "python": info["python"],
        "jupyterlite": importlib.metadata.version("jupyterlite-core"),
        "pyodide": _wanted_pyodide(),
        "wheels": {wheel.path.name: wheel.sha256 for wheel in found},
    }
    _write_json(site / MARK, made_of)


def _translate(site: Path, pack: Wheel) -> None:
    """Add the Chinese texts of JupyterLab, as its server would answer when asked for them."""
    import zipfile

    data = {}
    with zipfile.ZipFile(pack.path) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".json") and "/LC_MESSAGES/" in name:
                data[name.rpartition("/")[2].removesuffix(".json")] = loads_json(archive.read(name))
    folder = site / "api" / "translations"
    known = loads_json((folder / "all.json").read_bytes())
    known["data"]["zh-CN"] = {"displayName": "Chinese (Simplified)", "nativeName": "简体中文"}
    _write_json(folder / "all.json", known)
    _write_json(folder / "zh-CN.json", {"data": data, "message": ""})


def _inspect(site: Path, lessons: Lessons) -> None:
    """Look whether the site is whole, before anybody sees it.

    Raises:
        ToolFailed: something is missing; nothing is moved to its place.
    """
    config = loads_json((site / "jupyter-lite.json").read_bytes())["jupyter-config-data"]
    settings = config["litePluginSettings"][_PLUGIN]
    if settings.get("pyodideUrl") != "./static/pyodide/pyodide.mjs" or not settings.get(
        "disablePyPIFallback"
    ):
        raise ToolFailed("JupyterLite did not take the settings: the site would ask other servers.")
    outside = [url for url in settings.get("pipliteUrls", ()) if not str(url).startswith("./")]
    names = {each["name"] for each in config["federated_extensions"]}
    lacking = {"anywidget", "@jupyter-widgets/jupyterlab-manager", _PLUGIN.partition(":")[0]} - names
    if outside or lacking:
        raise ToolFailed(f"JupyterLite left something out: {', '.join(sorted(lacking)) or outside}.")
    runtime = site / "static" / "pyodide"
    listed = loads_json((runtime / pyodide.LOCK).read_bytes())["packages"].values()
    missing = [each["file_name"] for each in listed if not (runtime / each["file_name"]).is_file()]
    for language, each in lessons.items():
        missing += [str(place) for _, place in each if not (site / "files" / language / place).is_file()]
    if missing:
        raise ToolFailed(f"JupyterLite left something out: {', '.join(missing[:5])}.")


def _write_json(path: Path, value: object) -> None:
    path.write_text(dumps_tagged(value, indent=1, ensure_ascii=False), encoding="utf-8")
