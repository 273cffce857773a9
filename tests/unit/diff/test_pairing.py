from eve_replay.diff.pairing import Item, pair_items


class Words:
    def alike(self, before, after):
        return 1.0 if str(before)[:1] == str(after)[:1] else 0.0


def paired(before, after):
    return pair_items(before, after, before, after, Words())


def test_kept_edited_added_removed_in_reading_order():
    assert paired(["a1", "b", "c"], ["a2", "b", "x", "c"]) == [
        Item("edited", 0, 0),
        Item("same", 1, 1),
        Item("added", -1, 2),
        Item("same", 2, 3),
    ]
    assert paired(["a", "b", "c"], ["a", "c"]) == [
        Item("same", 0, 0),
        Item("removed", 1, -1),
        Item("same", 2, 1),
    ]


def test_an_equal_item_elsewhere_is_moved():
    assert Item("moved", 3, 0) in paired(["a", "b", "c", "z"], ["z", "a", "b", "c"])


def test_every_item_appears_exactly_once():
    before, after = ["a", "b", "b", "q"], ["b", "c", "a", "b", "b"]
    items = paired(before, after)
    assert sorted(item.i for item in items if item.i >= 0) == [0, 1, 2, 3]
    assert sorted(item.j for item in items if item.j >= 0) == [0, 1, 2, 3, 4]
    assert [item.j for item in items if item.j >= 0] == [0, 1, 2, 3, 4]


def test_a_large_gap_is_paired_by_position_only():
    before, after = [f"a{n}" for n in range(200)], [f"b{n}" for n in range(200)]
    assert {item.kind for item in paired(before, after)} == {"edited"}
    assert {item.kind for item in paired(before, [*after, "b"])} == {"added", "removed"}
