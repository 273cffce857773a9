// Two attempts side by side: duplicate effects on top, then what is the same, changed and new.

import { el, followTheme, keepKeys, signed, toned } from "./base.js";
import { diffRows } from "./bodies.js";

export function attemptDiff(view, words) {
  const verdict = (tone, text) => signed(words, tone, text);
  const facts = view.facts.map((fact) =>
    el(
      "tr",
      { class: fact.verdict === "same" || fact.expected ? "er-quiet" : "" },
      el("th", { scope: "row" }, fact.name),
      el("td", {}, fact.before),
      el("td", {}, fact.after),
      el(
        "td",
        {},
        verdict(fact.tone, fact.verdict),
        fact.note ? toned("muted", ` ${fact.note}`) : null,
        fact.diff ? diffRows(fact.diff) : null,
      ),
    ),
  );
  const calls = view.calls.map((pair) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, pair.name, el("div", { class: "er-t-muted" }, pair.place)),
      [pair.first, pair.second].map((call) =>
        el(
          "td",
          {},
          call
            ? [
                signed(words, call.tone, call.status),
                " ",
                call.result || "",
                el("div", { class: "er-t-muted" }, call.callId),
              ]
            : toned("muted", "not asked for"),
        ),
      ),
      el(
        "td",
        {},
        toned(pair.tone, pair.sentence),
        pair.inputDiff ? diffRows(pair.inputDiff) : null,
        pair.resultDiff ? diffRows(pair.resultDiff) : null,
      ),
    ),
  );
  const models = view.models.map((pair) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, "model", el("div", { class: "er-t-muted" }, pair.place)),
      el("td", {}, pair.before, el("div", { class: "er-t-muted" }, pair.tokensBefore)),
      el("td", {}, pair.after, el("div", { class: "er-t-muted" }, pair.tokensAfter)),
      el("td", {}, toned(pair.tone, pair.sentence), pair.diff ? diffRows(pair.diff) : null),
    ),
  );
  return el(
    "div",
    { class: "er-adiff" },
    el("p", { class: "er-summary" }, view.summary),
    view.repeats.length
      ? el(
          "div",
          { class: "er-repeats", role: "note", "aria-label": "Effects in both attempts" },
          view.repeats.map((row) =>
            el(
              "div",
              { class: "er-repeat-line" },
              signed(words, row.tone, `${row.tool} ${row.word}`),
              el("span", { class: "er-pairtext" }, row.first, " → ", row.second),
              el("div", { class: "er-t-muted" }, row.sentence),
            ),
          ),
        )
      : null,
    el(
      "table",
      { class: "er-table er-sides" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", {}, ""),
          el("th", { scope: "col" }, view.left),
          el("th", { scope: "col" }, view.right),
          el("th", { scope: "col" }, ""),
        ),
      ),
      el("tbody", {}, models, calls, facts),
    ),
  );
}

export function attemptDiffWidget(root, data, source) {
  const shell = el("div", {
    class: "er-root er-diffroot",
    tabindex: 0,
    role: "region",
    "aria-label": "Attempts compared",
  });
  const head = el("div", { class: "er-head" });
  const body = el("div", { class: "er-scroll" });
  shell.append(head, body);
  root.append(shell);
  const unfollow = followTheme(shell);
  keepKeys(shell);
  const chosen = { first: data.first, second: data.second };
  const draw = (view) => body.replaceChildren(attemptDiff(view, data.words));
  const pick = (name) => {
    const box = el(
      "select",
      {
        "aria-label": `${name} attempt`,
        onchange: () => {
          chosen[name] = Number(box.value);
          source
            .ask({ do: "attempts", first: chosen.first, second: chosen.second })
            .then(draw, (error) =>
              body.replaceChildren(el("div", { class: "er-empty er-t-warning" }, error.message)),
            );
        },
      },
      data.attempts.map((n) => el("option", { value: n, selected: n === chosen[name] }, `attempt ${n}`)),
    );
    return box;
  };
  head.append(el("b", {}, data.title), " ", pick("first"), " against ", pick("second"));
  draw(data.view);
  return () => unfollow();
}
