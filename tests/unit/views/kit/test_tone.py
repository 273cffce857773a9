from itertools import combinations
from typing import get_args

import pytest

from eve_replay.views.kit.tone import BACKGROUNDS, PALETTES, TONES, Tone, colour, sign

#: Machado, Oliveira and Fernandes 2009, severity 1.0.
BLINDNESS = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
#: Pairs that stand side by side in one plot or table and mean opposite things.
APART = ["committed", "once", "again", "harm", "parked"]


def linear(hex_colour):
    channels = [int(hex_colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def luminance(rgb):
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]


def contrast(a, b):
    high, low = sorted((luminance(linear(a)), luminance(linear(b))), reverse=True)
    return (high + 0.05) / (low + 0.05)


def lab(rgb):
    r, g, b = (min(max(c, 0), 1) for c in rgb)
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
    )
    x, y, z = (c ** (1 / 3) if c > 0.008856 else 7.787 * c + 16 / 116 for c in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(rgb, matrix):
    return [sum(m * c for m, c in zip(row, rgb, strict=True)) for row in matrix]


@pytest.mark.parametrize("theme", BACKGROUNDS)
@pytest.mark.parametrize("tone", TONES)
def test_contrast_is_enough_to_read(theme, tone):
    assert contrast(PALETTES[theme][tone], BACKGROUNDS[theme]) >= (7 if theme == "high-contrast" else 4.5)


@pytest.mark.parametrize("theme", BACKGROUNDS)
@pytest.mark.parametrize("eyes", [None, *BLINDNESS])
def test_opposite_meanings_stay_apart(theme, eyes):
    """Never under the just-noticeable distance by far; and the sign says it anyway."""
    for a, b in combinations(APART, 2):
        colours = [linear(PALETTES[theme][tone]) for tone in (a, b)]
        if eyes:
            colours = [seen(c, BLINDNESS[eyes]) for c in colours]
        (l1, a1, b1), (l2, a2, b2) = (lab(c) for c in colours)
        distance = ((l1 - l2) ** 2 + (a1 - a2) ** 2 + (b1 - b2) ** 2) ** 0.5
        assert distance >= 18, (theme, eyes, a, b, distance)
        assert sign(a) != sign(b)


def test_every_tone_is_specified_everywhere():
    assert set(get_args(Tone)) == set(TONES)
    for theme in BACKGROUNDS:
        assert set(PALETTES[theme]) == set(TONES)
    assert colour("harm", "none") is None


def test_without_colour_a_sign_carries_the_meaning():
    for tone in ("committed", "once", "again", "harm", "unknown", "parked"):
        assert TONES[tone].sign
        assert TONES[tone].ascii.isascii()
