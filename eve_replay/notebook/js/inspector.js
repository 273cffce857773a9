// The inspector: tabs of the selected thing. Bodies come from Python (or from the saved page) when a tab is opened.

import { BODIES, diffRows, plainBody, stateBody } from "./bodies.js";
import { summaryBody } from "./summary.js";
import { copyText, el, targetOf, part } from "./base.js";
import { idOf } from "./keys.js";
import { valueTree } from "./values.js";

export function inspectorView({ source, words, say, go, remember, link, follow }) {
  const title = el("div", { class: "er-title" });
  const tabs = el("div", { class: "er-tabs", role: "tablist" });
  const body = el("div", { class: "er-body", role: "tabpanel", tabindex: 0 });
  const node = el("section", { class: "er-inspector", "aria-label": "Inspector" }, title, tabs, body);
  let key = "",
    wanted = "",
    heads = [],
    turn = 0,
    busy = false,
    waiting = false,
    start = 0,
    spot = "";
  body.addEventListener("click", (event) => {
    const to = targetOf(event).closest("[data-go]");
    if (to) go(to.getAttribute("data-go"));
  });
  const copy = (what, path, tab = shownTab()) =>
    source.ask({ do: what, key, tab, path }).then(
      (text) => copyText(text, say),
      (error) => say(error.message),
    );
  /** How to reach it from Python, into the next cell; where no extension can write there, to the clipboard. */
  const toCell = (at, tab = shownTab()) =>
    source.ask({ do: "python", key, tab, path: at }).then(
      (code) => {
        const detail = { code, done: false };
        node.dispatchEvent(new CustomEvent("eve-replay:cell", { bubbles: true, composed: true, detail }));
        if (detail.done) say("It is in the next cell.");
        else copyText(code, (word) => say(word === "Copied." ? "Copied: paste it into a cell." : word));
      },
      (error) => say(error.message),
    );
  /** What was asked for last, where the thing has it: else its first tab, which is where its meaning is. */
  const shownTab = () =>
    heads.some((head) => head.name === wanted) ? wanted : heads.length ? heads[0].name : wanted || "input";
  const pager = (tab) => {
    const step = { events: 1000, stream: 1000, raw: 512 }[tab.name];
    const more = tab.name === "raw" ? Math.max(0, ...(tab.body || []).map((each) => each.more)) : tab.more;
    if (!step || (!more && !start))
      return tab.more
        ? el(
            "div",
            { class: "er-note" },
            tab.name === "messages"
              ? `${tab.more} earlier messages are not shown; the input has them all.`
              : `${tab.more} more are not shown.`,
          )
        : null;
    const turnTo = (to) => {
      start = to;
      show();
    };
    return el(
      "div",
      { class: "er-note" },
      start
        ? el("button", { type: "button", onclick: () => turnTo(Math.max(0, start - step)) }, "back")
        : null,
      " ",
      more
        ? el("button", { type: "button", onclick: () => turnTo(start + step) }, `next, ${more} more`)
        : null,
    );
  };
  function drawBody(tab) {
    if (tab.body === null || tab.body === undefined)
      return el("div", { class: "er-empty" }, tab.note || "Nothing here.");
    const rest = [tab.note ? el("div", { class: "er-note" }, tab.note) : null, pager(tab)];
    const value = tab.body;
    if ((tab.name === "input" || tab.name === "output") && value.path !== undefined)
      return [
        rest,
        valueTree(
          value,
          (path, from) => source.ask({ do: "children", key, tab: tab.name, path, start: from }),
          source.live ? copy : null, // only Python can answer
          {
            toCell: source.live ? toCell : null,
            follow: follow && source.live ? (at) => follow({ key, tab: tab.name, path: at }) : null,
            chosen: (at) => {
              spot = at;
              remember();
            },
          },
        ),
      ];
    if (tab.name === "summary") return summaryBody(value, words);
    if (tab.name === "state") return stateBody(value, words);
    if (value.rows && value.summary !== undefined) return [diffRows(value), rest];
    const draw = BODIES[tab.name];
    if (draw && Array.isArray(value)) return [rest, value.length ? draw(value, words) : null];
    return [plainBody(value), rest];
  }
  function drawTabs() {
    const shown = shownTab(),
      held = tabs.contains(/** @type {Document} */ (tabs.getRootNode()).activeElement);
    tabs.replaceChildren(
      ...heads.map((head) =>
        el(
          "button",
          {
            type: "button",
            role: "tab",
            class: "er-tab",
            "data-tab": head.name,
            "aria-selected": head.name === shown ? "true" : "false",
            onclick: () => {
              wanted = head.name;
              start = 0;
              spot = "";
              show();
              remember();
            },
          },
          head.title,
          head.remark ? el("small", {}, ` ${head.remark}`) : null,
        ),
      ),
    );
    // The button that was clicked is gone: without this the keys would go to the notebook.
    if (held) part(tabs, "[aria-selected=true]")?.focus({ preventScroll: true });
  }
  /** Ask for the tab; while one question is open only the latest other one waits, so that stepping stays quick. */
  function show() {
    drawTabs();
    const tab = shownTab();
    if (!tab || !key)
      return body.replaceChildren(
        el("div", { class: "er-empty" }, "Select a step, an attempt or a call on the left."),
      );
    if (busy) {
      waiting = true;
      return undefined;
    }
    busy = true;
    const mine = ++turn,
      asked = key;
    const slow = setTimeout(() => body.replaceChildren(el("div", { class: "er-empty" }, "Decoding …")), 150);
    const done = (...nodes) => {
      clearTimeout(slow);
      busy = false;
      if (waiting) {
        waiting = false;
        return show();
      }
      if (mine !== turn) return undefined;
      body.replaceChildren(...nodes.flat(Infinity).filter(Boolean));
      body.scrollTop = 0;
      body.setAttribute("data-shown", `${asked} ${tab}`);
      return undefined;
    };
    return source.ask(start ? { do: "tab", key, tab, start } : { do: "tab", key, tab }).then(
      (answer) => {
        if (asked === key && answer.heads) {
          heads = answer.heads;
          drawTabs();
        }
        done(drawBody(answer));
      },
      (error) => done(el("div", { class: "er-empty er-t-warning" }, error.message)),
    );
  }
  return {
    node,
    get tab() {
      return wanted || shownTab();
    },
    /** Where in the shown payload somebody clicked, empty before. */
    get path() {
      return spot;
    },
    show(nextKey, nextHeads, label) {
      key = nextKey;
      heads = nextHeads;
      start = 0;
      spot = "";
      const parts = [
        el("span", { class: "er-titletext" }, ...label),
        el(
          "button",
          { type: "button", class: "er-mini", title: "Copy the id", onclick: () => copyText(idOf(key), say) },
          "copy id",
        ),
        link
          ? el(
              "button",
              {
                type: "button",
                class: "er-mini",
                title: "Copy a line of Python that opens the explorer here",
                onclick: () => copyText(link.before + JSON.stringify(key) + link.after, say),
              },
              "copy link",
            )
          : null,
        source.live
          ? el(
              "button",
              {
                type: "button",
                class: "er-mini",
                title: "Copy how to reach it from Python",
                onclick: () => copy("python", "", ""),
              },
              "python",
            )
          : null,
        source.live
          ? el(
              "button",
              {
                type: "button",
                class: "er-mini",
                title: "Write how to reach it from Python into the next cell",
                onclick: () => toCell("", ""),
              },
              "to cell",
            )
          : null,
      ];
      title.replaceChildren(...parts.filter((each) => each !== null));
      return show();
    },
    want(name) {
      wanted = name;
    },
    open(name) {
      wanted = name;
      start = 0;
      remember();
      return show();
    },
    focus() {
      body.focus();
    },
  };
}
