from eve_replay.codec import Payload
from eve_replay.views.inspect.raw import raw_view


def test_layers_sizes_and_a_page_of_bytes():
    data = b'devl[{"a":1},1]' + b" " * 100
    view = raw_view(Payload(data, where="steps/x.json input"), "input", offset=20, limit=32)
    assert view.layers == ("devl",)
    assert view.summary == "devl, 115 B stored"
    assert (view.offset, len(view.rows), view.more) == (16, 2, 115 - 48)
    first = raw_view(Payload(data), "input").rows[0]
    assert first.hexa == "64 65 76 6c 5b 7b 22 61  22 3a 31 7d 2c 31 5d 20"
    assert first.text == 'devl[{"a":1},1] '


def test_what_cannot_be_opened_says_why():
    view = raw_view(Payload(b"encr" + bytes(60)), "output")
    assert view.layers[0] == "encr"
    assert view.text_size is None
    assert view.problems[0].startswith("undecoded: missing-key")


def test_plain_records_have_no_bytes():
    view = raw_view(Payload.plain({"message": "x"}), "error")
    assert view.rows == ()
    assert "stored as JSON" in view.summary
