"""Progress is for eyes: on a terminal, after a moment, gone when the work is done."""

import io
import sys

from eve_replay.cli.shared import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_slow_work_says_how_far_it_is_and_wipes_it(monkeypatch):
    clock = iter(range(1000))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(progress, "_PATIENCE", 2.0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(progress.counted(iter("abcdef"), 6, "session")) == list("abcdef")
    shown = sys.stderr.getvalue()
    assert "2 of 6 sessions looked at" in shown and "0 of 6" not in shown and shown.endswith("\r\x1b[K")


def test_quick_work_pipes_and_json_say_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(progress.counted("ab", 2, "session")) == ["a", "b"]
    assert sys.stderr.getvalue() == ""
    monkeypatch.setattr(progress.time, "monotonic", iter(range(1000)).__next__)
    assert list(progress.counted("abcdef", 6, "session", quiet=True)) and sys.stderr.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert list(progress.counted("abcdef", 6, "session")) and sys.stderr.getvalue() == ""
