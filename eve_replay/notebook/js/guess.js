// Predict first: how often the outside sees each effect at least and at most, judged against the whole range.
// A guess that only lies inside the range is not right: that something may happen twice is what is to be seen.

import { el, toned } from "./base.js";
import { shortId } from "./words.js";

/** A range of counts; `most` is null without bound. @typedef {{ least: number, most: number | null }} Range */

/**
 * Whether a guess is the range, and what it leaves out or lets in.
 * @param {Range} truth
 * @param {Range} guess
 * @returns {{ right: boolean, said: string[] }}
 */
export function judged(truth, guess) {
  const said = [];
  const [most, top] = [truth.most ?? Infinity, guess.most ?? Infinity];
  if (guess.least > truth.least) said.push(`${truth.least} is possible too`);
  if (guess.least < truth.least) said.push(`never fewer than ${truth.least}`);
  if (top < most) said.push(most === Infinity ? "there is no upper bound" : `${most} is possible too`);
  if (top > most) said.push(`never more than ${most}`);
  return { right: !said.length, said: [...new Set(said)] };
}

/**
 * A range as a person says it.
 * @param {Range} range
 */
export function spoken({ least, most }) {
  if (most === null) return `${least} or more`;
  return least === most ? String(least) : `${least}–${most}`;
}

/** What of a row is to be guessed. @type {(row: any) => Range} */
export const truthOf = (row) => ({ least: row.outsideMinimum, most: row.outsideMaximum });

/**
 * The form; nothing of the answer is in it.
 * @param {any} view a CrashView
 * @param {{ name: string, words: string }[]} outcomes
 * @param {(guess: { outcome: string, effects: Range[] }) => void} done
 */
export function guessForm(view, outcomes, done) {
  const number = (/** @type {string} */ label) =>
    el("input", { type: "number", min: 0, max: 99, required: true, "aria-label": label });
  const rows = view.effects.map((/** @type {any} */ row) => {
    const least = number(`At least, for ${row.tool}`);
    const most = number(`At most, for ${row.tool}`);
    const endless = el("input", {
      type: "checkbox",
      "aria-label": `No bound, for ${row.tool}`,
      onchange: () => {
        most.disabled = endless.checked;
      },
    });
    const check = () =>
      most.setCustomValidity(
        !endless.checked && least.value && most.value && Number(most.value) < Number(least.value)
          ? "At most is less than at least."
          : "",
      );
    for (const each of [least, most, endless]) each.addEventListener("input", check);
    const node = el(
      "div",
      { class: "er-range" },
      el("b", {}, row.tool, " ", toned("muted", shortId(row.callId))),
      el("label", { class: "er-field" }, "at least", least),
      el("label", { class: "er-field" }, "at most", most),
      el("label", { class: "er-field" }, endless, "no bound"),
    );
    const range = () => ({ least: Number(least.value), most: endless.checked ? null : Number(most.value) });
    return { node, range };
  });
  const outcome = el(
    "select",
    { required: true, "aria-label": "Guess for the session" },
    el("option", { value: "" }, "choose"),
    outcomes.map((each) => el("option", { value: each.name }, each.words)),
  );
  return el(
    "form",
    {
      class: "er-guess",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        done({
          outcome: outcome.value,
          effects: rows.map((/** @type {{ range: () => Range }} */ each) => each.range()),
        });
      },
    },
    el(
      "p",
      { class: "er-sentence" },
      "The process dies here. How often will the outside world see each effect in the end?",
    ),
    rows.map((/** @type {{ node: HTMLElement }} */ each) => each.node),
    el("label", { class: "er-field" }, "and the session", outcome),
    el("button", { type: "submit" }, "Show the answer"),
  );
}

/**
 * The cell that says what became of a guess.
 * @param {any} row
 * @param {Range} guess
 */
export function guessCell(row, guess) {
  const { right, said } = judged(truthOf(row), guess);
  return el(
    "td",
    {},
    `${spoken(guess)} `,
    right ? toned("ok", "✓ right") : toned("warning", "✗ not the whole range"),
    said.map((each) => el("div", { class: "er-t-muted" }, each)),
  );
}

/**
 * Whether everything of a point was guessed.
 * @param {any} view
 * @param {{ outcome: string, effects: Range[] }} guess
 */
export function allRight(view, guess) {
  return (
    guess.outcome === view.outcome &&
    view.effects.every(
      (/** @type {any} */ row, /** @type {number} */ i) => judged(truthOf(row), guess.effects[i]).right,
    )
  );
}
