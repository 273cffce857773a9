// The inspector: tabs of the selected thing. Bodies come from Python (or from the saved page) when a tab is opened.

/** A foldable JS value. Children are asked for when a node is opened. */
function valueTree(root, askChildren, copy) {
  const box = el("div", { class: "er-values", role: "tree", "aria-label": "value" });
  const open = (node, line, depth) => {
    const more = line.nextSibling && line.nextSibling.classList.contains("er-kids") ? line.nextSibling : null;
    if (more) {
      more.remove();
      line.setAttribute("aria-expanded", "false");
      return;
    }
    line.setAttribute("aria-expanded", "true");
    const kids = el("div", { class: "er-kids", role: "group" }, el("div", { class: "er-t-muted er-vpad" }, "…"));
    line.after(kids);
    fill(kids, node, depth, 0);
  };
  const fill = (kids, node, depth, start) =>
    askChildren(node.path, start).then(({ nodes, more }) => {
      if (start === 0) kids.replaceChildren();
      for (const child of nodes) kids.append(row(child, depth + 1));
      if (more) {
        const rest = el("button", { type: "button", class: "er-more er-vpad", onclick: () => { rest.remove(); fill(kids, node, depth, start + nodes.length); } }, `${more} more`);
        kids.append(rest);
      }
      if (!nodes.length) kids.append(el("div", { class: "er-t-muted er-vpad" }, "empty"));
    }, (error) => kids.replaceChildren(el("div", { class: "er-t-warning er-vpad" }, error.message)));
  const row = (node, depth) => {
    const line = el("div", {
      class: "er-value", role: "treeitem", tabindex: 0, style: { paddingLeft: `${depth * 14 + 6}px` },
      "aria-expanded": node.count ? "false" : null, title: `${node.path}\n${node.kind}`,
    },
      el("span", { class: "er-twist" }, node.count ? "▸" : ""),
      node.label ? el("span", { class: "er-vkey" }, `${node.label}${/=>$/.test(node.label) ? " " : ": "}`) : null,
      el("span", { class: `er-vtext er-t-${node.tone} er-k-${node.kind}` }, node.text),
      el("span", { class: "er-vkind" }, node.kind),
      el("span", { class: "er-minis" }, el("button", { type: "button", class: "er-mini", title: "Copy the value as JSON", onclick: (e) => { e.stopPropagation(); copy("json", node.path); } }, "json"),
      el("button", { type: "button", class: "er-mini", title: "Copy how to reach it from Python", onclick: (e) => { e.stopPropagation(); copy("python", node.path); } }, "python")));
    if (node.count) {
      line.addEventListener("click", () => open(node, line, depth));
      line.addEventListener("keydown", (event) => {
        const expanded = line.getAttribute("aria-expanded") === "true";
        if (event.key === "Enter" || (event.key === "ArrowRight" && !expanded) || (event.key === "ArrowLeft" && expanded)) {
          event.preventDefault();
          event.stopPropagation();
          open(node, line, depth);
        }
      });
    }
    return line;
  };
  const first = row(root, 0);
  box.append(first);
  if (root.count) open(root, first, 0);
  return box;
}

/** A piece of text that goes to a key of the session; the inspector listens for the clicks. */
const link = (key, text) => el("button", { type: "button", class: "er-link", "data-go": key, title: `Go to ${shortId(key.split("/").pop())}` }, text);

function tableOf(columns, rows, words) {
  return el("table", { class: "er-table" },
    el("thead", {}, el("tr", {}, columns.map(([title]) => el("th", { scope: "col" }, title)))),
    el("tbody", {}, rows.map((row) => el("tr", { class: row.repeat ? "er-repeat" : "" }, columns.map(([, draw]) => el("td", {}, draw(row)))))));
}

