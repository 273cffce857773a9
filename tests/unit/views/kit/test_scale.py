import pytest
from hypothesis import given
from hypothesis import strategies as st

from eve_replay.views.kit.scale import Knot, knots_for, minimap_of, place_on, ticks_for


@given(st.floats(0, 1e10), st.floats(1e-3, 1e10), st.integers(1, 12))
def test_tick_labels_are_all_different_and_in_order(start, span, count):
    ticks = ticks_for(start, start + span, count)
    labels = [tick.label for tick in ticks]
    assert len(set(labels)) == len(labels)
    assert [t.at for t in ticks] == sorted(t.at for t in ticks)
    assert len(ticks) <= 2 * count + 2


@pytest.mark.parametrize(
    ("start", "end", "labels"),
    [
        (0, 10, ["0", "+2 ms", "+4 ms", "+6 ms", "+8 ms", "+10 ms"]),
        (1000, 1010, ["+1.000 s", "+1.002 s", "+1.004 s", "+1.006 s", "+1.008 s", "+1.010 s"]),
        (0, 0.01, ["0", "+0.002 ms", "+0.004 ms", "+0.006 ms", "+0.008 ms", "+0.010 ms"]),
        (0, 300_000, ["0", "+1 min", "+2 min", "+3 min", "+4 min", "+5 min"]),
        (0, 86_400_000 * 5, ["0", "+1 d", "+2 d", "+3 d", "+4 d", "+5 d"]),
    ],
)
def test_labels_fit_the_unit(start, end, labels):
    assert [tick.label for tick in ticks_for(start, end, 5)] == labels


def test_nothing_to_measure_has_one_tick():
    assert [tick.label for tick in ticks_for(5, 5)] == ["+5 ms"]


def test_only_long_quiet_stretches_are_squeezed():
    knots, quiet = knots_for([(0, 100), (110, 200), (10_000, 10_100)], 10_100)
    assert quiet == ((200, 10_000),)
    assert [round(k.x, 2) for k in knots] == [0.0, 0.62, 0.69, 1.0] or knots[-1].x == 1.0
    knots, quiet = knots_for([(0, 100)], 100)
    assert quiet == ()
    assert (knots[0], knots[-1]) == (Knot(at=0.0, x=0.0), Knot(at=100, x=1.0))


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e4)), min_size=1, max_size=20))
def test_the_squeezed_scale_rises_and_ends_at_one(parts):
    busy = [(start, start + length) for start, length in parts]
    end = max(end for _, end in busy) or 1.0
    knots, _ = knots_for(busy, end)
    places = [place_on(knots, end * n / 40) for n in range(41)]
    assert places == sorted(places)
    assert places[-1] == pytest.approx(1, abs=1e-6)
    assert place_on((), 3) == 0.0


def test_the_minimap_keeps_the_gravest_tone():
    view = minimap_of([(0, 100, "model"), (40, 45, "harm"), (44, 60, "plain")], 100)
    assert view.buckets[int(0.42 * len(view.buckets))].tone == "harm"
    assert view.buckets[0].tone == "model"
    assert minimap_of([], 0).buckets == ()
