"""The Chinese edition: one word for one thing, marks and spaces as in Chinese print (CONTRIBUTING.md)."""

import ast
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks" / "workshop" / "zh").glob("*.ipynb"))
SOURCES = [
    path
    for folder in ("workshop", "cli")
    for path in sorted((ROOT / "eve_replay" / folder).rglob("*.py"))
    if any("\u4e00" <= letter <= "\u9fff" for letter in path.read_text("utf-8"))
]
PAGE = ROOT / "notebooks" / "workshop" / "instructor" / "summary.zh.html"
HAN = "\u4e00-\u9fff"
#: Words that stand for something that has another word here, and that word.
OTHER = {
    "按键去重": "认键",
    "愿望": "意图",
    "情形": "场景",
    "重跑": "重新执行",
    "再次执行": "重新执行",
    "由记录回答": "直接用记录里的结果",
    "停住": "挂起",
    "停放": "挂起",
    "值班人员": "人工",
    "告诉了人": "通知人工",
    "永久": "永远",
    "死亡": "崩溃",
    "被重新询问": "再问模型",
    "推出来": "推断",
    "持久工具": "durable 工具",
    "您": "你",
    "\uff01": "。",
}


def texts(path):
    """Return what a reader reads in a file: strings of a module, Markdown of a notebook, text of a page."""
    if path.suffix == ".py":
        nodes = ast.walk(ast.parse(path.read_text("utf-8")))
        return [
            each.value for each in nodes if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
    if path.suffix == ".html":
        return [re.sub(r"<style>.*?</style>|<[^>]+>", " ", path.read_text("utf-8"), flags=re.DOTALL)]
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]


def chinese(path):
    return [each for each in texts(path) if re.search(f"[{HAN}]", each)]


@pytest.mark.parametrize(
    "path", [*NOTEBOOKS, *SOURCES, PAGE], ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_one_word_for_one_thing(path):
    for text in chinese(path):
        for word, better in OTHER.items():
            assert word not in text, (word, better, text)


@pytest.mark.parametrize("path", [*NOTEBOOKS, *SOURCES], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_marks_and_spaces(path):
    for text in chinese(path):
        plain = (
            re.sub(r"```.*?```|`[^`\n]*`", "code", text, flags=re.DOTALL) if path.suffix == ".ipynb" else text
        )
        plain = re.sub(r"\w+(\.\w+)*\([^()]*\)|\{[^{}]*\}|http\S+|\\n", "□", plain)  # calls, fields
        for pattern in (
            f"[{HAN}][A-Za-z0-9]",
            f"[A-Za-z0-9][{HAN}]",
            f"[{HAN}][,;:?!]( |$)",
            f"[，。；：、？] [{HAN}]",
        ):
            found = re.search(f".{{0,12}}{pattern}.{{0,12}}", plain)
            assert found is None, found[0]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_mark_of_emphasis_is_left_in_the_text(path):
    """``**...。**next`` is no emphasis in Markdown; the marks would stand in the text."""
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    for text in chinese(path):
        shown = re.sub(r"<code.*?</code>", "", markdown.render(text), flags=re.DOTALL)
        assert "*" not in re.sub(r"<[^>]+>", "", shown), text
        for slanted in re.findall(r"<em>(.*?)</em>", shown, flags=re.DOTALL):
            assert not re.search(f"[{HAN}]", slanted), slanted
