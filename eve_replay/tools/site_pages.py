"""The pages of the site that are ours: where learners begin, and what an instructor has to know."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from eve_replay.workshop.grading.notebook_file import read_book
from eve_replay.workshop.model import Language

__all__ = ["SERVE", "index_page", "lessons_in", "readme"]

_Lessons = Mapping[Language, Sequence[tuple[Path, Path]]]

_WORDS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "head": "Idempotency workshop",
        "lead": "Click on a lesson. Python runs inside your browser; there is nothing to install. The first "
        "start takes about fifteen seconds. Run the cells one by one with Shift+Enter.",
        "keep": "Your work is kept in this browser, on this computer, for this address. To hand it in: in "
        "the menu, File, then Download.",
        "all": "Open JupyterLab",
        "minutes": "min",
    },
    "zh": {
        "head": "幂等性工作坊",
        "lead": "点击一课开始。Python 就在浏览器里运行，什么都不用安装。第一次启动大约需要十五秒。"
        "用 Shift+Enter 逐个运行单元格。",
        "keep": "你的进度保存在这台电脑的这个浏览器里，只对这个网址有效。"
        "要交作业：菜单 File（文件），再选 Download（下载）。",
        "all": "打开 JupyterLab",
        "minutes": "分钟",
    },
}

_STYLE = """
:root { color-scheme: light dark; }
body { font: 17px/1.6 system-ui, sans-serif; max-width: 42rem; margin: 2.5rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; } li { margin: .35rem 0; } small { opacity: .75; margin-left: .4rem; }
"""

#: JupyterLite reads the first page to learn where the site begins.
_ROOT = '<script id="jupyter-config-data" type="application/json" data-jupyter-lite-root=".">{}</script>'

#: A server for where http.server does not do: some Windows machines call JavaScript plain text.
SERVE = '''\
"""Serves this folder: python serve.py [port]. Needs nothing but Python."""

import functools
import http.server
import pathlib
import sys

TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm",
         ".json": "application/json", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, **TYPES}

    def log_message(self, *args):
        pass


port = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
here = str(pathlib.Path(__file__).resolve().parent)
with http.server.ThreadingHTTPServer(("", port), functools.partial(Handler, directory=here)) as server:
    print(f"Open http://localhost:{port} in a browser. Ctrl+C ends it.", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
'''

_README = """\
The workshop of eve-replay, in a browser
========================================

This folder is a website. It needs no internet: everything it uses lies in here.

To show it, a plain web server is enough. In this folder:

    python -m http.server 8000

Then open http://localhost:8000 in a browser (Firefox, Chrome, Edge or Safari of the last two years).
If the page stays white on Windows: python serve.py (some machines there call JavaScript plain text).
Opening index.html from the disk, without a server, does not work: browsers forbid it.

For a class there are two ways:

1. Every learner has a copy of this folder and starts the server on their own computer, as above.
   Everything works, and the file of a learner's progress lies beside the lessons.
2. You start the server on your computer and the learners open http://YOUR-ADDRESS:8000.
   Lessons, widgets and checks work, and notebooks are kept. Only the progress file (predictions, tries)
   is lost when the page is closed: browsers allow what it needs on https and on localhost alone.
   A server with https has no such limit.

An answer that runs forever cannot be interrupted in a browser: Kernel, Restart. The menus change their
language with Settings, Language.

Handing in: File, Download in the menu saves the notebook with the answers. Put the notebooks of a class
into one folder and run `eve-replay workshop summary FOLDER`.

What is in here: {lessons}.
Solutions are not in here. The encrypted journals of lesson "your own journal" cannot be opened in a
browser, and there are no data frames: install eve-replay for these (`eve-replay workshop kit`).

site.json says what this site is made of, with the SHA-256 of every package.


中文说明
========

这个文件夹是一个网站，不需要互联网：要用的东西都在里面。

在这个文件夹里启动一个普通的网页服务器就可以：

    python -m http.server 8000

然后用浏览器打开 http://localhost:8000 。不能直接双击 index.html：浏览器不允许。
如果在 Windows 上页面一直空白，改用 python serve.py 。

上课有两种办法：

1. 每位学员复制一份文件夹，在自己的电脑上启动服务器。所有功能都可用，进度文件保存在课程旁边。
2. 教师在自己的电脑上启动服务器，学员打开 http://教师电脑的地址:8000 。课程、控件和检查都可用，
   笔记本也会保存；只有进度文件（预测、尝试次数）在关闭页面后会丢失，
   因为浏览器只在 https 和 localhost 上允许它需要的功能。

无限循环的代码在浏览器里无法中断：用菜单 Kernel（内核）、Restart（重启）。
菜单的语言在 Settings（设置）、Language（语言）里切换。

交作业：菜单 File（文件）、Download（下载）。
把全班的笔记本放进一个文件夹，运行 `eve-replay workshop summary 文件夹`。
"""


def lessons_in(files: Sequence[tuple[Path, Path]]) -> list[tuple[Path, Path]]:
    """Return the notebooks among the files of a language."""
    return [(source, place) for source, place in files if place.suffix == ".ipynb"]


def index_page(lessons: _Lessons) -> str:
    """Return the first page: the lessons of each language, each a link that opens it."""
    parts = []
    for language, files in lessons.items():
        words = _WORDS[language]
        items = []
        for source, place in lessons_in(files):
            book = read_book(source)
            target = quote(f"{language}/{place.as_posix()}")
            title = html.escape(book.title or place.stem)
            minutes = f"<small>{book.minutes} {words['minutes']}</small>" if book.minutes else ""
            items.append(f'<li><a href="lab/index.html?path={target}">{title}</a>{minutes}</li>')
        parts.append(
            f'<section lang="{language}">\n<h1>{words["head"]}</h1>\n<p>{words["lead"]}</p>\n'
            f'<ul style="list-style: none; padding: 0">\n{chr(10).join(items)}\n</ul>\n'
            f'<p><small style="margin: 0">{words["keep"]} '
            f'<a href="lab/index.html">{words["all"]}</a></small></p>\n'
            "</section>"
        )
    heads = " · ".join(_WORDS[language]["head"] for language in lessons)
    first = next(iter(lessons), "en")
    return (
        f'<!doctype html>\n<html lang="{first}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f'<title>{heads}</title>\n<link rel="icon" href="lab/favicon.ico">\n'
        f"<style>{_STYLE}</style>\n{_ROOT}\n</head>\n"
        f"<body>\n{chr(10).join(parts)}\n</body>\n</html>\n"
    )


def readme(lessons: _Lessons) -> str:
    """Return the text for the instructor, in both languages."""
    counts = [f"{len(lessons_in(files))} lessons ({language})" for language, files in lessons.items()]
    return _README.format(lessons=", ".join(counts))
