// The timeline: one row per step, phases in lane 0, model and tool calls in lanes below, a squeezed time scale.

import { el, toned } from "./base.js";
import { duration } from "./words.js";

const TOP = 22,
  PHASE = 19,
  LANE = 16;
/** Distance of a lane from the top of its row: lane 0 holds the phases and is taller. */
const laneTop = (lane) => TOP + (lane ? PHASE + (lane - 1) * LANE : 0);
const rowHeight = (lanes) => laneTop(lanes) + 6;

/** Share of the width, 0 to 1, of a moment on the squeezed scale (the same sum as views/scale.py). */
function placeOn(knots, at) {
  if (!knots.length) return 0;
  if (at <= knots[0].at) return knots[0].x;
  for (let i = 1; i < knots.length; i++) {
    const a = knots[i - 1],
      b = knots[i];
    if (at <= b.at) return b.at === a.at ? b.x : a.x + ((b.x - a.x) * (at - a.at)) / (b.at - a.at);
  }
  return knots[knots.length - 1].x;
}

function momentOn(knots, x) {
  for (let i = 1; i < knots.length; i++) {
    const a = knots[i - 1],
      b = knots[i];
    if (x <= b.x) return b.x === a.x ? b.at : a.at + ((b.at - a.at) * (x - a.x)) / (b.x - a.x);
  }
  return knots.length ? knots[knots.length - 1].at : 0;
}

function niceStep(rough) {
  const units = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5,
    216e5, 432e5, 864e5,
  ];
  return units.find((unit) => unit >= rough) || Math.ceil(rough / 864e5) * 864e5;
}

/** Ticks of a window of the scale: distinct labels, at least 64 px apart, also where the scale is squeezed. */
function ticksFor(knots, window, width) {
  const out = [];
  let last = -1e9;
  const px = (x) => ((x - window[0]) / (window[1] - window[0])) * width;
  for (let i = 1; i < knots.length; i++) {
    const a = knots[i - 1],
      b = knots[i];
    if (b.x < window[0] || a.x > window[1] || b.at <= a.at) continue;
    const wide = px(b.x) - px(a.x);
    if (wide < 20) continue;
    const step = niceStep((b.at - a.at) / Math.max(1, wide / 90));
    for (let at = Math.ceil(a.at / step) * step; at <= b.at; at += step) {
      const x = px(placeOn(knots, at));
      if (x < -1 || x > width - 48 || x - last < 64) continue; // a label at the very end would be cut
      last = x;
      const decimals = step < 10 ? 3 : step < 100 ? 2 : step < 1000 ? 1 : 0;
      const label =
        at < 60e3
          ? `+${(at / 1000).toFixed(decimals)} s`
          : at < 3600e3
            ? `+${Math.floor(at / 60e3)}:${String(((at % 60e3) / 1000).toFixed(decimals)).padStart(decimals ? 3 + decimals : 2, "0")} min`
            : `+${duration(at)}`;
      out.push({ x, label });
    }
  }
  return out;
}

