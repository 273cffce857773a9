// Do now: the plan of a session, above everything else. Commands are text to copy; nothing runs one.

import { el, signed, toned } from "./base.js";

/**
 * A folded line with the most urgent step; unfolded all of them. Null without a plan.
 * @param {any} plan a PlanView, or null
 * @param {import("./data.js").Words} words
 */
export function todoView(plan, words) {
  if (!plan) return null;
  const first = plan.rows[0];
  return el(
    "details",
    { class: "er-now" },
    el(
      "summary",
      {},
      signed(words, first.tone, `Do now (${plan.rows.length})`),
      " ",
      el("b", {}, `${first.word} ${first.until}`),
      " ",
      first.text,
    ),
    el(
      "ol",
      {},
      plan.rows.map((/** @type {any} */ row) => step(row, words)),
    ),
    plan.advice.map((/** @type {string} */ text) => el("p", {}, toned("muted", text))),
  );
}

/**
 * @param {any} row
 * @param {import("./data.js").Words} words
 */
export function step(row, words) {
  return el(
    "li",
    {},
    signed(words, row.tone, row.word),
    row.until ? el("b", {}, ` ${row.until} `) : " ",
    row.text,
    row.commands.map((/** @type {any} */ each) =>
      el(
        "div",
        { class: "er-command" },
        each.words ? toned("muted", `${each.words}: `) : null,
        el("code", {}, each.command),
      ),
    ),
  );
}
