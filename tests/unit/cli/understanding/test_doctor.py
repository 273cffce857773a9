from tests.support.corpus import data, scenario
from tests.unit.cli._run import CRASH, SIMPLE, call


def test_a_healthy_folder(capsys):
    result = call(capsys, "doctor", SIMPLE)
    assert result.code == 0
    assert "remark" in result.out or "Nothing found" in result.out


def test_findings_as_json(capsys):
    document = call(capsys, "doctor", data("older-0.50.0"), "--json").json
    assert document["format"] == "eve-replay/doctor"
    finding = next(f for f in document["findings"] if f["code"] == "folder-would-be-deleted")
    assert {"code", "severity", "where", "sentence", "why", "fix"} <= set(finding)


def test_problems_give_exit_code_one(capsys):
    crash = scenario("sweep/T1") / "after-100" / "crash"
    result = call(capsys, "doctor", crash)
    assert result.code == 1
    words = " ".join(result.out.split())
    assert "wedged-f1" in words and "delete the .terminal lock" in words and "1 error" in words


def test_one_session_and_the_quick_check(capsys):
    assert call(capsys, "doctor", CRASH, "--session", "J64S", "--quick").code == 0
    assert call(capsys, "doctor", CRASH, "--session", "nobody").code == 2
