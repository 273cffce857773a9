// The explorer: tree on the left, timeline on top of the inspector, one cursor over all three.

/** The moves of views/cursor.py over the stops that came with the page; no question to Python needed. */
function cursorOver(stops) {
  const firstOf = new Map();
  stops.forEach((stop, i) => stop.path.forEach((key) => { if (!firstOf.has(key)) firstOf.set(key, i); }));
  const starts = (kind) => [...firstOf].filter(([key]) => key.startsWith(`${kind}:`)).map(([, i]) => i).sort((a, b) => a - b);
  const steps = starts("step"), attempts = starts("attempt");
  const effects = stops.map((stop, i) => (stop.effect ? i : -1)).filter((i) => i >= 0);
  let points = [];
  const clamp = (i) => Math.min(Math.max(i, 0), stops.length - 1);
  const at = (i, level) => {
    const index = clamp(i);
    const top = stops[index].path.length - 1;
    return { index, level: level === undefined ? top : Math.min(Math.max(level, 0), top) };
  };
  const select = (index, kind) => {
    const stop = stops[index];
    const level = stop.path.findIndex((key) => (kind === "effect" && key === stop.effect) || (kind && key.startsWith(`${kind}:`)));
    return at(index, level < 0 ? undefined : level);
  };
  const after = (here, places, kind) => { const next = places.find((i) => i > here.index); return next === undefined ? here : select(next, kind); };
  const before = (here, places, kind) => { const next = places.filter((i) => i < here.index).pop(); return next === undefined ? here : select(next, kind); };
  const focus = (here) => stops[here.index].path[here.level];
  const into = (here) => {
    const path = stops[here.index].path;
    if (here.level >= path.length - 1) return here;
    const inside = here.level + 1, key = focus(here);
    let fallback = -1;
    for (let i = firstOf.get(key); i < stops.length; i++) {
      const its = stops[i].path;
      if (its.length <= here.level || its[here.level] !== key) {
        if (/^(attempt|call):/.test(key) && fallback >= 0) break;
        continue;
      }
      if (its.length > inside + 1) return at(i, inside);
      if (fallback < 0) fallback = i;
    }
    return fallback >= 0 ? at(fallback, inside) : here;
  };
  const out = (here) => (here.level === 0 ? here : at(firstOf.get(stops[here.index].path[here.level - 1]), here.level - 1));
  const moves = {
    "next-event": (h) => at(h.index + 1), "previous-event": (h) => at(h.index - 1),
    "next-step": (h) => after(h, steps, "step"), "previous-step": (h) => before(h, steps, "step"),
    into, out, "next-attempt": (h) => after(h, attempts, "attempt"), "next-effect": (h) => after(h, effects, "effect"),
    "next-crash-point": (h) => after(h, points, ""), "previous-crash-point": (h) => before(h, points, ""),
  };
  return {
    moves, at, focus,
    setPoints(ids) { const wanted = new Set(ids); points = stops.map((s, i) => (wanted.has(s.id) || wanted.has(s.key) ? i : -1)).filter((i) => i >= 0); },
    goKey(key) { const i = firstOf.get(key); return i === undefined ? null : at(i, stops[i].path.indexOf(key)); },
    find(text) {
      const low = text.trim().toLowerCase();
      if (!low) return null;
      for (const [key, i] of firstOf) if (key.toLowerCase().endsWith(low)) return at(i, stops[i].path.indexOf(key));
      return null;
    },
  };
}

function treeView({ tree, words, onPick }) {
  const byKey = new Map(tree.rows.map((row) => [row.key, row]));
  const opened = new Set(tree.opened);
  let shown = [], chosen = "";
  const list = virtualList({
    label: "Session, turns, steps, attempts and calls", role: "tree",
    draw: (i) => {
      const row = shown[i];
      const isOpen = opened.has(row.key);
      return el("div", {
        class: `er-row er-kind-${row.kind}${row.key === chosen ? " er-chosen" : ""}`, role: "treeitem", "aria-level": row.depth + 1,
        "aria-expanded": row.children ? String(isOpen) : null, "aria-selected": String(row.key === chosen),
        style: { paddingLeft: `${4 + row.depth * 12}px` }, title: `${row.label} ${row.detail}\n${row.status}`,
        onclick: () => onPick(row.key), ondblclick: () => toggle(row.key),
      },
        el("span", { class: "er-twist", onclick: (event) => { event.stopPropagation(); toggle(row.key); } }, row.children ? (isOpen ? "▾" : "▸") : ""),
        toned(row.tone, `${(words.signs || {})[row.tone] || ""} `), el("b", {}, row.label), " ",
        row.status ? el("span", { class: `er-t-${row.tone}` }, row.status, " ") : null,
        row.badges.map((badge) => signed(words, badge.tone, badge.text)),
        toned("muted", " ", row.detail));
    },
  });
  function relist() {
    shown = tree.rows.filter((row) => {
      for (let up = row.parent; up; up = byKey.get(up)?.parent) if (!opened.has(up)) return false;
      return true;
    });
    list.set(shown.length);
  }
  function toggle(key) {
    if (opened.has(key)) opened.delete(key); else opened.add(key);
    relist();
  }
  relist();
  return {
    node: list.node, byKey, toggle,
    choose(key) {
      chosen = key;
      for (let up = byKey.get(key)?.parent; up; up = byKey.get(up)?.parent) opened.add(up);
      relist();
      const i = shown.findIndex((row) => row.key === key);
      if (i >= 0) list.show(i);
    },
    neighbour(step) {
      const i = shown.findIndex((row) => row.key === chosen);
      return shown[Math.min(Math.max(i + step, 0), shown.length - 1)]?.key;
    },
    isOpen: (key) => opened.has(key),
    close: list.close,
  };
}

