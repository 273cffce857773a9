// The tree on the left: session > turn > step > attempt > call. Only the visible rows are in the page.

import { el, signed, virtualList } from "./base.js";

let trees = 0;

/** Where each row stands among those of its parent: a list of the visible ones cannot be counted by a reader. */
function siblings(rows) {
  const size = new Map();
  const at = rows.map((row) => {
    size.set(row.parent, (size.get(row.parent) || 0) + 1);
    return [row.key, row.parent, size.get(row.parent)];
  });
  return new Map(at.map(([key, parent, n]) => [key, { at: n, of: size.get(parent) }]));
}

export function treeView({ tree, words, onPick }) {
  const byKey = new Map(tree.rows.map((row) => [row.key, row]));
  const opened = new Set(tree.opened);
  const place = siblings(tree.rows);
  const name = `er-tree-${(trees += 1)}`;
  const idOfRow = (key) => `${name}-${order.get(key)}`;
  const order = new Map(tree.rows.map((row, i) => [row.key, i]));
  let shown = [],
    lit = new Set(),
    chosen = "";
  const list = virtualList({
    label: "Session, turns, steps, attempts and calls",
    role: "tree",
    draw: (i) => drawRow(shown[i]),
  });
  function drawRow(row) {
    const isOpen = opened.has(row.key);
    return el(
      "div",
      {
        class: `er-row er-kind-${row.kind}${row.key === chosen ? " er-chosen" : ""}${lit.has(row.key) ? " er-lit" : ""}`,
        role: "treeitem",
        id: idOfRow(row.key),
        "aria-posinset": place.get(row.key)?.at,
        "aria-setsize": place.get(row.key)?.of,
        "aria-level": row.depth + 1,
        "data-key": row.key,
        "aria-expanded": row.children ? String(isOpen) : null,
        "aria-selected": String(row.key === chosen),
        style: { paddingLeft: `${4 + row.depth * 11}px` },
        title: [
          row.name || row.label,
          row.status,
          row.badges.map((badge) => badge.text).join(", "),
          row.detail,
        ]
          .filter(Boolean)
          .join("\n"),
        onclick: () => onPick(row.key),
        ondblclick: () => toggle(row.key),
      },
      el(
        "span",
        {
          class: "er-twist",
          onclick: (event) => {
            event.stopPropagation();
            toggle(row.key);
          },
        },
        row.children ? (isOpen ? "▾" : "▸") : "",
      ),
      el("span", { class: `er-sign er-t-${row.tone}` }, (words.signs || {})[row.tone] || ""),
      el("b", {}, row.name || row.label),
      // What is news comes first: where the row is narrow, the end of it is cut.
      row.badges.map((badge) => signed(words, badge.tone, badge.text)),
      row.status ? el("span", { class: `er-status er-t-${row.tone}` }, row.status) : null,
      el("span", { class: "er-detail er-t-muted" }, row.detail),
    );
  }
  /** Rows come in reading order: what lies below a closed row is skipped by its depth. */
  function relist() {
    shown = [];
    let closed = Infinity;
    for (const row of tree.rows) {
      if (row.depth > closed) continue;
      closed = row.children && !opened.has(row.key) ? row.depth : Infinity;
      shown.push(row);
    }
    list.set(shown.length);
  }
  function toggle(key) {
    if (opened.has(key)) opened.delete(key);
    else opened.add(key);
    relist();
  }
  list.node.tabIndex = 0;
  relist();
  return {
    node: list.node,
    byKey,
    toggle,
    choose(key) {
      chosen = key;
      let changed = false;
      for (let up = byKey.get(key)?.parent; up; up = byKey.get(up)?.parent)
        if (!opened.has(up)) {
          opened.add(up);
          changed = true;
        }
      if (changed) relist();
      const i = shown.findIndex((row) => row.key === key);
      if (i >= 0) list.show(i);
      if (i >= 0) list.node.setAttribute("aria-activedescendant", idOfRow(key));
      list.each((at, node) => {
        const mine = shown[at] && shown[at].key === key;
        node.classList.toggle("er-chosen", mine);
        node.setAttribute("aria-selected", String(mine));
      });
    },
    /** Mark the rows of these keys. */
    light(keys) {
      lit = keys;
      list.each((at, node) => node.classList.toggle("er-lit", Boolean(shown[at] && lit.has(shown[at].key))));
    },
    neighbour(step) {
      const i = shown.findIndex((row) => row.key === chosen);
      return shown[Math.min(Math.max(i + step, 0), shown.length - 1)]?.key;
    },
    isOpen: (key) => opened.has(key),
    opened: () => [...opened],
    close: list.close,
  };
}