/** Rows of a structural diff (views/diff.py). */
function diffRows(view) {
  const pieces = (list) => list.map((piece) => el(piece.kind === "added" ? "ins" : piece.kind === "removed" ? "del" : "span", {}, piece.text));
  if (view.same) return el("div", { class: "er-empty" }, "Nothing differs.");
  return el("div", { class: "er-diff" }, el("div", { class: "er-note" }, view.summary), view.rows.map((row) =>
    el("div", { class: `er-drow er-d-${row.kind}`, style: { paddingLeft: `${8 + row.depth * 14}px` }, title: row.path },
      el("span", { class: "er-dsign" }, row.sign || "·"),
      row.label ? el("span", { class: "er-vkey" }, `${row.label}: `) : null,
      row.pieces && row.pieces.length ? pieces(row.pieces) : [
        row.before && row.before !== row.after ? el("del", {}, row.before) : null, row.before && row.after && row.before !== row.after ? " → " : null,
        row.after ? (row.kind === "same" ? toned("muted", row.after) : el("ins", {}, row.after)) : null],
      row.movedFrom ? toned("muted", ` from ${row.movedFrom}`) : null, row.count > 1 ? toned("muted", ` ${row.count} equal`) : null,
      row.note ? toned("muted", ` ${row.note}`) : null)),
    view.truncated ? el("div", { class: "er-note" }, `${view.truncated} more rows are not shown.`) : null);
}

const parts = (list) => list.map((part) => el("div", { class: `er-part er-t-${part.tone}` },
  part.kind !== "text" ? el("span", { class: "er-pkind", title: part.callId }, [part.kind, part.name].filter(Boolean).join(" "), " ") : null,
  part.text, part.cut ? toned("muted", ` … ${part.cut} more characters`) : null));
const messageRows = (rows) => el("div", {}, rows.map((row) => el("div", { class: `er-message${row.added ? " er-added" : ""}` },
  el("div", { class: "er-mrole" }, `${row.index} ${row.role}`, row.kind && row.kind !== row.role ? ` (${row.kind})` : "", row.added ? el("div", { class: "er-t-once" }, "✓ added here") : null),
  el("div", { class: "er-mtext" }, parts(row.parts), row.problem ? toned("warning", row.problem) : null))));

/** The state around a step: what is stored, what is rebuilt, what changed, and whether it is what came before. */
function stateBody(view, words) {
  const [before, after] = view.history;
  const count = before === null ? (after === null ? "" : `${after} messages after it`) : after === null ? `${before} messages before it` : `${before} messages before, ${after} after`;
  const table = (origin) => tableOf([
    ["part", (r) => el("span", { class: "er-vkey" }, r.path)], ["what it is", (r) => [r.what, r.note ? el("div", { class: "er-t-muted" }, r.note) : null]],
    ["", (r) => (r.changed ? signed(words, "again", "changed") : r.origin === "rebuilt" ? toned("muted", "rebuilt") : r.present ? "same" : toned("muted", "absent"))],
    ["now", (r) => el("span", { class: `er-code er-t-${r.tone}` }, r.text)]], view.parts.filter((part) => part.origin === origin), words);
  return el("div", {},
    view.note ? el("div", { class: "er-note" }, view.note) : null,
    count ? el("div", { class: "er-note" }, count) : null,
    el("h4", { class: "er-h" }, "Stored with the session"), table("checkpoint"),
    view.law.length ? [el("h4", { class: "er-h" }, "Not what the step before left"), tableOf([
      ["part", (r) => r.path], ["left", (r) => r.left], ["got", (r) => r.got],
      ["", (r) => (r.expected ? toned("muted", "expected") : signed(words, "warning", "unexpected"))], ["why", (r) => r.why]], view.law, words)] : null,
    view.messages.length ? [el("h4", { class: "er-h" }, "Messages added"), messageRows(view.messages)] : null,
    el("h4", { class: "er-h" }, "Rebuilt from the code of the day"), table("rebuilt"));
}