export function timelineView({ timeline, onPick }) {
  const { rows, knots, length } = timeline;
  let window = [0, 1];
  let chosen = "";
  let lit = new Set();
  let line = null,
    now = null;
  const scale = el("div", { class: "er-scale", "aria-hidden": "true" });
  const body = el("div", {
    class: "er-bars",
    role: "img",
    "aria-label": `Timeline of ${rows.length} steps over ${duration(length)}`,
  });
  const space = el("div", { class: "er-space" });
  const crash = el("div", { class: "er-crashline", hidden: true });
  const moment = el("div", { class: "er-moment", hidden: true });
  body.append(space, moment, crash);
  const lens = el("div", { class: "er-lens" });
  const map = el(
    "div",
    { class: "er-minimap", title: "The whole time. Drag to move, scroll to zoom." },
    lens,
  );
  const buttons = el(
    "div",
    { class: "er-zoom" },
    el(
      "button",
      { type: "button", title: "Zoom in", "aria-label": "Zoom in", onclick: () => zoom(0.5) },
      "+",
    ),
    el(
      "button",
      { type: "button", title: "Zoom out", "aria-label": "Zoom out", onclick: () => zoom(2) },
      "−",
    ),
    el(
      "button",
      {
        type: "button",
        title: "Show all",
        "aria-label": "Show the whole time",
        onclick: () => frame([0, 1]),
      },
      "all",
    ),
  );
  const node = el(
    "div",
    { class: "er-timeline" },
    el("div", { class: "er-timehead" }, map, buttons),
    scale,
    body,
  );

  const tops = [];
  let total = 0;
  for (const row of rows) {
    tops.push(total);
    total += rowHeight(row.lanes);
  }
  const rowOf = new Map();
  rows.forEach((row, i) => {
    for (const each of [row, ...row.bars, ...row.marks]) if (!rowOf.has(each.key)) rowOf.set(each.key, i);
  });
  /** First row that reaches below a height: rows are sorted by it. */
  const firstAt = (y) => {
    let low = 0,
      high = tops.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (tops[mid] + rowHeight(rows[mid].lanes) < y) low = mid + 1;
      else high = mid;
    }
    return low;
  };
  space.style.height = `${total}px`;
  for (const bucket of timeline.minimap.buckets)
    map.append(el("i", { class: bucket.count ? `er-f-${bucket.tone}` : "er-f-none" }));

  const width = () => Math.max(60, body.clientWidth - 8);
  const px = (at) => ((placeOn(knots, at) - window[0]) / (window[1] - window[0])) * width();
  /** Places are shares of the width, so that a change of size between two pictures does no harm. */
  const share = (x) => `${(x / width()) * 100}%`;
  function frame(next) {
    const wide = Math.min(1, Math.max(0.0005, next[1] - next[0]));
    const start = Math.min(1 - wide, Math.max(0, next[0]));
    window = [start, start + wide];
    paint();
  }
  function zoom(factor, around = 0.5) {
    const wide = (window[1] - window[0]) * factor;
    const middle = window[0] + (window[1] - window[0]) * around;
    frame([middle - wide * around, middle + wide * (1 - around)]);
  }
  function bar(row, each) {
    const x = px(each.start),
      end = px(each.end);
    if (end < -4 || x > width() + 4) return null;
    const wide = Math.max(3, end - x);
    const label = wide > 40 ? each.label : "";
    return el(
      "div",
      {
        class: `er-bar er-p-${each.phase} er-f-${each.tone}${each.open ? " er-open" : ""}${each.key === chosen ? " er-chosen" : ""}${lit.has(each.key) ? " er-lit" : ""}`,
        style: { left: share(x), width: share(wide), minWidth: "3px", top: `${laneTop(each.lane)}px` },
        title: `${each.label}: ${each.detail}\n${duration(each.end - each.start)}${each.open ? " or longer" : ""}`,
        onclick: (event) => {
          event.stopPropagation();
          onPick(each.key, event);
        },
      },
      label,
    );
  }
  function paint() {
    const from = body.scrollTop,
      to = from + (body.clientHeight || 300);
    space.replaceChildren();
    for (let i = firstAt(from - 60); i < rows.length && tops[i] < to + 60; i++) {
      const row = rows[i];
      let last = -99;
      const marks = row.marks.map((mark, n) => {
        const act = mark.kind.startsWith("act");
        // Two acts of one millisecond stand side by side, or one would hide the other.
        const x = act ? Math.max(px(mark.at), last + 13) : px(mark.at);
        if (x < -4 || x > width() + 4) return null;
        last = x;
        const room = (n + 1 < row.marks.length ? px(row.marks[n + 1].at) : width()) - x;
        return el(
          "div",
          {
            class: `er-mark er-m-${mark.kind} er-t-${mark.tone}${mark.key === chosen ? " er-chosen" : ""}${lit.has(mark.key) ? " er-lit" : ""}`,
            title: mark.label,
            style: { left: share(x), height: act ? null : `${laneTop(row.lanes) - TOP + 2}px` },
            onclick: (event) => {
              event.stopPropagation();
              onPick(mark.key);
            },
          },
          act && room > 60
            ? el("span", { style: { maxWidth: `${room - 14}px` } }, mark.label.split(":")[0])
            : null,
        );
      });
      space.append(
        el(
          "div",
          {
            class: `er-trow${row.key === chosen ? " er-chosen" : ""}`,
            style: { top: `${tops[i]}px`, height: `${rowHeight(row.lanes)}px` },
            onclick: () => onPick(row.key),
          },
          el(
            "div",
            { class: "er-tlabel" },
            toned(row.tone, row.name || row.label),
            " ",
            toned("muted", row.detail),
          ),
          row.bars.map((each) => bar(row, each)),
          marks,
        ),
      );
    }
    scale.replaceChildren(
      ...ticksFor(knots, window, width()).map((tick) =>
        el("span", { style: { left: `calc((100% - 8px) * ${tick.x / width()} + 4px)` } }, tick.label),
      ),
    );
    lens.style.left = `${window[0] * 100}%`;
    lens.style.width = `${Math.max(0.5, (window[1] - window[0]) * 100)}%`;
    const height = `${Math.max(total, body.clientHeight)}px`;
    for (const [node, at] of [
      [crash, line],
      [moment, now],
    ]) {
      const x = at === null ? -9 : px(at);
      node.hidden = x < -1 || x > width() + 1;
      node.style.left = `calc((100% - 8px) * ${x / width()} + 4px)`;
      node.style.height = height;
    }
  }
  body.addEventListener("scroll", () => requestAnimationFrame(paint), { passive: true });
  body.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey) return;
      event.preventDefault();
      const box = body.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - box.left) / box.width);
    },
    { passive: false },
  );
  drag(map, (event) => {
    const box = map.getBoundingClientRect();
    const wide = window[1] - window[0];
    const middle = (event.clientX - box.left) / box.width;
    frame([middle - wide / 2, middle + wide / 2]);
  });
  map.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8);
    },
    { passive: false },
  );
  const watcher = new ResizeObserver(() => requestAnimationFrame(paint));
  watcher.observe(body);
  // Notebooks keep cells out of the layout while they are out of sight.
  const seen = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) paint();
  });
  seen.observe(body);
  return {
    node,
    body,
    crash,
    choose(keys) {
      chosen = keys.find((key) => rowOf.has(key)) || "";
      const at = chosen ? rowOf.get(chosen) : -1;
      if (at >= 0 && (tops[at] < body.scrollTop || tops[at] + 40 > body.scrollTop + body.clientHeight))
        body.scrollTop = Math.max(0, tops[at] - 30);
      paint();
    },
    /** Mark the bars and marks of these keys. */
    light(keys) {
      lit = keys;
      paint();
    },
    /** Show the moment of the cursor; brings it into the window when it lies outside. */
    moment(at) {
      now = at;
      if (at !== null) {
        const x = placeOn(knots, at),
          wide = window[1] - window[0];
        if (x < window[0] || x > window[1]) return frame([x - wide / 2, x + wide / 2]);
      }
      return paint();
    },
    line(at) {
      line = at;
      paint();
    },
    momentAt(clientX) {
      const box = body.getBoundingClientRect();
      const x = window[0] + ((clientX - box.left - 4) / width()) * (window[1] - window[0]);
      return momentOn(knots, Math.min(1, Math.max(0, x)));
    },
    zoom,
    frame,
    paint,
    close() {
      watcher.disconnect();
      seen.disconnect();
    },
  };
}

/** Call move(event) while the pointer is down on a node. */
export function drag(node, move, done) {
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    node.setPointerCapture(event.pointerId);
    move(event);
    const stop = () => {
      node.removeEventListener("pointermove", move);
      node.removeEventListener("pointerup", stop);
      node.removeEventListener("pointercancel", stop);
      if (done) done();
    };
    node.addEventListener("pointermove", move);
    node.addEventListener("pointerup", stop);
    node.addEventListener("pointercancel", stop);
  });
}
