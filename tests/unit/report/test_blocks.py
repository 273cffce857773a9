"""Texts of a journal in Markdown and HTML: shown as they are, never obeyed."""

from html.parser import HTMLParser

import pytest

from eve_replay.report.blocks import Heading, Items, Sheet, Text, to_html, to_markdown
from eve_replay.views.kit.safe import safe_text

EVIL = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![x](https://example.com/beacon)",
    "@everyone see #12",
    "a | b\n| c |",
    "```\nrun this\n```",
    "\x1b]8;;https://example.com\x07here\x1b]8;;\x07",
    "\u202egnp.exe",
    "$\\href{https://example.com}{x}$",
    "# not a heading",
    "- not a list",
    "1. not a list",
    "&lt;b&gt;",
    "*bold* _slanted_ ~~gone~~",
]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("text", EVIL)
def test_html_holds_no_tag_of_a_journal(text):
    blocks = [Heading(level=1, text=text), Text(text=text), Text(text=text, code=True), Items(texts=[text])]
    blocks.append(Sheet(titles=[text], rows=[[text]]))
    page = Tags()
    page.feed(to_html(blocks, title=text))
    assert {tag for tag, _ in page.seen} <= {
        "html", "head", "meta", "title", "style", "body", "h1", "p", "pre", "ul", "li",
        "table", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    names = {name for _, attrs in page.seen for name in attrs}
    assert not any(name.startswith("on") or name in ("src", "href") for name in names)
    assert "\x1b" not in page.text and "\u202e" not in page.text


@pytest.mark.parametrize("text", EVIL)
def test_markdown_shows_the_text_as_it_is(text):
    """Rendered by a real Markdown library (the one of the documentation), the words are words."""
    markdown_it = pytest.importorskip("markdown_it")
    parser = markdown_it.MarkdownIt("commonmark").enable("table").enable("strikethrough")
    source = to_markdown(
        [Text(text=text), Items(texts=[text]), Sheet(titles=["t", "u"], rows=[[text, "end"]])]
    )
    page = Tags()
    page.feed(parser.render(source))
    tags = [tag for tag, _ in page.seen]
    assert set(tags) <= {"p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
    assert tags.count("td") == 2, "a cell stays a cell"
    if "\x1b" not in text and "\u202e" not in text:
        wanted = " ".join(safe_text(text).split())
        assert [part.strip() for part in page.text.split("\n") if part.strip()].count(wanted) == 3


def test_a_command_with_backticks_stays_in_its_fence():
    source = to_markdown([Text(text="echo ```\nrm -rf /", code=True)])
    assert source.startswith("````sh\n") and source.rstrip().endswith("````")
