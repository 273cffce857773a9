// How a page starts a widget: anywidget calls render with a live model, a saved page calls start with its data.

import { el, liveSource, savedSource, unpack, part } from "./base.js";
import { speaking } from "./speech.js";

/**
 * The two ways into a page that can show these widgets.
 * @param {Record<string, import("./data").Widget>} widgets by kind
 */
export function pageOf(widgets) {
  /** For anywidget. @param {{ model: import("./data").Model, el: HTMLElement }} page */
  async function render({ model, el: root }) {
    const place = el("div", { class: "er-place-holder" });
    root.append(place);
    const memory = {
      load: () => model.get("position"),
      save: (/** @type {unknown} */ position) => {
        model.set("position", position);
        model.save_changes();
      },
      get: (/** @type {string} */ name) => model.get(name),
      watch(/** @type {string} */ name, /** @type {() => void} */ changed) {
        model.on(`change:${name}`, changed);
        return () => model.off(`change:${name}`, changed);
      },
    };
    let close = () => {};
    let turn = 0,
      later = 0;
    async function show() {
      const mine = ++turn;
      const page = await unpack(model.get("packed"));
      if (mine !== turn) return;
      const focused = place.contains(document.activeElement);
      place.style.minHeight = `${place.offsetHeight}px`; // the notebook below must not jump
      close();
      place.replaceChildren();
      const source = liveSource(model, page.saved, page.data.words);
      const end = widgets[model.get("kind")](place, page.data, source, memory);
      const silent = speaking(place, page.data.speech);
      close = () => {
        silent();
        end();
        source.close();
      };
      place.style.minHeight = "";
      if (focused) part(place, "[tabindex]").focus({ preventScroll: true });
    }
    /** Nothing moves while a person reads what lies over the widget, or types. */
    function renew() {
      clearTimeout(later);
      const active = document.activeElement;
      const busy =
        place.querySelector(".er-overlay:not([hidden]), .er-sheet:not([hidden])") ||
        (active && place.contains(active) && active.matches("input, select, textarea"));
      if (busy) later = setTimeout(renew, 400);
      else show();
    }
    model.on("change:packed", renew);
    await show();
    return () => {
      turn++;
      clearTimeout(later);
      model.off("change:packed", renew);
      close();
    };
  }

  /**
   * For a saved page.
   * @param {HTMLElement} root
   * @param {string} kind
   * @param {string} packed data and answers
   * @param {string} css
   */
  async function start(root, kind, packed, css) {
    const page = await unpack(packed);
    /** @type {unknown} */
    let position = null;
    const memory = {
      load: () => position,
      save: (/** @type {unknown} */ next) => {
        position = next;
      },
      get: () => null,
      watch: () => () => {},
    };
    const place = el("div", {});
    root.replaceChildren(el("style", {}, css), place);
    widgets[kind](place, page.data, savedSource(page.saved, page.data.words), memory);
    speaking(place, page.data.speech);
  }
  return { render, start };
}
