// A guess is right when it is the range, and only then.
import assert from "node:assert/strict";
import { test } from "node:test";
import { allRight, judged, spoken } from "../../eve_replay/notebook/js/guess.js";

const range = (least, most) => ({ least, most });

test("a guess inside the range is not the range", () => {
  assert.deepEqual(judged(range(1, 2), range(1, 1)), { right: false, said: ["2 is possible too"] });
  assert.deepEqual(judged(range(0, 2), range(1, 1)), {
    right: false,
    said: ["0 is possible too", "2 is possible too"],
  });
  assert.deepEqual(judged(range(2, null), range(2, 9)).said, ["there is no upper bound"]);
});

test("a guess that lets in what cannot be is not the range", () => {
  assert.deepEqual(judged(range(1, 1), range(0, 2)).said, ["never fewer than 1", "never more than 1"]);
  assert.deepEqual(judged(range(1, 2), range(1, null)).said, ["never more than 2"]);
});

test("no guess but the range is right", () => {
  const all = [0, 1, 2, 3].flatMap((a) => [a, a + 1, null].map((b) => range(a, b)));
  for (const truth of all)
    for (const guess of all)
      assert.equal(
        judged(truth, guess).right,
        truth.least === guess.least && truth.most === guess.most,
        `${spoken(guess)} for ${spoken(truth)}`,
      );
});

test("a point counts when everything of it was right", () => {
  const view = { outcome: "recovers", effects: [{ outsideMinimum: 1, outsideMaximum: 2 }] };
  assert.ok(allRight(view, { outcome: "recovers", effects: [range(1, 2)] }));
  assert.ok(!allRight(view, { outcome: "hangs", effects: [range(1, 2)] }));
  assert.ok(!allRight(view, { outcome: "recovers", effects: [range(1, 1)] }));
  assert.equal(spoken(range(2, null)), "2 or more");
});
