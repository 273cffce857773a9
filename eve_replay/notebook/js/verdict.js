// What a check said, and the desk of a lesson: both are read, not played with.

import { el, followTheme, keepKeys } from "./base.js";
import { boardView, ledgerView, sumsView } from "./board.js";

export function verdictWidget(root, data) {
  const words = data.words;
  const shell = el("div", {
    class: `er-root er-class er-verdict er-is-${data.passed ? "passed" : "failed"}`,
    lang: data.lang,
    tabindex: 0,
    role: "group",
    "aria-label": data.headline,
  });
  root.append(shell);
  keepKeys(shell);
  const unfollow = followTheme(shell);
  const part = (title, ...children) => el("section", { class: "er-part" }, el("h4", {}, title), ...children);
  const tone = data.passed ? "ok" : "warning";
  shell.append(
    el(
      "div",
      { class: "er-head" },
      el("span", { class: `er-stamp er-f-${tone}` }, data.passed ? `✓ ${words["verdict-passed"]}` : "✗"),
      el("b", { class: "er-headtext" }, data.headline),
    ),
  );
  const body = el("div", { class: "er-verdictbody" });
  if (data.story.length)
    body.append(
      part(
        words[data.view ? "verdict-story" : "verdict-input"],
        el(
          "ol",
          { class: "er-story" },
          data.story.map((text) => el("li", {}, text)),
        ),
      ),
    );
  if (data.why) body.append(part(words["verdict-why"], el("p", {}, data.why)));
  if (data.next)
    body.append(part(data.passed ? words["verdict-limit"] : words["verdict-next"], el("p", {}, data.next)));
  if (data.view) {
    body.append(
      part(
        words["verdict-picture"],
        el(
          "div",
          { class: "er-result" },
          el("span", { class: "er-t-muted" }, words.outside_sees),
          sumsView(data.view.sums),
          data.view.end
            ? el(
                "span",
                { class: `er-sum er-f-${data.view.end.tone}` },
                `${data.view.end.sign} ${data.view.end.text}`,
              )
            : "",
        ),
        boardView(data.view, words),
        el("h4", {}, words.ledger),
        ledgerView(data.view, words),
      ),
    );
  }
  if (data.basis) body.append(el("p", { class: "er-t-muted er-how" }, data.basis));
  if (data.tried) body.append(el("p", { class: "er-t-muted er-how" }, data.tried));
  shell.append(body);
  return unfollow;
}

export function deskWidget(root, data) {
  const words = data.words;
  const shell = el("div", {
    class: "er-root er-class er-desk",
    lang: data.lang,
    role: "group",
    "aria-label": data.title,
  });
  root.append(shell);
  const unfollow = followTheme(shell);
  shell.append(
    el(
      "div",
      { class: "er-deskhead" },
      el("span", { class: "er-t-muted" }, data.number),
      el("b", { class: "er-desktitle" }, data.title),
      el("span", { class: "er-gap" }),
      el("span", { class: "er-t-muted" }, data.minutes),
    ),
    el(
      "div",
      { class: "er-deskbody" },
      data.finds ? el("p", {}, el("b", {}, `${words.finds}${words.colon}`), data.finds) : "",
      el(
        "p",
        { class: "er-sofar" },
        el("b", {}, `${words.so_far}${words.colon}`),
        data.progress.map((each) =>
          el("span", { class: `er-badge er-t-${each.tone}` }, `${each.sign} ${each.text}`),
        ),
      ),
      data.trouble ? el("p", { class: "er-t-warning" }, `! ${data.trouble}`) : "",
    ),
  );
  return unfollow;
}
