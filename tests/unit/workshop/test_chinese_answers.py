"""Answers as Chinese speakers write them: names inside sentences, claims of done, gluing without a space."""

import pytest

from eve_replay.workshop import check
from eve_replay.workshop.promises import claims_done

LESSON_5 = """
def send_mail(input, ctx, outside):
    name = input["to"] + "|" + input["subject"]
    if outside.store.set_nx(name, "pending") is True:
        outside.mail.send(input["to"], input["subject"])
        outside.store.set(name, "sent")
        return {{"status": "已发送"}}
    if outside.store.get(name) == "sent":
        return {{"status": "已发送"}}
    outside.people.tell({told})
    return {{"status": {status}}}
"""


def answer(told, status):
    space = {}
    exec(LESSON_5.format(told=told, status=status), space)
    return space["send_mail"]


@pytest.mark.parametrize(
    "told",
    [
        '"请查一下发给" + input["to"] + "的" + input["subject"] + "是否送达"',
        '"邮件" + input["subject"] + "（" + input["to"] + "）状态未知，请核实。"',
        'input["to"] + input["subject"]',
        'input["to"] + "_" + input["subject"]',
        "f\"收件人{input['to']}，主题{input['subject']}\"",
        '"Was " + input["subject"] + " delivered to " + input["to"] + "?"',
    ],
)
def test_a_person_is_told_in_chinese(told):
    verdict = check("05", answer(told, '"unknown"'), language="zh")
    assert verdict.passed, verdict.why


@pytest.mark.parametrize("told", ['"请查一下邮件是否送达"', '"有一封邮件状态未知"'])
def test_a_sentence_that_names_nothing_names_nothing_in_chinese_either(told):
    assert not check("05", answer(told, '"unknown"'), language="zh").passed


@pytest.mark.parametrize("status", ["已发送", "发送成功", "sent?", "probably sent", "delivered successfully"])
def test_a_claim_of_done_is_read_in_every_language(status):
    told = 'input["subject"] + " -> " + input["to"]'
    assert not check("05", answer(told, repr(status)), language="zh").passed


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        *(
            (each, True)
            for each in ("已付款。", "付款成功", "已经退款了", "邮件已经成功寄出了", "完成", "already sent")
        ),
        *((each, False) for each in ("未发送", "可能已发送", "不确定是否已付款", "发送中", "发送", "待处理")),
        *((each, False) for each in ("unknown", "not sent", "maybe sent", "pending", "sending", "")),
    ],
)
def test_what_a_claim_is(text, claims):
    assert claims_done({"status": text}) is claims
