"""Makes the pictures of the README and of the guides anew, from real recordings.

``python docs/pictures/make.py`` makes all of them, ``make.py explorer terminal`` some. Needs
``pip install 'eve-replay[docs]'`` and a Chromium (``EVE_REPLAY_CHROMIUM`` names it). The terminal pictures
are screens of the real application, the notebook pictures saved widgets in a real browser. Clock, zone and
samples are fixed, so a picture changes only when the product does. Look at each before committing it.
"""

from __future__ import annotations

import asyncio
import html
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright
from rich.cells import cell_len

import eve_replay as er
from eve_replay_tui import Options, ReplayApp

HERE = Path(__file__).parent
NOW = datetime(2026, 11, 30, 18, tzinfo=UTC)
#: An order desk with six sessions, killed while one of them charged a card; ``SESSION`` is that one.
SAMPLE, SESSION = "sample:incident-3", "3DXB"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
)
FONT = "DejaVu Sans Mono, Noto Sans Mono CJK SC, monospace"

#: Still screens of the terminal UI: size in cells, keys pressed one by one, whether the session is open.
SCREENS: dict[str, tuple[tuple[int, int], Sequence[str], bool]] = {
    "sessions": ((120, 24), (), False),
    "terminal": ((130, 34), ("n", "n", "e"), True),
    "terminal-crash": ((130, 34), ("e", "c"), True),
    "terminal-matrix": ((130, 34), ("m",), True),
    "terminal-why": ((120, 30), ("w",), True),
}
#: The recording on top of the README: what is shown, keys, milliseconds.
STORY: Sequence[tuple[str, Sequence[str], int]] = (
    ("the session as it opens", (), 2600),
    ("step through the turn", ("n",), 700),
    ("", ("n",), 700),
    ("the next effect", ("e",), 1600),
    ("the crash lab: what would run again if it died here", ("c",), 3000),
    ("another crash point", ("right_square_bracket",), 1300),
    ("", ("right_square_bracket",), 1300),
    ("", ("right_square_bracket",), 2000),
    ("why: what ran twice, what to do", ("escape", "w"), 4200),
)
STORY_SIZE = (120, 32)


def its_effects(page: Page) -> None:
    """The explorer stands at the worst effect: open what is known of it."""
    page.locator('.er-tab[data-tab="effects"]').first.click()


def notebook(name: str) -> tuple[Any, tuple[int, int], Callable[[Page], None]]:
    """Return a widget, the size it is looked at in, and what is done before the picture is taken."""
    session = er.open_journal(SAMPLE).session(SESSION)
    if name == "explorer":
        return er.explore(session), (1180, 560), its_effects
    if name == "crash-lab":
        from eve_replay.notebook import crash_lab

        charged = er.open_journal("sample:crash-in-tool").session()
        return crash_lab(charged), (1180, 700), lambda page: None
    if name == "attempts":
        from eve_replay.notebook import attempt_diff

        return attempt_diff(session), (1180, 560), lambda page: None
    from eve_replay.notebook import lesson

    def send(input: Any, ctx: Any, outside: Any) -> Any:
        outside.mail.send(input["to"], input["subject"])
        return {"status": "sent"}

    with tempfile.TemporaryDirectory() as folder:
        language = "zh" if name.endswith("zh") else "en"
        desk = lesson("01", language=language, folder=folder)
        return desk.play(send, schedule=[(1, "crash-after", 0)]), (1100, 560), lambda page: None


NOTEBOOK = ("explorer", "crash-lab", "attempts", "stage", "stage-zh")


async def settle(pilot: Any) -> None:
    """Wait until the screen is painted and nothing works any more."""
    for _ in range(3):
        await pilot.pause()
        with suppress(Exception):
            await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def screens(size: tuple[int, int], steps: Sequence[Sequence[str]], *, inside: bool) -> list[str]:
    """Return the screen as SVG after each group of keys."""
    opened = {"session": SESSION} if inside else {}
    app = ReplayApp(Options(source=SAMPLE, zone=UTC, now=lambda: NOW, live=False, **opened))
    out = []
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        for keys in steps:
            for key in keys:
                await pilot.press(key)
                await settle(pilot)
            out.append(pilot.app.export_screenshot(title="eve-replay"))
    return out


