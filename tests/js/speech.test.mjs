// The catalog of sentences says the same here as in views/kit/speech.py.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { speaker } from "../../eve_replay/notebook/js/speech.js";

const read = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));

test("sentences in Chinese", () => {
  const say = speaker(read("../../eve_replay/views/kit/speech.json"));
  for (const [en, zh] of read("speech.json")) assert.equal(say(en), zh);
});
