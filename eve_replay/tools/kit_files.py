"""The text files of a kit: scripts that install it without internet and open the lessons, and a README."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eve_replay.tools.machines import Machine
from eve_replay.workshop.model import Language

__all__ = ["readme", "start_scripts"]

_UNIX = """\
#!/bin/sh
# Installs the workshop into .venv beside this file, without internet, and opens the lessons.
# ./{name} zh  opens them in Chinese. PYTHON=/path/to/python ./{name}  takes another Python.
set -eu
cd "$(dirname "$0")"
language=${{1:-{language}}}
fits() {{
  "$1" -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] not in "{versions}".split())' 2>/dev/null
}}
if [ ! -f .venv/ready ]; then
  python=
  for each in ${{PYTHON:-}} {commands} python3 python; do
    if fits "$each"; then python=$each; break; fi
  done
  if [ -z "$python" ]; then
    echo "This kit needs Python {spoken}. None was found. / 需要 Python {spoken}，没有找到。" >&2
    exit 1
  fi
  rm -rf .venv
  "$python" -m venv .venv || {{
    echo "No virtual environment can be made. On Debian and Ubuntu install python3-venv." >&2
    exit 1
  }}
  count=$(ls wheels | wc -l | tr -d ' ')
  echo "Installing at most $count packages, without internet. / 正在安装，不用联网，最多 $count 个包。"
  told='/^Processing/ {{ n++; printf "\\r  %d  %-60.60s", n, $2; fflush() }} END {{ print "" }}'
  set -- --progress-bar off --disable-pip-version-check --no-index --find-links wheels
  .venv/bin/python -m pip install "$@" 'eve-replay[workshop]' | awk "$told"
  .venv/bin/python -c 'import jupyterlab, eve_replay'
  : > .venv/ready
fi
exec .venv/bin/eve-replay workshop start "lessons-$language" --language "$language"
"""

_WINDOWS = """\
@echo off
rem Installs the workshop into .venv beside this file, without internet, and opens the lessons.
rem "start.cmd zh" opens them in Chinese.
setlocal
cd /d "%~dp0"
set language=%1
if "%language%"=="" set language={language}
if exist .venv\\ready goto open
set python=
{tries}
python -c "import sys; sys.exit('%%d.%%d' %% sys.version_info[:2] not in '{versions}'.split())" >nul 2>nul
if not errorlevel 1 if "%python%"=="" set python=python
if "%python%"=="" (
  echo This kit needs Python {spoken}. None was found.
  pause
  exit /b 1
)
if exist .venv rmdir /s /q .venv
%python% -m venv .venv
if errorlevel 1 goto failed
echo Installing, without internet. Each package is named. This takes a minute or two.
set install=.venv\\Scripts\\python -m pip install --progress-bar off --disable-pip-version-check --no-index
%install% --find-links wheels "eve-replay[workshop]"
if errorlevel 1 goto failed
type nul > .venv\\ready
:open
.venv\\Scripts\\eve-replay workshop start lessons-%language% --language %language%
exit /b %errorlevel%
:failed
echo The installation failed. The lines above say why.
pause
exit /b 1
"""
_TRY = 'py -{version} -c "" >nul 2>nul\nif not errorlevel 1 if "%python%"=="" set python=py -{version}'

_EN = """\
The workshop of eve-replay, without internet
============================================

For: {machines}.

Start it:

{starts}
The first start installs everything from the folder "wheels" into ".venv", both beside this file; nothing is
downloaded, and nothing outside of this folder is changed. Then JupyterLab opens on the lessons. To begin
again from nothing, delete ".venv". Your work lies in the folders lessons-*.

By hand, in an environment of your own:

    pip install --no-index --find-links wheels "eve-replay[workshop]"
    eve-replay workshop start

For the instructor: `eve-replay workshop check NOTEBOOK` grades a notebook, `eve-replay workshop summary
FOLDER` a class. kit.json lists every wheel with its SHA-256.
"""
_ZH = """\
eve-replay 工作坊：不需要互联网
================================

适用于：{machines}。

启动：

{starts}
第一次启动时，会从 wheels 文件夹安装到旁边的 .venv，不下载任何东西，也不改动这个文件夹以外的任何东西。
然后 JupyterLab 会打开课程。要从头再来，删除 .venv 即可。你的作业在 lessons-* 文件夹里。

在自己的环境里手动安装：

    pip install --no-index --find-links wheels "eve-replay[workshop]"
    eve-replay workshop start --language zh

教师：`eve-replay workshop check 笔记本` 检查一份作业，`eve-replay workshop summary 文件夹` 汇总全班。
kit.json 列出每个安装包和它的 SHA-256。
"""

_STARTS = {
    "windows": {"en": "Windows: double-click start.cmd", "zh": "Windows：双击 start.cmd"},
    "macos": {
        "en": "macOS:   double-click start.command (the first time: right click, Open)",
        "zh": "macOS：双击 start.command（第一次：右键，打开）",
    },
    "linux": {"en": "Linux:   ./start.sh", "zh": "Linux：./start.sh"},
}


def _systems(machines: Sequence[Machine]) -> dict[str, list[str]]:
    """Return the Pythons of each system, newest first."""
    words = {"Windows": "windows", "Darwin": "macos", "Linux": "linux"}
    found: dict[str, list[str]] = {}
    for each in machines:
        found.setdefault(words[each.markers["platform_system"]], []).append(each.python)
    return {
        system: sorted(dict.fromkeys(pythons), key=lambda each: int(each.split(".")[1]), reverse=True)
        for system, pythons in found.items()
    }


def _grouped(machines: Sequence[Machine]) -> list[str]:
    """Return ``windows-x64 (Python 3.12, 3.13)`` for each platform."""
    found: dict[str, list[str]] = {}
    for each in machines:
        found.setdefault(each.platform, []).append(each.python)
    return [f"{platform} (Python {', '.join(pythons)})" for platform, pythons in found.items()]


def start_scripts(machines: Sequence[Machine], languages: Sequence[Language]) -> Mapping[str, str]:
    """Return the start scripts of the systems the kit is for, by file name."""
    language = languages[0]
    scripts = {}
    for system, pythons in _systems(machines).items():
        words = {"language": language, "versions": " ".join(pythons), "spoken": " / ".join(pythons)}
        if system == "windows":
            tries = "\n".join(_TRY.format(version=each) for each in pythons)
            scripts["start.cmd"] = _WINDOWS.format(tries=tries, **words)
            continue
        name = "start.command" if system == "macos" else "start.sh"
        commands = " ".join(f"python{each}" for each in pythons)
        scripts[name] = _UNIX.format(name=name, commands=commands, **words)
    return scripts


def readme(machines: Sequence[Machine], languages: Sequence[Language]) -> Mapping[str, str]:
    """Return the README in both languages, by file name."""
    both: Mapping[Language, tuple[str, str]] = {"en": ("README.txt", _EN), "zh": ("README.zh.txt", _ZH)}
    made = {}
    for language, (name, text) in both.items():
        systems = _systems(machines)
        starts = "".join(f"    {_STARTS[system][language]}\n" for system in systems)
        if "zh" in languages and languages[0] != "zh" and language == "zh":
            starts += "\n中文课程：在命令行里加 zh，例如 ./start.sh zh 或 start.cmd zh\n"
        spoken = "; ".join(_grouped(machines))
        made[name] = text.format(machines=spoken, starts=starts)
    return made
