// Shared by every widget: elements, text, formats, and how a widget asks Python for more.
// Nothing from a journal is ever parsed as HTML: text goes in through textContent only.

const ROW = 24;

/** Make an element: el("div", {class: "x", onclick: f}, child, "text"). */
function el(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else if (name === "style") Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

const toned = (tone, ...children) => el("span", { class: `er-t-${tone || "plain"}` }, ...children);

function signed(words, tone, text) {
  const sign = (words.signs || {})[tone];
  return el("span", { class: `er-badge er-t-${tone}`, title: text }, sign ? `${sign} ${text}` : text);
}

/** A duration as people say it. Milliseconds in. */
function duration(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms < 1) return "0 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60e3) return `${(ms / 1000).toFixed(ms < 10e3 ? 1 : 0)} s`;
  if (ms < 3600e3) return `${Math.round(ms / 60e3)} min`;
  if (ms < 172800e3) return `${Math.round(ms / 3600e3)} h`;
  return `${Math.round(ms / 86400e3)} days`;
}

/** Local time with milliseconds; the zone and UTC are in the tooltip. */
function clock(iso) {
  if (!iso) return "";
  const when = new Date(iso);
  if (Number.isNaN(when.getTime())) return iso;
  const two = (n, w = 2) => String(n).padStart(w, "0");
  return `${two(when.getHours())}:${two(when.getMinutes())}:${two(when.getSeconds())}.${two(when.getMilliseconds(), 3)}`;
}

function timeNode(iso) {
  if (!iso) return "";
  return el("time", { datetime: iso, title: `${new Date(iso).toString()}\n${iso} UTC` }, clock(iso));
}

/** "wrun_01M8...J64S" as "wrun_…J64S"; the whole id is in the tooltip. */
function shortId(id) {
  if (!id || id.length <= 14) return id || "";
  const cut = id.indexOf("_");
  return cut < 0 ? `…${id.slice(-4)}` : `${id.slice(0, cut + 1)}…${id.slice(-4)}`;
}

/**
 * Data comes packed: zlib, then base64. Journals repeat themselves, so a page of ten widgets stays small.
 * No library: browsers unpack it themselves.
 */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/**
 * JupyterLab takes single letters as commands (x cuts the cell). Whatever is typed in a widget without a
 * modifier stays in it; Ctrl+S, Shift+Enter and the like go on to the page.
 */
function keepKeys(shell) {
  shell.setAttribute("data-lm-suppress-shortcuts", "");
  const plain = (event) => !event.ctrlKey && !event.metaKey && !event.altKey && !(event.shiftKey && event.key === "Enter");
  const mark = (event) => {
    if (plain(event)) shell.setAttribute("data-lm-suppress-shortcuts", "true");
    else shell.removeAttribute("data-lm-suppress-shortcuts");
  };
  shell.addEventListener("keydown", mark, true);
  const nested = () => shell.parentElement && shell.parentElement.closest(".er-root");  // Esc closes what is around it
  for (const kind of ["keydown", "keypress", "keyup"])
    shell.addEventListener(kind, (event) => { if (plain(event) && !nested()) event.stopPropagation(); });
  // A click makes JupyterLab select the cell and take the focus to it; the widget wants to keep it.
  shell.addEventListener("mousedown", (event) => {
    const inside = event.target.closest("button, input, select, textarea, summary, [tabindex]");
    if (inside === shell || !inside) setTimeout(() => { if (!shell.contains(document.activeElement)) shell.focus({ preventScroll: true }); }, 0);
  });
}

async function copyText(text, say) {
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
 */
function liveSource(model, saved, words = {}) {
  const open = new Map();
  const kept = new Map();
  let number = 0;
  const onMessage = (message) => {
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
          if (open.delete(id)) reject(new Error(words.silent || "Python did not answer. Is the kernel running?"));
        }, 20000);
      }).then((answer) => {
        if (kept.size > 400) kept.delete(kept.keys().next().value);
        kept.set(key, answer);
        return answer;
      });
    },
    close() { model.off("msg:custom", onMessage); },
  };
}

function savedSource(saved, words = {}) {
  return {
    live: false,
    ask(request) {
      const answer = saved[JSON.stringify(request)];
      if (answer !== undefined) return Promise.resolve(answer);
      return Promise.reject(new Error(words.unsaved || "This was not saved with the page. Run the cell again to see it."));
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

function followTheme(root) {
  const apply = () => root.setAttribute("data-theme", pageTheme());
  apply();
  const watcher = new MutationObserver(apply);
  watcher.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  return () => watcher.disconnect();
}

/** A list that draws only what is visible. rows: count; draw(i) -> element of fixed height ROW. */
function virtualList({ label, role, draw, height = ROW }) {
  const space = el("div", { class: "er-space" });
  const view = el("div", { class: "er-list", role, "aria-label": label }, space);
  let count = 0;
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
    set(size) {
      count = size;
      space.style.height = `${size * height}px`;
      for (const node of drawn.values()) node.remove();
      drawn = new Map();
      paint();
    },
    show(i) {
      const top = i * height;
      if (top < view.scrollTop) view.scrollTop = top;
      else if (top + height > view.scrollTop + view.clientHeight) view.scrollTop = top + height - view.clientHeight;
      paint();
    },
    /** Change what is drawn already, without drawing it anew. */
    each(change) { for (const [i, node] of drawn) change(i, node); },
    close() { watcher.disconnect(); },
  };
}
