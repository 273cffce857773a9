// Search (rows first, then inside the payloads) and going to an id.

import { el, targetOf, toned, part } from "./base.js";

export function finderView({ rows, source, say, pick, find }) {
  const box = el("input", { type: "search", class: "er-find", hidden: true });
  const found = el("div", { class: "er-found", hidden: true });
  let mode = "search",
    timer = 0,
    asked = 0;
  const close = () => {
    box.hidden = true;
    found.hidden = true;
    asked++; // what is still looked for is not wanted any more
    clearTimeout(timer);
  };
  const hit = (label, text, go) =>
    el(
      "button",
      {
        type: "button",
        class: "er-hit",
        title: `${label} ${text}`,
        onclick: () => {
          close();
          go();
        },
      },
      el("b", {}, label),
      " ",
      toned("muted", text),
    );
  /** Text around a hit with the hit itself marked. */
  const place = (each) =>
    el(
      "button",
      {
        type: "button",
        class: "er-hit",
        title: `${each.where} ${each.path}`,
        onclick: () => {
          close();
          pick(each.key, each.tab);
        },
      },
      each.start > 14 ? "…" : "",
      each.text.slice(Math.max(0, each.start - 14), each.start),
      el("mark", {}, each.text.slice(each.start, each.end)),
      each.text.slice(each.end, each.end + 24),
      el("div", { class: "er-t-muted" }, `${each.kind} ${each.where} ${each.path}`),
    );
  function look() {
    const low = box.value.trim().toLowerCase();
    found.hidden = !low;
    if (!low) return;
    const hits = rows
      .filter((row) =>
        `${row.label} ${row.name} ${row.detail} ${row.key} ${row.status}`.toLowerCase().includes(low),
      )
      .slice(0, 30);
    found.replaceChildren(
      ...(hits.length
        ? hits.map((row) => hit(row.name || row.label, row.detail.slice(0, 80), () => pick(row.key)))
        : [el("div", { class: "er-note" }, "No row says that.")]),
    );
    clearTimeout(timer);
    if (!source.live)
      return void found.append(
        el("div", { class: "er-note" }, "A saved page cannot search inside payloads."),
      );
    const mine = ++asked;
    const far = el("span", { role: "status" }, "Looking inside the payloads …");
    const cancel = el(
      "button",
      { type: "button", class: "er-mini", onclick: () => ended("Cancelled.") },
      "cancel",
    );
    found.append(el("div", { class: "er-note" }, far, " ", cancel));
    const text = box.value.trim();
    let several = 0;
    const ended = (word) => {
      if (mine === asked) asked++;
      cancel.remove();
      far.textContent = word;
    };
    const ask = (looked) =>
      source.ask({ do: "search", text, looked }).then(
        (answer) => {
          if (mine !== asked) return;
          several += answer.hits.length;
          found.append(...answer.hits.map(place));
          if (answer.looked < answer.total) {
            far.textContent = `Looking inside the payloads: ${answer.looked} of ${answer.total} records`;
            ask(answer.looked);
          } else
            ended(
              several ? "inside payloads, at the first place in each run" : "Nothing inside the payloads.",
            );
        },
        (error) => ended(error.message),
      );
    timer = setTimeout(() => ask(0), 250);
  }
  box.addEventListener("input", () => {
    if (mode === "search") look();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && mode === "go") {
      if (find(box.value)) {
        close();
        pick();
      } else say(`Nothing here has the id ${box.value}.`);
    } else if (event.key === "Enter" || event.key === "ArrowDown") {
      const first = part(found, ".er-hit");
      if (first && event.key === "Enter") first.click();
      else if (first) first.focus();
      event.preventDefault();
    }
  });
  found.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const step = event.key === "ArrowDown" ? "nextElementSibling" : "previousElementSibling";
    let next = targetOf(event)[step];
    while (next && !next.matches("button")) next = next[step];
    /** @type {HTMLElement} */ (next || box).focus();
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    node: [box, found],
    open(how) {
      mode = how;
      box.hidden = false;
      found.hidden = true;
      box.value = "";
      box.placeholder =
        how === "go"
          ? "Id, or its last letters; Enter goes there"
          : "Search names, ids, and text in payloads";
      box.setAttribute("aria-label", how === "go" ? "Go to id" : "Search");
      box.focus();
    },
    close,
  };
}