const BODIES = {
  messages: messageRows,
  events: (rows, words) => tableOf([
    ["slot", (r) => r.slot ?? ""], ["event", (r) => link(`event:${r.runId}/${r.eventId}`, r.eventType)], ["about", (r) => r.about || shortId(r.correlationId || "")],
    ["time", (r) => [timeNode(r.at), r.back ? toned("warning", " runs back") : null]], ["id", (r) => el("span", { title: r.eventId }, shortId(r.eventId))]], rows, words),
  stream: (rows, words) => tableOf([
    ["#", (r) => r.position], ["event", (r) => link(r.key, r.type)], ["what", (r) => r.text], ["place", (r) => r.place],
    ["time", (r) => timeNode(r.at)], ["id", (r) => el("span", { title: `${r.chunkId}\n${r.metaId || ""}` }, shortId(r.metaId || r.chunkId))]], rows, words),
  attempts: (rows, words) => el("div", {}, rows.map((r) => el("section", { class: "er-card" },
    el("div", {}, link(r.key, `attempt ${r.n}`), " ", signed(words, r.tone, r.outcome), timeNode(r.startedAt), " to ",
      r.endedAt ? timeNode(r.endedAt) : [toned("muted", "last sign "), timeNode(r.lastSignAt)], r.seconds === null ? null : `, ${duration(r.seconds * 1000)}`,
      r.tokensIn || r.tokensOut ? `, ${r.tokensIn ?? 0} + ${r.tokensOut ?? 0} tokens` : null, toned("muted", `, ${r.certainty}`)),
    r.calls.map((c) => el("div", { class: "er-cardline" }, link(c.key, c.name), " ", signed(words, c.tone, c.status), c.remark ? signed(words, c.remarkTone, c.remark) : null, toned("muted", c.result))),
    r.error ? el("div", { class: "er-cardline er-t-error" }, r.error) : null, r.why ? el("div", { class: "er-cardline er-t-muted" }, r.why) : null))),
  effects: (rows, words) => el("div", {}, rows.map((r) => el("section", { class: "er-card" },
    el("div", {}, link(r.key, r.tool), " ", signed(words, r.tone, r.word), toned("muted", [r.place, r.certainty].filter(Boolean).join(", "))),
    el("div", { class: "er-cardline" }, toned("muted", "call "), r.callIds.join(", ")),
    el("div", { class: "er-cardline" }, toned("muted", "protection "), r.protection, toned("muted", ` (${r.protectionSource})`), r.idempotencyKey ? [toned("muted", ", key "), r.idempotencyKey] : null),
    r.parts.map((p) => el("div", { class: "er-cardline" }, link(p.key, `attempt ${p.attempt}`), " ", signed(words, p.tone, p.word), toned("muted", [p.result, p.why].filter(Boolean).join(", "))))))),
  raw: (rows) => el("div", {}, rows.map((row) => el("details", { class: "er-raw", open: true },
    el("summary", {}, `${row.name} `, toned("muted", row.summary)),
    row.where ? el("div", { class: "er-note" }, row.where) : null,
    row.problems.map((each) => el("div", { class: "er-note er-t-warning" }, each)),
    row.rows.length ? el("pre", {}, row.rows.map((line) => `${line.offset.toString(16).padStart(6, "0")}  ${line.hexa.padEnd(49)}  ${line.text}`).join("\n")) : null,
    row.more ? el("div", { class: "er-note" }, `${row.more} more bytes after these.`) : null))),
  evidence: (rows, words) => tableOf([
    ["about", (r) => r.about], ["known", (r) => r.certainty], ["by", (r) => r.kind],
    ["id", (r) => (r.key ? link(r.key, r.short) : el("span", { title: r.id }, r.short))], ["", (r) => toned("muted", r.note || r.path)]], rows, words),
};

/** Draw what nobody wrote a table for: names and values, so that a new body is shown plainly and not lost. */
function plainBody(value) {
  if (Array.isArray(value)) return value.length ? el("div", {}, value.map(plainBody)) : el("div", { class: "er-empty" }, "Nothing.");
  if (value && typeof value === "object")
    return el("dl", { class: "er-dl" }, Object.entries(value).filter(([, v]) => v !== null && v !== "" && !(Array.isArray(v) && !v.length))
      .map(([k, v]) => [el("dt", {}, k), el("dd", {}, typeof v === "object" ? plainBody(v) : String(v))]));
  return el("div", {}, String(value ?? ""));
}

