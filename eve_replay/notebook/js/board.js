// The board: one lane per process over common columns, and under a lane the cells that say, for every
// point and every kind of crash, what the outside would see. The stage and the verdict draw the same board.

import { el, toned } from "./base.js";

/** @typedef {import("./data").Words} Words */

export const CROSS = {
  "crash-before": "before",
  "crash-in-flight": "flight",
  "crash-after": "after",
  lost: "lost",
  refused: "lost",
};

/**
 * The board of a view.
 * @param {any} view lanes as Python computed them
 * @param {Words} words
 * @param {object} options without `pick` it is a picture
 * @param {any[]} [options.strips] cells by level
 * @param {any[]} [options.faults] what was chosen, by level
 * @param {number} [options.active] level that is chosen next
 * @param {number | null} [options.cursor] number of a moment
 * @param {((level: number, point: number, kind: string) => void) | null} [options.pick]
 * @param {((moment: number) => void) | null} [options.go]
 * @param {(level: number, cell: any) => boolean} [options.known] whether a cell says what it leads to: who has not
 *   tried a place yet is to guess first
 */
export function boardView(
  view,
  words,
  { strips = [], faults = [], active = 0, cursor = null, pick = null, go = null, known = () => true } = {},
) {
  const now = cursor === null ? null : view.moments[cursor];
  const place = new Map(view.columns.map((column, i) => [column.slot, i]));
  const grid = el("div", {
    class: "er-board",
    role: "group",
    "aria-label": words.stage_of,
    style: {
      gridTemplateColumns: `var(--er-gutter) repeat(${view.columns.length}, minmax(var(--er-col), 1fr))`,
      minWidth: `calc(var(--er-gutter) + ${view.columns.length} * var(--er-col))`,
    },
  });
  let row = 1;
  const put = (node, column, width = 1, line = row) => {
    node.style.gridRow = String(line);
    node.style.gridColumn = column === "all" ? "1 / -1" : `${column + 2} / span ${width}`;
    grid.append(node);
    return node;
  };
  const gutter = (...children) => {
    const node = el("div", { class: "er-bgutter" }, ...children);
    node.style.gridRow = String(row);
    node.style.gridColumn = "1";
    grid.append(node);
    return node;
  };
  view.bands.forEach((band) =>
    put(el("div", { class: "er-band" }, band.label), band.from, band.to - band.from + 1),
  );
  row++;
  if (view.tools.length) {
    view.tools.forEach((tool) =>
      put(
        el("div", { class: "er-band er-toolband", title: tool.title }, el("code", {}, tool.label)),
        tool.from,
        tool.to - tool.from + 1,
      ),
    );
    row++;
  }
  view.columns.forEach((column, i) =>
    put(
      el(
        "div",
        { class: `er-collabel${column.code ? " er-iscode" : ""}`, title: column.title },
        column.label,
      ),
      i,
    ),
  );
  row++;
  view.lanes.forEach((lane, number) => {
    put(el("div", { class: "er-lanerule" }), "all");
    gutter(
      el("b", {}, lane.label),
      el("span", { class: `er-lanenote er-t-${lane.tone}` }, lane.sign ? `${lane.sign} ` : "", lane.note),
    );
    if (lane.boxes.length || lane.spans.length) {
      const ends = [
        ...lane.boxes.map((box) => box.col),
        ...lane.spans.flatMap((span) => [span.from, span.to]),
      ];
      const from = Math.min(...ends),
        to = Math.max(...ends);
      put(el("div", { class: "er-laneline" }), from, to - from + 1);
    }
    lane.spans.forEach((span) =>
      put(
        el("div", { class: `er-span er-f-${span.tone}`, title: span.label }, `${span.sign} ${span.label}`),
        span.from,
        span.to - span.from + 1,
      ),
    );
    lane.boxes.forEach((box) => {
      const here = now && box.first <= now.to && now.from <= box.last;
      const later = now && box.first > now.to;
      const label = [box.sign, box.text].filter(Boolean).join(" ");
      const node = el(
        go ? "button" : "div",
        {
          class: `er-box er-k-${box.kind}${box.ghost ? " er-ghost" : box.filled ? ` er-f-${box.tone}` : ` er-t-${box.tone}`}${here ? " er-here" : ""}${later ? " er-later" : ""}`,
          type: go ? "button" : null,
          tabindex: go ? -1 : null,
          title: box.title,
          "aria-label": box.title,
          "data-point": box.point,
          onclick: go ? () => go(view.moments.findIndex((moment) => box.first <= moment.to)) : null,
        },
        el("span", { class: "er-boxtext" }, label),
      );
      if (box.fault)
        node.append(
          el(
            "i",
            {
              class: `er-cross er-x-${CROSS[box.fault]}${box.col ? "" : " er-edge"}`,
              title: words[`fault-${box.fault}`],
            },
            CROSS[box.fault] === "lost" ? "?" : "✕",
          ),
        );
      put(node, box.col);
    });
    row++;
    strips.forEach((strip, level) => {
      if (strip) stripRows(strip, level, number);
    });
  });
  function stripRows(strip, level, lane) {
    const fault = faults[level];
    const cells = strip.cells.filter((cell) => cell.lane === lane && place.has(cell.slot));
    strip.kinds
      .filter((kind) => cells.some((cell) => cell.kind === kind))
      .forEach((kind, n) => {
        const on = level === active && pick;
        gutter(
          el(
            "span",
            { class: "er-kind" },
            strips.length > 1 ? `${level + 1} · ` : "",
            words[`fault-${kind}`],
          ),
        ).classList.add("er-kindgutter", on ? "er-on" : "er-off");
        cells
          .filter((cell) => cell.kind === kind)
          .forEach((cell) => {
            const chosen = fault && fault[0] === cell.point && fault[1] === kind;
            const told = known(level, cell);
            const label = `${words[`fault-${kind}`]}, ${view.columns[place.get(cell.slot)].label}: ${told ? cell.words : words.untried}`;
            put(
              el(
                "button",
                {
                  class: `er-cell er-c-${told ? cell.tone : "hidden"}${chosen ? " er-picked" : ""}`,
                  type: "button",
                  tabindex: -1,
                  title: label,
                  "aria-label": label,
                  "aria-pressed": chosen ? "true" : "false",
                  "data-level": level,
                  "data-point": cell.point,
                  "data-kind": kind,
                  onclick: pick ? () => pick(level, cell.point, kind) : null,
                },
                chosen ? el("b", {}, `✕${cell.sign}`) : told ? cell.sign : "·",
              ),
              place.get(cell.slot),
            );
          });
        if (n === 0) grid.lastElementChild?.classList.add("er-first");
        row++;
      });
  }
  return el("div", { class: "er-boardscroll" }, grid);
}

