// The matrix under the crash points: a lane per outcome, model and effect, the same places as the points above.

import { GUTTER, el, signed } from "./base.js";

export function heatView({ points, words, go }) {
  const node = el("div", { class: "er-heat" });
  const table = el("details", { class: "er-heattable" }, el("summary", {}, "the matrix as a table"));
  let cursor = null;
  const at = (i) => `${(i / points.length) * 100}%`;
  /** Neighbours that say the same become one block, so that its text has room. */
  function stretches(rows, column) {
    const out = [];
    rows.forEach((row, i) => {
      const cell = row.cells[column],
        last = out[out.length - 1];
      if (last && last.cell.text === cell.text && last.cell.tone === cell.tone) last.to = i + 1;
      else out.push({ cell, from: i, to: i + 1 });
    });
    return out;
  }
  function lane(view, column, c) {
    const track = el(
      "div",
      {
        class: "er-track",
        onclick: (event) => {
          const box = track.getBoundingClientRect();
          go(Math.floor(((event.clientX - box.left) / box.width) * points.length));
        },
      },
      stretches(view.rows, c).map(({ cell, from, to }) => {
        const wide = ((to - from) / points.length) * 100;
        return el(
          "span",
          {
            class: `er-block er-f-${cell.tone}`,
            "data-from": from,
            style: { left: at(from), width: `${wide}%` },
            title: `points ${from + 1} to ${to}: ${cell.word || cell.text}`,
          },
          wide > (100 * cell.text.length) / 90 ? cell.text : "",
        );
      }),
    );
    return [
      el(
        "span",
        { class: "er-gutter", title: column.callId ? `${column.title} ${column.callId}` : column.title },
        column.title,
      ),
      track,
    ];
  }
  function drawTable(view, index) {
    table.replaceChildren(
      el("summary", {}, "the matrix as a table"),
      el(
        "table",
        { class: "er-table" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "crash point"),
            view.columns.map((c) => el("th", { scope: "col", title: c.callId }, c.title)),
          ),
        ),
        el(
          "tbody",
          {},
          view.rows.map((row) =>
            el(
              "tr",
              {
                "data-point": row.point.index,
                class: row.point.index === index ? "er-chosen" : "",
                title: row.sentence,
              },
              el(
                "th",
                { scope: "row" },
                el(
                  "button",
                  { type: "button", class: "er-link", onclick: () => go(row.point.index) },
                  `${row.point.index + 1} ${row.point.label}`,
                ),
              ),
              row.cells.map((cell) =>
                el("td", { title: cell.word }, cell.text ? signed(words, cell.tone, cell.text) : ""),
              ),
            ),
          ),
        ),
      ),
    );
  }
  return {
    node,
    table,
    show(view, index) {
      cursor = el("div", { class: "er-heatline" });
      node.replaceChildren(
        ...view.columns.flatMap((column, c) => lane(view, column, c)),
        cursor,
        el("span", { class: "er-gutter" }, "over all"),
        el(
          "div",
          { class: "er-totals" },
          view.totals.map((t) => signed(words, t.tone, `${t.name} ${t.count}`)),
        ),
      );
      table.hidden = false;
      table.ontoggle = () => {
        if (table.open) drawTable(view, index);
      };
      if (table.open) drawTable(view, index);
      this.choose(index);
    },
    choose(index) {
      if (cursor)
        cursor.style.left = `calc(${GUTTER}px + (100% - ${GUTTER}px) * ${(index + 0.5) / points.length})`;
      for (const row of table.querySelectorAll("tr[data-point]"))
        row.classList.toggle("er-chosen", Number(row.getAttribute("data-point")) === index);
    },
    hide() {
      cursor = null;
      node.replaceChildren(
        el("span", { class: "er-gutter" }, "matrix"),
        el("div", { class: "er-t-muted" }, "hidden while you predict"),
      );
      table.hidden = true;
    },
    fail(error) {
      cursor = null;
      node.replaceChildren(
        el("span", { class: "er-gutter" }, "matrix"),
        el("div", { class: "er-t-warning" }, error.message),
      );
      table.hidden = true;
    },
  };
}
