// A prediction: the question and its choices. What comes after the choice is not in the page before it is asked for.

import { el, followTheme, keepKeys, signed } from "./base.js";
import { fill } from "./words.js";

export function predictWidget(root, data, source, memory) {
  const words = data.words;
  const shell = el("div", {
    class: "er-root er-class er-predict",
    lang: data.lang,
    tabindex: 0,
    role: "group",
    "aria-label": words.predict,
  });
  root.append(shell);
  keepKeys(shell);
  const unfollow = followTheme(shell);
  if (data.trouble) {
    shell.append(el("div", { class: "er-trouble" }, el("b", {}, "✗ "), data.trouble));
    return unfollow;
  }
  const place = el("div", { class: "er-predictbody" }),
    said = el("div", { class: "er-say", role: "status", "aria-live": "polite" });
  shell.append(el("div", { class: "er-head" }, el("b", {}, words.predict)), place);
  let buttons = [],
    busy = false;

  function ask() {
    place.replaceChildren(
      el("p", { class: "er-question" }, data.question),
      ...(data.choices.length ? choices() : sentence()),
      said,
    );
  }
  function choices() {
    buttons = data.choices.map((text, i) =>
      el(
        "button",
        {
          type: "button",
          class: "er-choice",
          "data-choice": i,
          "aria-label": `${fill(words.choice, { number: i + 1 })}${words.colon}${text}`,
          onclick: () => choose(i),
        },
        el("kbd", {}, i + 1),
        el("span", {}, text),
      ),
    );
    const last = Math.min(9, data.choices.length);
    return [
      el("div", { class: "er-choices" }, buttons),
      el("p", { class: "er-t-muted er-how" }, fill(words.predict_how, { keys: `1–${last}` })),
    ];
  }
  function sentence() {
    const box = el("textarea", { rows: 3, "aria-label": words.predict_here });
    const send = () => {
      if (box.value.trim()) choose(box.value.trim());
      else {
        said.textContent = words.predict_empty;
        box.focus();
      }
    };
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        event.stopPropagation();
        send();
      }
    });
    buttons = [];
    return [
      box,
      el("p", { class: "er-t-muted er-how" }, words.predict_free),
      el("button", { type: "button", class: "er-send", onclick: send }, words.predict_show),
    ];
  }
  function choose(choice) {
    if (busy) return;
    busy = true;
    said.textContent = "";
    source.ask({ do: "choose", choice }).then(
      (shown) => {
        memory.save({ shown });
        show(shown);
        if (shell.contains(document.activeElement) || document.activeElement === document.body)
          shell.focus({ preventScroll: true });
      },
      (error) => {
        busy = false;
        said.textContent = error.message;
      },
    );
  }
  /** The choices stay where they were; what was chosen and what is so are marked with a word each. */
  function show(shown) {
    const marks = (i) => [
      i === shown.answer ? signed({}, "ok", `✓ ${words.it_is}`) : "",
      i === shown.choice ? signed({}, shown.right === false ? "warning" : "ok", words.you_chose) : "",
    ];
    place.replaceChildren(
      el("p", { class: "er-question" }, data.question),
      data.choices.length
        ? el(
            "div",
            { class: "er-choices er-settled" },
            data.choices.map((text, i) =>
              el(
                "div",
                {
                  class: `er-choice${i === shown.choice ? " er-mine" : ""}${i === shown.answer ? " er-true" : ""}`,
                  "data-choice": i,
                },
                el("kbd", {}, i + 1),
                el("span", {}, text),
                el("span", { class: "er-gap" }),
                marks(i),
              ),
            ),
          )
        : el(
            "blockquote",
            { class: "er-wrote" },
            el("b", {}, `${words.you_wrote}${words.colon}`),
            String(shown.choice),
          ),
      el(
        "div",
        { class: "er-reveal", role: "status" },
        shown.right === null
          ? ""
          : el(
              "b",
              { class: `er-t-${shown.right ? "ok" : "warning"}` },
              shown.right ? `✓ ${words.right}${words.stop}` : `✗ ${words.wrong}${words.stop}`,
            ),
        el("span", {}, shown.reveal),
        shown.trouble ? el("div", { class: "er-t-warning" }, shown.trouble) : "",
        shown.source
          ? el(
              "div",
              { class: "er-t-muted er-source" },
              `${words.source}${words.colon}`,
              el("code", {}, shown.source),
            )
          : "",
      ),
    );
    buttons = [];
  }
  shell.onkeydown = (event) => {
    if (!buttons.length || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = buttons.indexOf(document.activeElement);
    if (/^[1-9]$/.test(event.key) && buttons[Number(event.key) - 1]) {
      event.preventDefault();
      choose(Number(event.key) - 1);
      return;
    }
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    buttons[at < 0 ? (by > 0 ? 0 : buttons.length - 1) : (at + by + buttons.length) % buttons.length].focus();
  };
  const earlier = (memory.load() || {}).shown || data.shown;
  if (earlier) show(earlier);
  else ask();
  return unfollow;
}
