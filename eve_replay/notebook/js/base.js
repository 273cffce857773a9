// Shared by every widget: elements, text, formats, and how a widget asks Python for more.
// Nothing from a journal is ever parsed as HTML: text goes in through textContent only.

import { clock } from "./words.js";

/** @typedef {import("./data").Child} Child */
/** @typedef {import("./data").Source} Source */
/** @typedef {import("./data").Words} Words */

const ROW = 24;
/** Width of what stands left of a turn's timeline, in pixels. */
export const GUTTER = 132;

/**
 * Make an element: el("div", {class: "x", onclick: f}, child, "text").
 * @template {string} T
 * @param {T} tag
 * @param {Record<string, any> | null} [props] attributes; "on..." listeners, "style" an object; none for null, false
 * @param {...Child} children
 * @returns {T extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[T] : HTMLElement}
 */
export function el(tag, props, ...children) {
  /** @type {any} */
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else if (name === "style") Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of /** @type {any[]} */ (children).flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/** The element an event happened on. @type {(event: Event) => HTMLElement} */
export const targetOf = (event) => /** @type {HTMLElement} */ (event.target);

/** What an error says. @type {(error: unknown) => string} */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** The element inside another one that is known to be there. @type {(root: Element, selector: string) => HTMLElement} */
export const part = (root, selector) => /** @type {HTMLElement} */ (root.querySelector(selector));

/** Text in a tone: er-t-... of the style sheet. @type {(tone: string | null, ...children: Child[]) => HTMLElement} */
export const toned = (tone, ...children) => el("span", { class: `er-t-${tone || "plain"}` }, ...children);

/**
 * A badge: the sign of its tone, then its text.
 * @param {Words} words
 * @param {string} tone
 * @param {string} text
 */
export function signed(words, tone, text) {
  const sign = (words.signs || {})[tone];
  return el("span", { class: `er-badge er-t-${tone}`, title: text }, sign ? `${sign} ${text}` : text);
}

/**
 * A time as this page's machine says it.
 * @param {string | null} iso
 */
export function timeNode(iso) {
  if (!iso) return "";
  return el("time", { datetime: iso, title: `${new Date(iso).toString()}\n${iso} UTC` }, clock(iso));
}

/**
 * Data comes packed: zlib, then base64. Journals repeat themselves, so a page of ten widgets stays small.
 * No library: browsers unpack it themselves.
 * @param {string} text
 * @returns {Promise<any>}
 */
export async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** Typed without a modifier; Shift+Enter runs the cell and is the page's. @type {(event: KeyboardEvent) => boolean} */
const plain = (event) =>
  !event.ctrlKey && !event.metaKey && !event.altKey && !(event.shiftKey && event.key === "Enter");

const SUPPRESS = "data-lm-suppress-shortcuts";

/**
 * Notebook 7 reads keys in the capture phase of the document, and looks for the attribute from the focused element
 * upwards until a shortcut fits, so it must stand on that element before the document hears of the key.
 * One listener serves every widget of the page.
 */
function markKeys() {
  const page = /** @type {any} */ (window);
  if (page.eveReplayKeys) return;
  page.eveReplayKeys = true;
  window.addEventListener(
    "keydown",
    (event) => {
      const target = event.target instanceof Element ? event.target : null;
      const around = target && target.closest(".er-root");
      if (!target || !around) return;
      const outer = around.parentElement && around.parentElement.closest(".er-root");
      for (const each of [target, around, outer]) if (each) each.toggleAttribute(SUPPRESS, plain(event));
    },
    true,
  );
}

/**
 * JupyterLab takes single letters as commands (x cuts the cell). Whatever is typed in a widget without a
 * modifier stays in it; Ctrl+S, Shift+Enter and the like go on to the page. Esc with nothing open leaves.
 * @param {HTMLElement} shell
 * @param {() => boolean} held whether Esc has something to take back in the widget first
 */
export function keepKeys(shell, held = () => false) {
  markKeys();
  shell.setAttribute(SUPPRESS, "");
  const nested = () => shell.parentElement && shell.parentElement.closest(".er-root"); // Esc closes what is around it
  shell.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || targetOf(event) !== shell || nested() || held()) return;
    if (shell.querySelector(".er-overlay:not([hidden]), .er-sheet:not([hidden])")) return;
    event.stopImmediatePropagation();
    const cell = /** @type {HTMLElement | null} */ (shell.closest(".jp-Cell"));
    if (cell) cell.focus({ preventScroll: true });
    if (shell.contains(document.activeElement)) shell.blur();
  });
  for (const kind of ["keydown", "keypress", "keyup"])
    shell.addEventListener(kind, (/** @type {any} */ event) => {
      if (plain(event) && !nested()) event.stopPropagation();
    });
  // A click makes JupyterLab select the cell and take the focus to it; the widget wants to keep it.
  shell.addEventListener("mousedown", (event) => {
    const inside = targetOf(event).closest("button, input, select, textarea, summary, [tabindex]");
    const list = inside && inside.matches(".er-list") ? /** @type {HTMLElement} */ (inside) : shell;
    if (inside === shell || inside === list || !inside)
      setTimeout(() => {
        if (!shell.contains(document.activeElement)) list.focus({ preventScroll: true });
      }, 0);
  });
}