def played(size: tuple[int, int], steps: Sequence[Sequence[str]], *, inside: bool) -> list[str]:
    """Return ``screens`` from outside an event loop: the browser's driver already runs one in this thread."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(lambda: asyncio.run(screens(size, steps, inside=inside))).result()


def offline(svg: str) -> str:
    """Return the picture with a font of this machine: Textual names one on a server."""
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    svg = re.sub(r'textLength="([\d.]+)"([^>]*)>([^<]*)<', _widened, svg)
    return svg.replace("Fira Code, monospace", FONT).replace("Fira Code", "DejaVu Sans Mono")


def _widened(found: re.Match[str]) -> str:
    """Give a text the length of its cells: the writer of the SVG counts a Chinese character as one."""
    text = html.unescape(found[3])
    length = float(found[1]) * cell_len(text) / max(len(text), 1)
    return f'textLength="{length}"{found[2]}>{found[3]}<'


def drawn(page: Page, svg: str, width: int) -> Image.Image:
    """Return a screen as pixels, ``width`` of them wide."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert box
    wide, high = (float(part) for part in box.groups())
    height = round(width * high / wide)
    page.set_viewport_size({"width": width, "height": height})
    page.set_content(
        f"<style>body{{margin:0}}svg{{width:{width}px;height:{height}px;display:block}}</style>{svg}"
    )
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def keep(image: Image.Image, name: str) -> None:
    """Write a picture with few colours: screens have few."""
    path = HERE / f"{name}.png"
    image.quantize(colors=128, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.name}: {image.width} x {image.height}, {path.stat().st_size // 1024} kB")


def make_screen(page: Page, name: str) -> None:
    """Make one still picture of the terminal UI."""
    size, keys, inside = SCREENS[name]
    svg = played(size, [keys], inside=inside)[0]
    keep(drawn(page, offline(svg), 1320), name)


def make_story(page: Page) -> None:
    """Make the recording: one frame per group of keys, each shown as long as it takes to read."""
    pictures = played(STORY_SIZE, [keys for _, keys, _ in STORY], inside=True)
    frames = [drawn(page, offline(svg), 1000) for svg in pictures]
    together = Image.new("RGB", (frames[0].width, sum(frame.height for frame in frames)))
    for number, frame in enumerate(frames):
        together.paste(frame, (0, number * frame.height))
    palette = together.quantize(colors=128, dither=Image.Dither.NONE)  # one for all, or colours would flicker
    few = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    path = HERE / "eve-replay.gif"
    times = [shown for _, _, shown in STORY]
    few[0].save(path, save_all=True, append_images=few[1:], duration=times, loop=0, optimize=True)
    print(f"{path.name}: {len(few)} frames, {path.stat().st_size // 1024} kB")


def make_notebook(page: Page, name: str) -> None:
    """Make one picture of a notebook widget, as its saved page shows it."""
    widget, (width, height), act = notebook(name)
    with tempfile.TemporaryDirectory() as folder:
        saved = widget.save(Path(folder) / "page.html")
        page.set_viewport_size({"width": width, "height": height})
        page.goto(saved.as_uri())
        page.wait_for_timeout(600)
        act(page)
        page.wait_for_timeout(300)
        keep(Image.open(io.BytesIO(page.screenshot())).convert("RGB"), name)


def main(names: Sequence[str]) -> None:
    """Make the named pictures, or all of them."""
    every = ("story", *SCREENS, *NOTEBOOK)
    unknown = [name for name in names if name not in every]
    if unknown:
        raise SystemExit(f"There is no picture {', '.join(unknown)}. There are: {', '.join(every)}.")
    browser = (
        os.environ.get("EVE_REPLAY_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    )
    with sync_playwright() as play:
        chrome = play.chromium.launch(executable_path=browser, args=list(FLAGS))
        page = chrome.new_page(device_scale_factor=1)
        for name in names or every:
            if name == "story":
                make_story(page)
            elif name in SCREENS:
                make_screen(page, name)
            else:
                make_notebook(page, name)
        chrome.close()


if __name__ == "__main__":
    main(sys.argv[1:])
