// The cursor: the moves of views/session/cursor.py over the moments that came with the page, without a question to
// Python. tests/js/cursor.json holds both to the same.

import { partsOf } from "./keys.js";

/** @typedef {import("./data").Stop} Stop */
/** @typedef {import("./data").Place} Place */

/** @param {Stop[]} stops in order */
export function cursorOver(stops) {
  /** @type {Map<string, number>} */
  const firstOf = new Map();
  const keep = (/** @type {string} */ key, /** @type {number} */ i) =>
    firstOf.has(key) || firstOf.set(key, i);
  stops.forEach((stop, i) => {
    for (const key of stop.path) keep(key, i);
    // A session's own runs are not in any path, but can be gone to.
    if (stop.key.startsWith("event:")) keep(`run:${partsOf(stop.key)[0]}`, i);
  });
  const starts = (/** @type {string} */ kind) =>
    [...firstOf]
      .filter(([key]) => key.startsWith(`${kind}:`))
      .map(([, i]) => i)
      .sort((a, b) => a - b);
  const steps = starts("step");
  const attempts = starts("attempt");
  const effects = stops.map((stop, i) => (stop.effect ? i : -1)).filter((i) => i >= 0);
  /** @type {number[]} */
  let points = [];
  /** Turns whose crash points have come, and the ids of the points. */
  const known = new Set();
  const wanted = new Set();
  /** @returns {Place} moment i (clamped); without a level the moment itself is selected */
  const at = (/** @type {number} */ i, /** @type {number | undefined} */ level = undefined) => {
    const index = Math.min(Math.max(i, 0), stops.length - 1);
    const top = stops[index].path.length - 1;
    return { index, level: level === undefined ? top : Math.min(Math.max(level, 0), top) };
  };
  const inPath = (/** @type {string} */ key) => {
    const index = /** @type {number} */ (firstOf.get(key));
    const level = stops[index].path.indexOf(key);
    return at(index, level < 0 ? undefined : level);
  };
  const select = (/** @type {number} */ index, /** @type {string} */ kind) => {
    const stop = stops[index];
    const level = stop.path.findIndex(
      (key) => (kind === "effect" && key === stop.effect) || (kind && key.startsWith(`${kind}:`)),
    );
    return at(index, level < 0 ? undefined : level);
  };
  /** @type {(here: Place, places: number[], kind: string) => Place} */
  const after = (here, places, kind) => {
    const next = places.find((i) => i > here.index);
    return next === undefined ? here : select(next, kind);
  };
  /** @type {(here: Place, places: number[], kind: string) => Place} */
  const before = (here, places, kind) => {
    const next = places.findLast((i) => i < here.index);
    return next === undefined ? here : select(next, kind);
  };
  const focus = (/** @type {Place} */ here) => stops[here.index].path[here.level];
  /** The first thing inside the selected one: rather a container than a bare event. */
  const into = (/** @type {Place} */ here) => {
    if (here.level >= stops[here.index].path.length - 1) return here;
    const inside = here.level + 1;
    const key = focus(here);
    let fallback = -1;
    for (let i = firstOf.get(key) ?? 0; i < stops.length; i++) {
      const its = stops[i].path;
      if (its.length <= here.level || its[here.level] !== key) {
        if (/^(attempt|call):/.test(key) && fallback >= 0) break;
        continue;
      }
      if (its.length > inside + 1) return at(i, inside);
      if (fallback < 0) fallback = i;
    }
    return fallback >= 0 ? at(fallback, inside) : here;
  };
  const out = (/** @type {Place} */ here) =>
    here.level === 0 ? here : at(firstOf.get(stops[here.index].path[here.level - 1]) ?? 0, here.level - 1);
  /** @type {Record<string, (here: Place) => Place>} by the actions of the key table */
  const moves = {
    "next-event": (h) => at(h.index + 1),
    "previous-event": (h) => at(h.index - 1),
    "next-step": (h) => after(h, steps, "step"),
    "previous-step": (h) => before(h, steps, "step"),
    into,
    out,
    "next-attempt": (h) => after(h, attempts, "attempt"),
    "previous-attempt": (h) => before(h, attempts, "attempt"),
    "next-effect": (h) => after(h, effects, "effect"),
    "previous-effect": (h) => before(h, effects, "effect"),
    "next-crash-point": (h) => after(h, points, ""),
    "previous-crash-point": (h) => before(h, points, ""),
  };
  return {
    moves,
    at,
    focus,
    /**
     * Crash points come turn by turn, when somebody asks for the next one.
     * @param {string[]} ids of events or chunks
     * @param {string | null} turn
     */
    setPoints(ids, turn) {
      known.add(turn);
      for (const id of ids) wanted.add(id);
      points = stops.map((s, i) => (wanted.has(s.id) || wanted.has(s.key) ? i : -1)).filter((i) => i >= 0);
    },
    /** Whether the crash points of the turn around a place have come. */
    knows(/** @type {Place} */ here) {
      const key = stops[here.index].path.find((each) => each.startsWith("turn:"));
      return known.has(key ? key.slice(key.indexOf("/") + 1) : null);
    },
    /** The place of a key that lies in the path of a moment, null for any other. */
    goKey: (/** @type {string} */ key) =>
      firstOf.has(key) && stops[/** @type {number} */ (firstOf.get(key))].path.includes(key)
        ? inPath(key)
        : null,
    /**
     * The place of an id or key, or of the last letters of one (four at least); ids of the run one is in come first.
     * @param {string} text
     * @param {Place | null} here
     */
    find(text, here = null) {
      const said = text.trim();
      if (!said) return null;
      if (firstOf.has(said)) return inPath(said);
      const own = here ? stops[here.index].key : "";
      const near = own.startsWith("event:") ? partsOf(own)[0] : "";
      /** @type {{ rank: number, i: number, key: string } | null} */
      let best = null;
      for (const [key, i] of firstOf) {
        const parts = partsOf(key);
        const name = parts[parts.length - 1];
        let rank = 2;
        if (parts.slice(-2).includes(said) || key.endsWith(`/${said}`) || key === `turn:${said}`)
          rank = name === said ? 0 : 1;
        else if (said.length < 4 || !name.toLowerCase().endsWith(said.toLowerCase())) continue;
        if (near && parts[0] !== near) rank += 3;
        if (!best || rank < best.rank || (rank === best.rank && i < best.i)) best = { rank, i, key };
      }
      return best && inPath(best.key);
    },
  };
}