/**
 * Copy, and say whether it worked.
 * @param {string} text
 * @param {(text: string) => void} say
 */
export async function copyText(text, say) {
  try {
    await navigator.clipboard.writeText(text);
    say("Copied.");
  } catch {
    // Plain http and old browsers have no clipboard; a selection the person can copy is the next best.
    const area = el("textarea", { class: "er-copy", readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand && document.execCommand("copy");
    area.remove();
    say(done ? "Copied." : "Copying is not allowed here.");
  }
}

/**
 * Where answers come from: what was stored with the widget, else (live) Python.
 * ask() resolves with the answer or rejects with an Error whose message can be shown.
 * @param {import("./data").Model} model
 * @param {Record<string, any>} saved answers by question, as JSON
 * @param {Words} words
 * @returns {Source}
 */
export function liveSource(model, saved, words = {}) {
  const open = new Map();
  const kept = new Map();
  let number = 0;
  const onMessage = (/** @type {any} */ message) => {
    const waiting = open.get(message.reply);
    if (!waiting) return;
    open.delete(message.reply);
    if (message.error) waiting.reject(new Error(message.error));
    else waiting.resolve(message.answer);
  };
  model.on("msg:custom", onMessage);
  return {
    live: true,
    ask(request) {
      const key = JSON.stringify(request);
      if (saved[key] !== undefined) return Promise.resolve(saved[key]);
      if (kept.has(key)) return Promise.resolve(kept.get(key));
      return new Promise((resolve, reject) => {
        const id = ++number;
        open.set(id, { resolve, reject });
        model.send({ id, request });
        setTimeout(() => {
          if (open.delete(id))
            reject(new Error(words.silent || "Python did not answer. Is the kernel running?"));
        }, 20000);
      }).then((answer) => {
        if (kept.size > 400) kept.delete(kept.keys().next().value);
        kept.set(key, answer);
        return answer;
      });
    },
    close() {
      model.off("msg:custom", onMessage);
    },
  };
}

/**
 * The same for a page without Python.
 * @param {Record<string, any>} saved
 * @param {Words} words
 * @returns {Source}
 */
export function savedSource(saved, words = {}) {
  return {
    live: false,
    ask(request) {
      const answer = saved[JSON.stringify(request)];
      if (answer !== undefined) return Promise.resolve(answer);
      return Promise.reject(
        new Error(words.unsaved || "This was not saved with the page. Run the cell again to see it."),
      );
    },
    close() {},
  };
}

/** Light or dark: the page decides (JupyterLab, Notebook, VS Code), else the system does. */
function pageTheme() {
  const body = document.body;
  const lab = body.getAttribute("data-jp-theme-light");
  if (lab) return lab === "true" ? "light" : "dark";
  const kind = body.getAttribute("data-vscode-theme-kind") || "";
  if (kind.includes("high-contrast")) return "high-contrast";
  if (kind) return kind.includes("dark") ? "dark" : "light";
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/**
 * Keep an element in the page's theme; returns what ends it.
 * @param {HTMLElement} root
 */
export function followTheme(root) {
  const apply = () => root.setAttribute("data-theme", pageTheme());
  apply();
  const watcher = new MutationObserver(apply);
  watcher.observe(document.body, {
    attributes: true,
    attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"],
  });
  return () => watcher.disconnect();
}

/**
 * A list that draws only what is visible.
 * @param {{ label: string, role: string, draw: (i: number) => HTMLElement, height?: number }} options draw: the row
 *   of a number; height of all rows, in pixels
 */
export function virtualList({ label, role, draw, height = ROW }) {
  const space = el("div", { class: "er-space" });
  const view = el("div", { class: "er-list", role, "aria-label": label }, space);
  let count = 0;
  /** @type {Map<number, HTMLElement>} */
  let drawn = new Map();
  const paint = () => {
    const tall = view.clientHeight || 400;
    const from = Math.max(0, Math.floor(view.scrollTop / height) - 6);
    const to = Math.min(count, Math.ceil((view.scrollTop + tall) / height) + 6);
    const next = new Map();
    for (let i = from; i < to; i++) {
      let node = drawn.get(i);
      if (!node) {
        node = draw(i);
        node.style.top = `${i * height}px`;
        node.style.height = `${height}px`;
        space.append(node);
      }
      next.set(i, node);
    }
    for (const [i, node] of drawn) if (!next.has(i)) node.remove();
    drawn = next;
  };
  view.addEventListener("scroll", () => requestAnimationFrame(paint), { passive: true });
  const watcher = new ResizeObserver(paint);
  watcher.observe(view);
  return {
    node: view,
    set(/** @type {number} */ size) {
      count = size;
      space.style.height = `${size * height}px`;
      for (const node of drawn.values()) node.remove();
      drawn = new Map();
      paint();
    },
    show(/** @type {number} */ i) {
      const top = i * height;
      if (top < view.scrollTop) view.scrollTop = top;
      else if (top + height > view.scrollTop + view.clientHeight)
        view.scrollTop = top + height - view.clientHeight;
      paint();
    },
    /** Change what is drawn already, without drawing it anew. */
    each(/** @type {(i: number, row: HTMLElement) => void} */ change) {
      for (const [i, node] of drawn) change(i, node);
    },
    close() {
      watcher.disconnect();
    },
  };
}