function explorer(root, data, source, memory) {
  const words = data.words;
  const say = (text) => { status.textContent = text; };
  const status = el("span", { class: "er-say", role: "status", "aria-live": "polite" });
  const inspector = inspectorView({ source, words, say });
  const cursor = cursorOver(data.stops);
  cursor.setPoints(data.points || []);
  let here = data.stops.length ? cursor.at(0, 0) : null;
  const tree = treeView({ tree: data.tree, words, onPick: (key) => pick(key) });
  const line = timelineView({ timeline: data.timeline, words, onPick: (key) => pick(key) });
  const place = el("span", { class: "er-place" });
  const finder = el("input", { type: "search", class: "er-find", placeholder: "Search names, ids, text", "aria-label": "Search", hidden: true });
  const found = el("div", { class: "er-found", hidden: true });
  const sheet = el("div", { class: "er-sheet", hidden: true, role: "dialog", "aria-label": "Keys" });
  const footer = el("div", { class: "er-foot" }, words.keys.filter((key) => key.footer).map((key) =>
    el("button", { type: "button", class: "er-key", title: key.help, onclick: () => act(key.action) }, el("kbd", {}, key.key), ` ${key.label}`)),
    el("span", { class: "er-gap" }), place, status);
  const head = el("div", { class: "er-head" }, el("b", {}, data.session.title), " ", signed(words, data.session.tone, data.session.statusText),
    data.session.facts.map((fact) => toned("muted", ` ${fact}`)), source.live ? null : toned("muted", " saved page"));
  const shell = el("div", { class: "er-root er-explorer", tabindex: 0, role: "application", "aria-label": "eve-replay explorer. Press question mark for the keys." },
    head, el("div", { class: "er-main" }, el("div", { class: "er-left" }, finder, found, tree.node), el("div", { class: "er-right" }, line.node, inspector.node)), footer, sheet);
  root.append(shell);
  const unfollow = followTheme(shell);

  /** Select a key: tree, timeline and inspector follow; the cursor goes to its first moment. */
  function pick(key) {
    const next = cursor.goKey(key);
    if (next) here = next;
    show(key);
  }
  function show(key) {
    if (!key) return;
    const path = here ? data.stops[here.index].path : [];
    const row = tree.byKey.get(key) || [...path].reverse().map((each) => tree.byKey.get(each)).find(Boolean);
    if (row) tree.choose(row.key);
    line.choose([key, ...[...path].reverse()]);
    const stop = here && data.stops[here.index];
    place.replaceChildren(stop ? `${here.index + 1} of ${data.stops.length}  ` : "", stop ? toned(stop.tone, stop.label) : "", "  ", stop ? timeNode(stop.at) : "");
    const kind = key.slice(0, key.indexOf(":"));
    const heads = data.heads[key] || data.heads[kind] || [];
    inspector.show(key, heads, [el("b", {}, row && row.key === key ? row.label : stop ? stop.label : kind), " ", toned("muted", row && row.key === key ? row.detail : shortId(key.split("/").pop())),
      el("button", { type: "button", class: "er-mini", title: "Copy the id", onclick: () => act("copy") }, "copy id")]);
    memory.save({ key, tab: inspector.tab });
  }
  function act(action) {
    const focus = here ? cursor.focus(here) : "";
    if (action in cursor.moves && here) {
      const next = cursor.moves[action](here);
      if (next.index === here.index && next.level === here.level) say("There is no further one.");
      else { here = next; say(""); }
      return show(cursor.focus(here));
    }
    if (action === "search" || action === "go-to-id") { finder.hidden = false; finder.value = ""; finder.focus(); return undefined; }
    if (action === "help") { sheet.hidden = !sheet.hidden; return undefined; }
    if (action === "back") { sheet.hidden = true; finder.hidden = true; found.hidden = true; overlay.close(); shell.focus(); return undefined; }
    if (action === "state") return inspector.open("state");
    if (action === "raw") return inspector.open("raw");
    if (action === "copy") return copyText(focus.split("/").pop().replace(/^[a-z]+:/, ""), say);
    if (action === "diff-attempts") return overlay.diff(focus);
    if (action === "why") return overlay.why();
    if (action === "crash-here") return overlay.crash(here ? data.stops[here.index] : null);
    return undefined;
  }
  const overlay = overlayIn(shell, source, words, () => shell.focus());
  sheet.append(el("h4", {}, "Keys"), el("dl", { class: "er-keys" }, words.keys.map((key) => [el("dt", {}, el("kbd", {}, key.key)), el("dd", {}, key.help)])),
    el("p", {}, "Arrows move in the tree. Ctrl and the wheel zoom the timeline."), el("button", { type: "button", onclick: () => act("back") }, "Close"));
  const byKey = new Map(words.keys.map((key) => [key.key, key.action]));
  shell.addEventListener("keydown", (event) => {
    // JupyterLab listens to single letters too: what this widget uses must not reach it.
    if (event.target.matches("input, textarea, select")) {
      if (event.key === "Escape") act("back");
      event.stopPropagation();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inValue = event.target.closest(".er-value");
    if (!inValue && ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"].includes(event.key)) {
      const key = here && (tree.byKey.has(cursor.focus(here)) ? cursor.focus(here) : null);
      if (event.key === "ArrowDown" || event.key === "ArrowUp") pick(tree.neighbour(event.key === "ArrowDown" ? 1 : -1));
      else if (key && tree.isOpen(key) === (event.key === "ArrowLeft")) { tree.toggle(key); tree.choose(key); }
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const action = byKey.get(event.key);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    act(action);
  });
  finder.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const next = cursor.find(finder.value);
    if (next) { here = next; finder.hidden = true; shell.focus(); show(cursor.focus(here)); }
  });
  finder.addEventListener("input", () => {
    const low = finder.value.trim().toLowerCase();
    const hits = low ? data.tree.rows.filter((row) => `${row.label} ${row.detail} ${row.key} ${row.status}`.toLowerCase().includes(low)).slice(0, 30) : [];
    found.hidden = !low;
    found.replaceChildren(...(hits.length ? hits.map((row) => el("button", { type: "button", class: "er-hit", onclick: () => { found.hidden = true; finder.hidden = true; pick(row.key); shell.focus(); } }, el("b", {}, row.label), " ", toned("muted", row.detail.slice(0, 60))))
      : [el("div", { class: "er-empty" }, source.live ? "No row says that. Enter searches inside the payloads." : "No row says that.")]));
    if (!low || !source.live) return;
    clearTimeout(finder.timer);
    finder.timer = setTimeout(() => source.ask({ do: "search", text: finder.value }).then((more) => {
      if (!more.length) return;
      found.append(el("div", { class: "er-note" }, "inside payloads"), ...more.map((hit) => el("button", { type: "button", class: "er-hit", onclick: () => { found.hidden = true; finder.hidden = true; pick(hit.key); inspector.open(hit.tab); shell.focus(); } }, el("b", {}, hit.label), " ", toned("muted", hit.text))));
    }, () => {}), 250);
  });
  const start = memory.load();
  const first = (start && data.stops.length && cursor.goKey(start.key)) ? start.key : data.start;
  if (start && start.tab) inspector.open(start.tab);
  pick(first);
  return () => { tree.close(); line.close(); unfollow(); source.close(); };
}