/** What the outside's ledger holds, up to a moment. */
export function ledgerView(view, words, cursor = null) {
  const until = cursor === null ? Infinity : view.moments[cursor].to;
  const shown = view.ledger.filter((entry) => entry.at <= until);
  if (!shown.length) return el("div", { class: "er-note" }, words.ledger_empty);
  return el(
    "table",
    { class: "er-table er-ledger" },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        ["#", words.what, words.key, words.by].map((text) => el("th", { scope: "col" }, text)),
      ),
    ),
    el(
      "tbody",
      {},
      shown.map((entry) =>
        el(
          "tr",
          { class: entry.tone === "harm" ? "er-repeat" : "", "data-entry": entry.number },
          el("td", { class: "er-tight" }, toned(entry.tone, `${entry.sign} ${entry.label}`)),
          el("td", {}, el("b", {}, entry.effect), " ", entry.about),
          el(
            "td",
            {},
            entry.key === null
              ? toned("muted", words.no_key)
              : el("code", { class: entry.key.length > 18 ? "" : "er-tight" }, entry.key),
          ),
          el("td", { class: "er-tight" }, entry.by),
        ),
      ),
    ),
  );
}

export const sumsView = (sums) =>
  el(
    "span",
    { class: "er-sums" },
    sums.map((sum) => el("span", { class: `er-sum er-f-${sum.tone}` }, `${sum.sign} ${sum.text}`)),
  );
