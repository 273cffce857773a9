// A value's way through the run: asked for slice by slice, so that it shows how far it is and can be ended.

import { el, messageOf, toned } from "./base.js";
import { clock } from "./words.js";

/** Places that are listed; more of them say nothing new. */
const SHOWN = 80;

/**
 * @param {{
 *   source: import("./data").Source,
 *   light: (keys: Set<string>) => void,
 *   go: (key: string, tab: string) => void,
 * }} parts light: mark what holds the value
 */
export function wayView({ source, light, go }) {
  const title = el("b", {});
  const far = el("span", { class: "er-t-muted", role: "status" });
  const stop = el("button", { type: "button", class: "er-mini", onclick: () => end() }, "cancel");
  const said = el("div", { class: "er-waysaid" });
  const places = el("div", { class: "er-wayplaces" });
  const node = el(
    "section",
    { class: "er-way", hidden: true, "aria-label": "The way of a value" },
    el(
      "div",
      { class: "er-wayhead" },
      title,
      far,
      stop,
      el("button", { type: "button", class: "er-mini", onclick: () => close() }, "close"),
    ),
    said,
    places,
  );
  let turn = 0;
  function end() {
    turn++;
    stop.hidden = true;
    far.textContent += ", cancelled";
  }
  function close() {
    turn++;
    node.hidden = true;
    light(new Set());
  }
  function draw(/** @type {any} */ way) {
    title.textContent = way.value;
    said.replaceChildren(
      ...way.said.map((/** @type {[string, string]} */ [text, tone]) => el("div", {}, toned(tone, text))),
    );
    places.replaceChildren(
      ...way.sightings
        .slice(0, SHOWN)
        .map((/** @type {any} */ each) =>
          el(
            "button",
            { type: "button", title: each.path, onclick: () => go(each.key, each.tab) },
            toned("muted", each.moment === null ? "" : `${each.moment + 1} `, clock(each.at), " "),
            each.what,
          ),
        ),
      way.sightings.length > SHOWN ? toned("muted", `${way.sightings.length - SHOWN} more places`) : "",
    );
    light(new Set(way.lit));
  }
  /** @param {Record<string, unknown>} asked a `value`, or where it stands: `key`, `tab`, `path` */
  function follow(asked) {
    const mine = ++turn;
    node.hidden = false;
    stop.hidden = false;
    title.textContent = String(asked.value || "");
    far.textContent = "looking …";
    said.replaceChildren();
    places.replaceChildren();
    light(new Set());
    const more = (/** @type {number} */ looked) => {
      source.ask({ do: "way", ...asked, looked }).then(
        (answer) => {
          if (mine !== turn) return;
          draw(answer.way);
          const { looked: now, total } = answer.way;
          const done = now >= total;
          stop.hidden = done;
          far.textContent = done ? `${total} records looked into` : `${now} of ${total} records`;
          if (!done) more(now);
        },
        (error) => {
          if (mine !== turn) return;
          stop.hidden = true;
          far.textContent = messageOf(error);
        },
      );
    };
    more(0);
  }
  return { node, follow, close, isOpen: () => !node.hidden };
}
