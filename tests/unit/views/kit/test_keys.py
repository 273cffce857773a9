import pytest

from eve_replay.views.kit.keys import KEYS, key_for


def test_keys_and_actions_are_unique_and_explained():
    assert len({key.key for key in KEYS}) == len(KEYS) == len({key.action for key in KEYS})
    assert all(key.help.endswith(".") and key.label for key in KEYS)


def test_the_house_keys_are_there():
    assert {key.key for key in KEYS} >= set("nbNBioaec[]dwsry/g?") | {"Escape"}
    assert key_for("crash-here").key == "c"
    with pytest.raises(KeyError):
        key_for("fly")
