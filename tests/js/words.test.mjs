// The words of the browser are those of Python: tests/unit/views/kit/test_same_words.py reads the same cases.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as words from "../../eve_replay/notebook/js/words.js";
import { idOf, partsOf, stepOf } from "../../eve_replay/notebook/js/keys.js";

process.env.TZ = "UTC";
const cases = JSON.parse(readFileSync(new URL("words.json", import.meta.url), "utf8"));

for (const name of ["duration", "clock", "shortId"])
  test(`${name} as Python writes it`, () => {
    for (const [value, text] of cases[name]) assert.equal(words[name](value), text, `${name}(${value})`);
  });

test("a text keeps the names it got no value for", () => {
  assert.equal(words.fill("{n} of {all} {x}", { n: 1, all: 3 }), "1 of 3 {x}");
});

test("keys come apart as they were put together", () => {
  assert.deepEqual(partsOf("call:wrun_1/step_2/3/a/b"), ["wrun_1", "step_2", "3", "a/b"]);
  assert.equal(idOf("call:wrun_1/step_2/3/a/b"), "a/b");
  assert.equal(idOf("attempt:wrun_1/step_2/3"), "step_2 attempt 3");
  assert.equal(stepOf("call:wrun_1/step_2/3/a"), "step:wrun_1/step_2");
  assert.equal(stepOf("turn:wrun_1/turn_0"), "turn:wrun_1/turn_0");
});
