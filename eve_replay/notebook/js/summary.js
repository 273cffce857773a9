// The first tab of a session: what to do now, and what happened, each line a way to its row.

import { el, signed, toned } from "./base.js";
import { step } from "./todo.js";

/**
 * @param {{ plan: any, rows: any[] }} value plan and verdicts of the session
 * @param {import("./data.js").Words} words
 */
export function summaryBody(value, words) {
  const go = (/** @type {any} */ row, /** @type {any} */ node) =>
    row.key && !row.key.startsWith("session:")
      ? el(
          "div",
          { class: "er-goes", "data-go": row.key, role: "link", tabindex: 0, title: "Go there" },
          node,
        )
      : node;
  return el(
    "div",
    { class: "er-summary" },
    value.plan.rows.length
      ? [
          el("h4", {}, "Do now"),
          el(
            "ol",
            {},
            value.plan.rows.map((row) => go(row, step(row, words))),
          ),
        ]
      : null,
    value.rows.length
      ? [
          el("h4", {}, "What happened"),
          value.rows.map((row) =>
            go(
              row,
              el(
                "div",
                { class: "er-card" },
                signed(words, row.tone, row.word),
                " ",
                toned("muted", row.certainty),
                el("div", {}, row.sentence),
                row.next ? el("div", { class: "er-t-muted" }, row.next) : null,
              ),
            ),
          ),
        ]
      : el("div", { class: "er-empty" }, "Nothing is to be said of this session beyond its rows."),
  );
}
