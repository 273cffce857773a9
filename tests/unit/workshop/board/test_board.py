"""The board of a class, over real HTTP on this machine: predictions, answers, neighbours, and the PIN."""

import json
import threading
import time
import urllib.error
import urllib.request

import pytest

from eve_replay.workshop.board import Room, serve
from eve_replay.workshop.verdict import Verdict

GOOD, BAD = "good = 1", "bad = 1"


def judge(lesson, source, language, world):
    passed = source == GOOD and (world is None or world.model == "same")
    return Verdict(
        lesson=lesson,
        passed=passed,
        language=language,
        headline="It holds." if passed else "Not yet.",
        code="" if passed else "no-key",
        story=() if passed else ("It dies.",),
    )


@pytest.fixture
def board(tmp_path):
    server = serve(Room(tmp_path, judge), "4711", "127.0.0.1", 0, "en")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Client(server.server_address[1])
    server.shutdown()
    server.server_close()


class Client:
    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"

    def get(self, path):
        with urllib.request.urlopen(self.base + path, timeout=10) as reply:
            return reply.read().decode()

    def ask(self, path, pin="4711", **given):
        body = json.dumps({"pin": pin, **given}).encode()
        try:
            with urllib.request.urlopen(f"{self.base}/api/{path}", body, timeout=10) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def done(self, path, **given):
        job = self.ask(path, **given)[1]["job"]
        while not (came := self.ask("job", job=job)[1])["done"]:
            time.sleep(0.01)
        return came


def test_predictions_are_counted_and_the_first_one_counts(board):
    for who, choice in (("ann", 1), ("bo", 2), ("bo", 0)):
        assert board.ask("predict", who=who, lesson="1", name="mails", choice=choice)[0] == 200
    assert board.ask("state")[1]["predictions"] == {"01/mails": [0, 1, 1]}
    assert board.ask("predict", who="ann", lesson="1", name="mails", choice=9)[0] == 422
    asked = board.ask("questions", lesson="1", language="zh")[1]["questions"]
    assert "邮件" in asked[0]["question"] and "answer" not in asked[0]


def test_answers_are_judged_and_neighbours_break_them(board):
    assert board.done("hand-in", who="ann", lesson="1", source=GOOD)["passed"] is True
    assert board.done("hand-in", who="bo", lesson="1", source=BAD)["headline"] == "Not yet."
    assert board.ask("neighbour", who="ann", lesson="1")[0] == 422  # nobody else has passed
    assert board.ask("neighbour", who="bo", lesson="1")[1] == {"of": "ann", "source": GOOD, "broken": 0}
    same = {"model": "same", "away": 0, "crashes": 1}
    assert board.done("attack", who="bo", lesson="1", of="ann", world=same)["passed"] is True
    other = same | {"model": "new-ids"}
    assert board.done("attack", who="bo", lesson="1", of="ann", world=other)["passed"] is False
    assert board.ask("attack", who="bo", lesson="1", of="ann", world={"crashes": 99})[0] == 422
    ann, bo = board.ask("state")[1]["people"]
    assert ann["answers"]["01"] == {"passed": True, "tries": 1, "code": "", "broken": 1}
    assert bo["broke"] == 1 and board.ask("state")[1]["stumbles"][0]["words"] == "no key"


def test_nothing_without_the_pin_and_guessing_ends(board):
    assert board.ask("state", pin="0000")[0] == 403
    for _ in range(40):
        board.ask("state", pin="0001")
    assert board.ask("state")[0] == 403  # this address has guessed too often


def test_pages_need_nothing_from_elsewhere_and_hold_no_pin(board):
    for path in ("/", "/board"):
        page = board.get(path)
        assert "http" not in page.replace("http://", "", 0).split("<main")[0] and "4711" not in page
        assert "src=" not in page and "@import" not in page


def test_a_restart_loses_nothing(tmp_path):
    first = Room(tmp_path, judge)
    first.predict("ann", "1", "mails", 2)
    job = first.hand_in("ann", "1", GOOD, "en")
    while not first.job(job)["done"]:
        time.sleep(0.01)
    again = Room(tmp_path, judge).state("en")
    assert again["predictions"] == {"01/mails": [0, 0, 1]}
    assert again["people"][0]["answers"]["01"]["passed"] is True


def test_names_are_sorted_as_people_count(tmp_path):
    room = Room(tmp_path, judge)
    for name in ("learner10", "learner2", "learner1"):
        room.predict(name, "1", "mails", 0)
    assert [each["name"] for each in room.state("en")["people"]] == ["learner1", "learner2", "learner10"]
