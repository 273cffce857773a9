// A value as a tree that opens where somebody clicks.

import { el } from "./base.js";

/** A small button at a row that does not open it. */
const mini = (text, title, act) =>
  el(
    "button",
    {
      type: "button",
      class: "er-mini",
      title,
      onclick: (event) => {
        event.stopPropagation();
        act();
      },
    },
    text,
  );

/**
 * A foldable JS value. Children are asked for when a node is opened.
 * `chosen` hears of the path that somebody clicked, `toCell` writes its expression into a cell, `follow` shows the
 * way of a value without parts.
 */
export function valueTree(root, askChildren, copy, { chosen, toCell, follow } = /** @type {any} */ ({})) {
  const box = el("div", { class: "er-values", role: "tree", "aria-label": "value" });
  const open = (node, line, depth) => {
    const more = line.nextSibling && line.nextSibling.classList.contains("er-kids") ? line.nextSibling : null;
    if (more) {
      more.remove();
      line.setAttribute("aria-expanded", "false");
      return;
    }
    line.setAttribute("aria-expanded", "true");
    const kids = el(
      "div",
      { class: "er-kids", role: "group" },
      el("div", { class: "er-t-muted er-vpad" }, "…"),
    );
    line.after(kids);
    fill(kids, node, depth, 0);
  };
  const fill = (kids, node, depth, start) =>
    askChildren(node.path, start).then(
      ({ nodes, more }) => {
        if (start === 0) kids.replaceChildren();
        for (const child of nodes) kids.append(row(child, depth + 1));
        if (more) {
          const rest = el(
            "button",
            {
              type: "button",
              class: "er-more er-vpad",
              onclick: () => {
                rest.remove();
                fill(kids, node, depth, start + nodes.length);
              },
            },
            `${more} more`,
          );
          kids.append(rest);
        }
        if (!nodes.length) kids.append(el("div", { class: "er-t-muted er-vpad" }, "empty"));
      },
      (error) => kids.replaceChildren(el("div", { class: "er-t-warning er-vpad" }, error.message)),
    );
  const row = (node, depth) => {
    const line = el(
      "div",
      {
        class: "er-value",
        role: "treeitem",
        tabindex: 0,
        style: { paddingLeft: `${depth * 14 + 6}px` },
        "aria-expanded": node.count ? "false" : null,
        title: `${node.path}\n${node.kind}`,
      },
      el("span", { class: "er-twist" }, node.count ? "▸" : ""),
      node.label
        ? el("span", { class: "er-vkey" }, `${node.label}${/=>$/.test(node.label) ? " " : ": "}`)
        : null,
      el("span", { class: `er-vtext er-t-${node.tone} er-k-${node.kind}` }, node.text),
      el("span", { class: "er-vkind" }, node.kind),
      el(
        "span",
        { class: "er-minis" },
        copy
          ? [
              mini("json", "Copy the value as JSON", () => copy("json", node.path)),
              mini("python", "Copy how to reach it from Python", () => copy("python", node.path)),
            ]
          : null,
        follow && !node.count
          ? mini("follow", "Everything that holds this value: first seen, lost, handed on", () =>
              follow(node.path),
            )
          : null,
        toCell
          ? mini("to cell", "Write how to reach it from Python into the next cell", () => toCell(node.path))
          : null,
      ),
    );
    line.addEventListener("click", () => {
      for (const old of box.querySelectorAll(".er-chosen")) old.classList.remove("er-chosen");
      line.classList.add("er-chosen");
      if (chosen) chosen(node.path);
    });
    if (node.count) {
      line.addEventListener("click", () => open(node, line, depth));
      line.addEventListener("keydown", (event) => {
        const expanded = line.getAttribute("aria-expanded") === "true";
        if (
          event.key === "Enter" ||
          (event.key === "ArrowRight" && !expanded) ||
          (event.key === "ArrowLeft" && expanded)
        ) {
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
