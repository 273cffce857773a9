"""Toned lines as HTML: escaped, in both themes, bounded."""

import re

from eve_replay.views.kit.html import MOST_CHARACTERS, lines_html
from eve_replay.views.kit.text import line
from eve_replay.views.kit.tone import PALETTES


def test_text_is_escaped_and_tones_are_classes():
    html = lines_html([line(("<b>&\"'", "harm"), " plain")], label='a "label"')
    assert "&lt;b&gt;&amp;&quot;&#x27;" in html
    assert '<span class="er-harm">' in html and " plain" in html
    assert 'aria-label="a &quot;label&quot;"' in html


def test_both_themes_are_there_and_scoped():
    html = lines_html([line("x")])
    css = re.search(r"<style>(.*)</style>", html).group(1)
    assert PALETTES["light"]["harm"] in css and PALETTES["dark"]["harm"] in css
    assert 'body[data-jp-theme-light="false"]' in css and "prefers-color-scheme:dark" in css
    for selector in re.findall(r"([^{}]+)\{", css):
        assert "er-portrait" in selector or selector.startswith("@media")
    assert "@import" not in css and "url(" not in css


def test_very_long_output_is_folded():
    html = lines_html(line("x" * 1000) for _ in range(1000))
    assert len(html) < MOST_CHARACTERS + 20_000 and "folded" in html
