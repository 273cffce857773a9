// The cursor: the moves of views/cursor.py over the stops that came with the page; no question to Python needed.

function cursorOver(stops) {
  const firstOf = new Map();
  stops.forEach((stop, i) => stop.path.forEach((key) => { if (!firstOf.has(key)) firstOf.set(key, i); }));
  const starts = (kind) => [...firstOf].filter(([key]) => key.startsWith(`${kind}:`)).map(([, i]) => i).sort((a, b) => a - b);
  const steps = starts("step"), attempts = starts("attempt");
  const effects = stops.map((stop, i) => (stop.effect ? i : -1)).filter((i) => i >= 0);
  let points = [];
  const known = new Set(), wanted = new Set();
  const clamp = (i) => Math.min(Math.max(i, 0), stops.length - 1);
  const at = (i, level) => {
    const index = clamp(i);
    const top = stops[index].path.length - 1;
    return { index, level: level === undefined ? top : Math.min(Math.max(level, 0), top) };
  };
  const select = (index, kind) => {
    const stop = stops[index];
    const level = stop.path.findIndex((key) => (kind === "effect" && key === stop.effect) || (kind && key.startsWith(`${kind}:`)));
    return at(index, level < 0 ? undefined : level);
  };
  const after = (here, places, kind) => { const next = places.find((i) => i > here.index); return next === undefined ? here : select(next, kind); };
  const before = (here, places, kind) => { const next = places.filter((i) => i < here.index).pop(); return next === undefined ? here : select(next, kind); };
  const focus = (here) => stops[here.index].path[here.level];
  const into = (here) => {
    const path = stops[here.index].path;
    if (here.level >= path.length - 1) return here;
    const inside = here.level + 1, key = focus(here);
    let fallback = -1;
    for (let i = firstOf.get(key); i < stops.length; i++) {
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
  const out = (here) => (here.level === 0 ? here : at(firstOf.get(stops[here.index].path[here.level - 1]), here.level - 1));
  const moves = {
    "next-event": (h) => at(h.index + 1), "previous-event": (h) => at(h.index - 1),
    "next-step": (h) => after(h, steps, "step"), "previous-step": (h) => before(h, steps, "step"),
    into, out, "next-attempt": (h) => after(h, attempts, "attempt"), "next-effect": (h) => after(h, effects, "effect"),
    "next-crash-point": (h) => after(h, points, ""), "previous-crash-point": (h) => before(h, points, ""),
  };
  return {
    moves, at, focus,
    /** Crash points come turn by turn, when somebody asks for the next one. */
    setPoints(ids, turn) {
      known.add(turn);
      for (const id of ids) wanted.add(id);
      points = stops.map((s, i) => (wanted.has(s.id) || wanted.has(s.key) ? i : -1)).filter((i) => i >= 0);
    },
    knows(here) {
      const key = stops[here.index].path.find((each) => each.startsWith("turn:"));
      return known.has(key ? key.slice(key.indexOf("/") + 1) : null);
    },
    goKey(key) { const i = firstOf.get(key); return i === undefined ? null : at(i, stops[i].path.indexOf(key)); },
    find(text) {
      const low = text.trim().toLowerCase();
      if (!low) return null;
      for (const [key, i] of firstOf) if (key.toLowerCase().endsWith(low)) return at(i, stops[i].path.indexOf(key));
      return null;
    },
  };
}
