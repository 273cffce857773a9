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
      el("button", { type: "button", class: "er-mini", title: "Copy the value as JSON", onclick: (e) => { e.stopPropagation(); copy("json", node.path); } }, "json"),
      el("button", { type: "button", class: "er-mini", title: "Copy the path", onclick: (e) => { e.stopPropagation(); copy("path", node.path); } }, "path"));
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

const parts = (list) => list.map((part) => el("div", { class: `er-part er-part-${part.kind || ""}` }, part.text || part.label || (typeof part === "string" ? part : JSON.stringify(part))));

const BODIES = {
  messages: (rows) => el("div", {}, rows.map((row) => el("div", { class: `er-message${row.added ? " er-added" : ""}` },
    el("div", { class: "er-mrole" }, `${row.index} ${row.role}`, row.added ? toned("once", " added here") : null),
    el("div", { class: "er-mtext" }, parts(row.parts), row.problem ? toned("warning", row.problem) : null)))),
  events: (rows, words) => tableOf([
    ["slot", (r) => r.slot ?? ""], ["event", (r) => r.eventType], ["about", (r) => r.about || shortId(r.correlationId || "")],
    ["time", (r) => [timeNode(r.at), r.back ? toned("warning", " runs back") : null]], ["id", (r) => el("span", { title: r.eventId }, shortId(r.eventId))]], rows, words),
  stream: (rows, words) => tableOf([
    ["#", (r) => r.position], ["event", (r) => r.type], ["what", (r) => r.text], ["place", (r) => r.place],
    ["time", (r) => timeNode(r.at)], ["id", (r) => el("span", { title: `${r.chunkId}\n${r.metaId || ""}` }, shortId(r.metaId || r.chunkId))]], rows, words),
  attempts: (rows, words) => tableOf([
    ["", (r) => `attempt ${r.n}`], ["outcome", (r) => signed(words, r.tone, r.outcome)], ["from", (r) => timeNode(r.startedAt)],
    ["to", (r) => (r.endedAt ? timeNode(r.endedAt) : [toned("muted", "last sign "), timeNode(r.lastSignAt)])],
    ["calls", (r) => r.calls.map((c) => el("div", {}, signed(words, c.tone, c.status), ` ${c.name} `, toned("muted", c.result || "")))],
    ["tokens", (r) => (r.tokensIn || r.tokensOut ? `${r.tokensIn} + ${r.tokensOut}` : "")], ["known", (r) => r.certainty], ["why", (r) => toned("muted", r.why)]], rows, words),
  effects: (rows, words) => tableOf([
    ["effect", (r) => r.tool], ["call", (r) => el("span", { title: r.callId || "" }, shortId(r.callId || ""))], ["", (r) => signed(words, r.tone, r.word)],
    ["where", (r) => r.place], ["protection", (r) => r.protection], ["key", (r) => el("span", { title: r.idempotencyKey || "" }, shortId(r.idempotencyKey || ""))], ["known", (r) => r.certainty]], rows, words),
  raw: (rows) => el("div", {}, rows.map((row) => el("details", { class: "er-raw", open: true },
    el("summary", {}, `${row.name} `, toned("muted", row.summary)),
    row.problems.map((each) => toned("warning", typeof each === "string" ? each : each.message || "")),
    el("pre", {}, row.rows.map((line) => (typeof line === "string" ? line : `${String(line.offset ?? "").padStart(8)}  ${line.hex ?? ""}  ${line.text ?? ""}`)).join("\n"))))),
  evidence: (rows, words) => tableOf([
    ["about", (r) => r.about], ["known", (r) => r.certainty], ["by", (r) => r.kind],
    ["id", (r) => el("span", { title: r.id }, r.short)], ["", (r) => toned("muted", r.note || r.path)]], rows, words),
};

/** Draw what nobody wrote a table for: names and values, so that a new body is shown plainly and not lost. */
function plainBody(value) {
  if (Array.isArray(value)) return value.length ? el("div", {}, value.map(plainBody)) : el("div", { class: "er-empty" }, "Nothing.");
  if (value && typeof value === "object")
    return el("dl", { class: "er-dl" }, Object.entries(value).filter(([, v]) => v !== null && v !== "" && !(Array.isArray(v) && !v.length))
      .map(([k, v]) => [el("dt", {}, k), el("dd", {}, typeof v === "object" ? plainBody(v) : String(v))]));
  return el("div", {}, String(value ?? ""));
}

function inspectorView({ source, words, say }) {
  const title = el("div", { class: "er-title" });
  const tabs = el("div", { class: "er-tabs", role: "tablist" });
  const body = el("div", { class: "er-body", role: "tabpanel", tabindex: 0 });
  const node = el("section", { class: "er-inspector", "aria-label": "Inspector" }, title, tabs, body);
  let key = "", wanted = "input", heads = [], turn = 0;
  const copy = (what, path) => {
    if (what === "path") return copyText(path, say);
    return source.ask({ do: "json", key, tab: wanted, path }).then((text) => copyText(text, say), (error) => say(error.message));
  };
  function drawBody(tab) {
    if (tab.body === null || tab.body === undefined) return el("div", { class: "er-empty" }, tab.note || "Nothing here.");
    const rest = [];
    if (tab.note) rest.push(el("div", { class: "er-note" }, tab.note));
    if (tab.more) rest.push(el("div", { class: "er-note" }, `${tab.more} more rows are not shown.`));
    const value = tab.body;
    if ((tab.name === "input" || tab.name === "output") && value.path !== undefined)
      return [valueTree(value, (path, start) => source.ask({ do: "children", key, tab: tab.name, path, start }), copy), rest];
    if (value.rows && value.summary !== undefined) return [diffRows(value), rest];
    const draw = BODIES[tab.name];
    if (draw && Array.isArray(value)) return [value.length ? draw(value, words) : el("div", { class: "er-empty" }, "Nothing."), rest];
    return [plainBody(value), rest];
  }
  function show() {
    const mine = ++turn;
    if (!heads.some((head) => head.name === wanted)) wanted = heads.length ? heads[0].name : "";
    tabs.replaceChildren(...heads.map((head) => el("button", {
      type: "button", role: "tab", class: "er-tab", "aria-selected": head.name === wanted ? "true" : "false",
      onclick: () => { wanted = head.name; show(); },
    }, head.title, head.remark ? el("small", {}, ` ${head.remark}`) : null)));
    if (!wanted) return body.replaceChildren(el("div", { class: "er-empty" }, "Select a step, an attempt or a call on the left."));
    const slow = setTimeout(() => { if (mine === turn) body.replaceChildren(el("div", { class: "er-empty" }, "Decoding …")); }, 120);
    return source.ask({ do: "tab", key, tab: wanted }).then(
      (tab) => { clearTimeout(slow); if (mine === turn) { body.replaceChildren(...[drawBody(tab)].flat(Infinity)); body.scrollTop = 0; } },
      (error) => { clearTimeout(slow); if (mine === turn) body.replaceChildren(el("div", { class: "er-empty er-t-warning" }, error.message)); });
  }
  return {
    node,
    get tab() { return wanted; },
    show(nextKey, nextHeads, label) {
      key = nextKey;
      heads = nextHeads;
      title.replaceChildren(...label);
      return show();
    },
    open(name) { wanted = name; return show(); },
    focus() { body.focus(); },
  };
}
