// The moves of the browser are those of Python: tests/unit/views/session/test_same_moves.py reads the same cases.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cursorOver } from "../../eve_replay/notebook/js/cursor.js";

const cases = JSON.parse(readFileSync(new URL("cursor.json", import.meta.url), "utf8"));

for (const { name, stops, points, moves, finds } of cases.sessions) {
  const cursor = cursorOver(stops);
  cursor.setPoints(points, "turn_0");
  test(`moves of ${name}`, () => {
    assert.deepEqual(Object.keys(moves).sort(), Object.keys(cursor.moves).sort());
    for (const [action, list] of Object.entries(moves))
      for (const [index, level, ...to] of list) {
        const there = cursor.moves[action]({ index, level });
        assert.deepEqual([there.index, there.level], to, `${action} from ${index}.${level}`);
      }
  });
  test(`ids of ${name}`, () => {
    for (const [text, index, level] of finds) {
      const there = cursor.find(text);
      assert.deepEqual(there && [there.index, there.level], index === null ? null : [index, level], text);
    }
  });
}

test("a turn's points are known once they came", () => {
  const { stops } = cases.sessions[0];
  const cursor = cursorOver(stops);
  const inTurn = stops.findIndex((stop) => stop.path.some((key) => key.endsWith("/turn_0")));
  assert.equal(cursor.knows(cursor.at(inTurn)), false);
  cursor.setPoints([], "turn_0");
  assert.equal(cursor.knows(cursor.at(inTurn)), true);
});