/** Diff, why and crash lab over the explorer. */
function overlayIn(shell, source, words, done) {
  const box = el("div", { class: "er-overlay", hidden: true, role: "dialog", "aria-modal": "true" });
  shell.append(box);
  const close = () => { if (!box.hidden) { box.hidden = true; box.replaceChildren(); done(); } };
  const open = (title, ...children) => {
    box.hidden = false;
    box.replaceChildren(el("div", { class: "er-overhead" }, el("b", {}, title), el("button", { type: "button", onclick: close, "aria-label": "Close" }, "Close")), ...children);
    box.querySelector("button").focus();
  };
  const fail = (error) => open("Not shown", el("div", { class: "er-empty er-t-warning" }, error.message));
  return {
    close,
    diff(key) { return source.ask({ do: "diff", key }).then((view) => open("Attempts compared", attemptDiff(view, words)), fail); },
    why() {
      return source.ask({ do: "why" }).then((lines) => open("Why", el("pre", { class: "er-why" }, lines.map((line) => el("div", {}, line.map(([text, tone]) => toned(tone, text)))))), fail);
    },
    crash(stop) {
      return source.ask({ do: "lab", key: stop ? stop.key : "" }).then((lab) => {
        const place = el("div", {});
        open("Crash lab", place);
        crashLab(place, lab, source, words, { load: () => ({ index: lab.index }), save: () => {} });
      }, fail);
    },
  };
}
