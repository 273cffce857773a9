"""A few screens as SVG pictures. Set EVE_REPLAY_UPDATE=1 to make them anew, then look at each.

They hold no clock and no path: the sample, the instant and the zone are fixed. Another version of Textual
draws other markup, so they are compared under the version that made them; the text under every one.
"""

from __future__ import annotations

import os
import re

import pytest
import textual

from tests.tui.support import HERE, running, settle

MADE_WITH = (HERE / "snapshots" / "textual.txt").read_text("utf-8").strip()
SCREENS = {
    "sessions": ((120, 30), [], {}),
    "session": ((160, 45), ["enter"], {}),
    "session-80x24": ((80, 24), ["enter"], {}),
    "session-light": ((130, 36), ["enter"], {"theme": "light"}),
    "crash": ((130, 36), ["enter", "c", "e"], {}),
    "session-high-contrast": ((130, 36), ["enter"], {"theme": "high-contrast"}),
    "diff": ((120, 30), ["enter", "d"], {}),
    "help": ((100, 30), ["enter", "question_mark"], {}),
}


def words(svg):
    """The texts of a picture, in order, without their styles."""
    found = re.findall(r">([^<>]+)</text>", svg)
    return "\n".join(each.replace("&#160;", " ").rstrip() for each in found)


@pytest.mark.parametrize("name", SCREENS)
async def test_picture(name):
    size, keys, options = SCREENS[name]
    async with running(size=size, keys=keys, **options) as pilot:
        await settle(pilot)
        svg = pilot.app.export_screenshot(title="eve-replay")
    path = HERE / "snapshots" / f"{name}.svg"
    if os.environ.get("EVE_REPLAY_UPDATE"):
        path.write_text(svg, "utf-8", newline="\n")
        (HERE / "snapshots" / "textual.txt").write_text(f"{textual.__version__}\n", "utf-8")
    expected = path.read_text("utf-8")
    assert words(svg) == words(expected)
    if textual.__version__ == MADE_WITH:
        assert svg == expected
