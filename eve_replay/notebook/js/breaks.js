// Breakpoints that Python set: `w.break_on(condition)`. The condition is Python's; this asks for its next hit.

import { el, messageOf } from "./base.js";

/** @typedef {{ id: number, text: string }} Breaks */

/**
 * @param {{
 *   source: import("./data").Source,
 *   memory: import("./data").Memory,
 *   say: (text: string) => void,
 *   go: (index: number) => void,
 * }} parts go: to the moment of a number
 */
export function breaksOver({ source, memory, say, go }) {
  const text = el("code", {});
  const chip = el(
    "span",
    { class: "er-breaks", hidden: true },
    "next stops at ",
    text,
    el("button", { type: "button", class: "er-mini", onclick: () => next(false, 0) }, "next"),
    el(
      "button",
      { type: "button", class: "er-mini", title: "Stop at every moment again", onclick: () => clear() },
      "clear",
    ),
  );
  /** @type {Breaks | null} */
  let set = null;
  let place = 0;
  function read() {
    const given = memory.get("breaks");
    set = source.live && given && given.id ? given : null;
    chip.hidden = !set;
    text.textContent = set ? set.text : "";
  }
  function clear() {
    source.ask({ do: "unbreak", id: set && set.id }).then(read, (error) => say(messageOf(error)));
    set = null;
    chip.hidden = true;
  }
  /** @param {boolean} back @param {number} ahead of the place */
  function next(back, ahead) {
    if (!set) return;
    say("Looking for the next hit …");
    source.ask({ do: "hit", id: set.id, index: place + ahead, back }).then(
      (hit) => {
        if (hit.index === null) return say(`No ${back ? "earlier" : "further"} moment fits.`);
        say("");
        return go(hit.index);
      },
      (error) => say(messageOf(error)),
    );
  }
  const unwatch = memory.watch("breaks", read);
  read();
  return {
    node: chip,
    /** Take over an action of the key table. Returns whether it did. @param {string} action @param {number} index */
    takes(action, index) {
      place = index;
      if (!set || (action !== "next-event" && action !== "previous-event")) return false;
      next(action === "previous-event", 0);
      return true;
    },
    at(/** @type {number} */ index) {
      place = index;
    },
    close: unwatch,
  };
}