function inspectorView({ source, words, say, go, remember }) {
  const title = el("div", { class: "er-title" });
  const tabs = el("div", { class: "er-tabs", role: "tablist" });
  const body = el("div", { class: "er-body", role: "tabpanel", tabindex: 0 });
  const node = el("section", { class: "er-inspector", "aria-label": "Inspector" }, title, tabs, body);
  let key = "", wanted = "input", heads = [], turn = 0, busy = false, waiting = false, start = 0;
  body.addEventListener("click", (event) => {
    const to = event.target.closest("[data-go]");
    if (to) go(to.getAttribute("data-go"));
  });
  const copy = (what, path, tab = shownTab()) =>
    source.ask({ do: what, key, tab, path }).then((text) => copyText(text, say), (error) => say(error.message));
  const shownTab = () => (heads.some((head) => head.name === wanted) || !heads.length ? wanted : heads[0].name);
  const pager = (tab) => {
    const step = { events: 1000, stream: 1000, raw: 512 }[tab.name];
    const more = tab.name === "raw" ? Math.max(0, ...(tab.body || []).map((each) => each.more)) : tab.more;
    if (!step || (!more && !start)) return tab.more ? el("div", { class: "er-note" }, tab.name === "messages" ? `${tab.more} earlier messages are not shown; the input has them all.` : `${tab.more} more are not shown.`) : null;
    const turnTo = (to) => { start = to; show(); };
    return el("div", { class: "er-note" }, start ? el("button", { type: "button", onclick: () => turnTo(Math.max(0, start - step)) }, "back") : null, " ",
      more ? el("button", { type: "button", onclick: () => turnTo(start + step) }, `next, ${more} more`) : null);
  };
  function drawBody(tab) {
    if (tab.body === null || tab.body === undefined) return el("div", { class: "er-empty" }, tab.note || "Nothing here.");
    const rest = [tab.note ? el("div", { class: "er-note" }, tab.note) : null, pager(tab)];
    const value = tab.body;
    if ((tab.name === "input" || tab.name === "output") && value.path !== undefined)
      return [rest, valueTree(value, (path, from) => source.ask({ do: "children", key, tab: tab.name, path, start: from }), copy)];
    if (tab.name === "state") return stateBody(value, words);
    if (value.rows && value.summary !== undefined) return [diffRows(value), rest];
    const draw = BODIES[tab.name];
    if (draw && Array.isArray(value)) return [rest, value.length ? draw(value, words) : null];
    return [plainBody(value), rest];
  }
  function drawTabs() {
    const shown = shownTab(), held = tabs.contains(tabs.getRootNode().activeElement);
    tabs.replaceChildren(...heads.map((head) => el("button", {
      type: "button", role: "tab", class: "er-tab", "data-tab": head.name, "aria-selected": head.name === shown ? "true" : "false",
      onclick: () => { wanted = head.name; start = 0; show(); remember(); },
    }, head.title, head.remark ? el("small", {}, ` ${head.remark}`) : null)));
    // The button that was clicked is gone: without this the keys would go to the notebook.
    if (held) tabs.querySelector("[aria-selected=true]")?.focus({ preventScroll: true });
  }
  /** Ask for the tab; while one question is open only the latest other one waits, so that stepping stays quick. */
  function show() {
    drawTabs();
    const tab = shownTab();
    if (!tab || !key) return body.replaceChildren(el("div", { class: "er-empty" }, "Select a step, an attempt or a call on the left."));
    if (busy) { waiting = true; return undefined; }
    busy = true;
    const mine = ++turn, asked = key;
    const slow = setTimeout(() => body.replaceChildren(el("div", { class: "er-empty" }, "Decoding …")), 150);
    const done = (...nodes) => {
      clearTimeout(slow);
      busy = false;
      if (waiting) { waiting = false; return show(); }
      if (mine !== turn) return undefined;
      body.replaceChildren(...nodes.flat(Infinity).filter(Boolean));
      body.scrollTop = 0;
      body.setAttribute("data-shown", `${asked} ${tab}`);
      return undefined;
    };
    return source.ask(start ? { do: "tab", key, tab, start } : { do: "tab", key, tab }).then((answer) => {
      if (asked === key && answer.heads) { heads = answer.heads; drawTabs(); }
      done(drawBody(answer));
    }, (error) => done(el("div", { class: "er-empty er-t-warning" }, error.message)));
  }
  return {
    node,
    get tab() { return wanted; },
    show(nextKey, nextHeads, label) {
      key = nextKey;
      heads = nextHeads;
      start = 0;
      title.replaceChildren(...label,
        el("button", { type: "button", class: "er-mini", title: "Copy the id", onclick: () => copyText(idOf(key), say) }, "copy id"),
        el("button", { type: "button", class: "er-mini", title: "Copy how to reach it from Python", onclick: () => copy("python", "", "") }, "python"));
      return show();
    },
    want(name) { wanted = name; },
    open(name) { wanted = name; start = 0; remember(); return show(); },
    focus() { body.focus(); },
  };
}
