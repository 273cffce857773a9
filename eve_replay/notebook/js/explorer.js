// The explorer: tree on the left, timeline on top of the inspector, one cursor over all three.

import { copyText, el, followTheme, keepKeys, signed, targetOf, timeNode, toned } from "./base.js";
import { breaksOver } from "./breaks.js";
import { cursorOver } from "./cursor.js";
import { finderView } from "./finder.js";
import { inspectorView } from "./inspector.js";
import { overlayIn } from "./overlay.js";
import { timelineView } from "./timeline.js";
import { todoView } from "./todo.js";
import { treeView } from "./tree.js";
import { wayView } from "./way.js";
import { shortId } from "./words.js";
import { idOf } from "./keys.js";

export function explorer(root, data, source, memory) {
  const words = data.words;
  const status = el("span", { class: "er-say", role: "status", "aria-live": "polite" });
  const say = (text) => {
    status.textContent = text;
  };
  const inspector = inspectorView({
    source,
    words,
    say,
    go: (key) => pick(key),
    remember: () => remember(),
    link: data.link,
    follow: (asked) => way.follow(asked),
  });
  const cursor = cursorOver(data.stops);
  let here = data.stops.length ? cursor.at(0, 0) : null;
  let focus = "";
  const known = memory.rows; // from the page before, when newer data has come
  const opened = known
    ? [...memory.opened, ...data.tree.opened.filter((key) => !known.has(key))]
    : data.tree.opened;
  const tree = treeView({ tree: { ...data.tree, opened }, words, onPick: (key) => pick(key) });
  const line = timelineView({ timeline: data.timeline, onPick: (key) => pick(key) });
  const origin = Date.parse(data.timeline.origin);
  const acts = new Map((data.acts || []).map((each) => [each.key, each]));
  const place = el("span", { class: "er-place", role: "status", "aria-live": "polite" });
  const finder = finderView({
    rows: data.tree.rows,
    source,
    say,
    pick: (key, tab) => {
      pick(key);
      if (tab) inspector.open(tab);
      shell.focus();
    },
    find: (text) => {
      const next = cursor.find(text);
      if (next) {
        here = next;
        show(cursor.focus(here));
      }
      return Boolean(next);
    },
  });
  const breaks = breaksOver({
    source,
    memory,
    say,
    go: (index) => {
      here = cursor.at(index);
      show(cursor.focus(here));
    },
  });
  const way = wayView({
    source,
    light: (keys) => {
      tree.light(keys);
      line.light(keys);
    },
    go: (key, tab) => {
      pick(key);
      if (tab) inspector.open(tab);
    },
  });
  const sheet = el("div", { class: "er-sheet", hidden: true, role: "dialog", "aria-label": "Keys" });
  const footer = el(
    "div",
    { class: "er-foot" },
    words.keys
      .filter((key) => key.footer)
      .map((key) =>
        el(
          "button",
          {
            type: "button",
            class: "er-key",
            title: key.help,
            "data-action": key.action,
            onclick: () => act(key.action),
          },
          el("kbd", {}, key.key),
          ` ${key.label}`,
        ),
      ),
    el("span", { class: "er-gap" }),
    status,
    place,
  );
  const head = el(
    "div",
    { class: "er-head" },
    signed(words, data.session.tone, data.session.statusText),
    el("b", { title: data.session.id }, shortId(data.session.id)),
    data.session.facts.map((fact) => toned("muted", fact)),
    toned("muted", source.live ? (data.live ? "live" : "") : "saved page"),
    el("span", { class: "er-headline", title: data.session.title }, data.session.title),
  );
  const shell = el(
    "div",
    {
      class: "er-root er-explorer",
      tabindex: 0,
      role: "application",
      "aria-label": "eve-replay explorer. Press question mark for the keys.",
    },
    head,
    breaks.node,
    way.node,
    todoView(data.plan, words),
    el(
      "div",
      { class: "er-main" },
      el("div", { class: "er-left" }, finder.node, tree.node),
      el("div", { class: "er-right" }, line.node, inspector.node),
    ),
    footer,
    sheet,
  );
  root.append(shell);
  const unfollow = followTheme(shell);
  keepKeys(shell);

  /** Select a key: tree, timeline and inspector follow; the cursor goes to its first moment. */
  function pick(key) {
    if (!key) return;
    const next = cursor.goKey(key);
    if (next) here = next;
    show(key);
  }
  function show(key) {
    if (!key) return;
    focus = key;
    const stop = here && data.stops[here.index];
    const path = stop && stop.path.includes(key) ? [...stop.path].reverse() : [];
    const deed = acts.get(key);
    const row =
      tree.byKey.get(key) ||
      (deed ? tree.byKey.get(deed.of) : path.map((each) => tree.byKey.get(each)).find(Boolean));
    if (row) tree.choose(row.key);
    line.choose([key, ...path]);
    line.moment(path.length && stop.at ? Date.parse(stop.at) - origin : null);
    place.replaceChildren(
      ...(here && stop && path.length
        ? [
            toned("muted", `${here.index + 1} of ${data.stops.length} `),
            toned(stop.tone, stop.label),
            " ",
            timeNode(stop.at),
          ]
        : []),
    );
    const kind = key.slice(0, key.indexOf(":"));
    const own = row && row.key === key;
    inspector.show(key, data.heads[kind] || [], [
      el("b", {}, own ? row.name || row.label : deed ? deed.label : stop && path.length ? stop.label : kind),
      " ",
      toned(
        "muted",
        own
          ? row.detail
          : deed
            ? deed.said
            : shortId(
                key
                  .split("/")
                  .pop()
                  .replace(/^[a-z]+:/, ""),
              ),
      ),
    ]);
    remember();
  }
  function turnAt(moment) {
    const key = data.stops[moment.index].path.find((each) => each.startsWith("turn:"));
    return key ? key.slice(key.indexOf("/") + 1) : null;
  }
  function remember() {
    const at = inspector.path ? { path: inspector.path } : {};
    memory.save({ key: focus, tab: inspector.tab, moment: here ? here.index : null, ...at });
  }
  function act(action) {
    if (/crash-point$/.test(action) && here && !cursor.knows(here)) {
      const turn = turnAt(here);
      return source.ask({ do: "points", turn }).then(
        (ids) => {
          cursor.setPoints(ids, turn);
          act(action);
        },
        (error) => say(error.message),
      );
    }
    if (here && breaks.takes(action, here.index)) return undefined;
    if (action in cursor.moves && here) {
      // A row without moments of its own (a child run, say) leaves the cursor where it was.
      const next = cursor.moves[action](here);
      if (next.index === here.index && next.level === here.level) return say("There is no further one.");
      here = next;
      say("");
      return show(cursor.focus(here));
    }
    say("");
    if (action === "search" || action === "go-to-id")
      return finder.open(action === "search" ? "search" : "go");
    if (action === "help") {
      sheet.hidden = !sheet.hidden;
      return undefined;
    }
    if (action === "back") {
      sheet.hidden = true;
      finder.close();
      overlay.close();
      way.close();
      shell.focus();
      return undefined;
    }
    if (action === "state") return inspector.open("state");
    if (action === "raw") return inspector.open("raw");
    if (action === "copy") return copyText(idOf(focus), say);
    if (action === "diff-attempts") return overlay.diff(focus);
    if (action === "why") return overlay.why();
    if (action === "crash-here") return overlay.crash(here ? data.stops[here.index] : null, focus);
    return undefined;
  }
  const overlay = overlayIn(shell, source, words, () => shell.focus());
  sheet.append(
    el(
      "div",
      { class: "er-overhead" },
      el("b", {}, "Keys"),
      el("button", { type: "button", onclick: () => act("back") }, "Close"),
    ),
    el(
      "div",
      { class: "er-keys" },
      words.keys.map((key) =>
        el("div", {}, el("span", {}, el("kbd", {}, key.key === "Escape" ? "Esc" : key.key)), key.help),
      ),
    ),
    el(
      "p",
      { class: "er-t-muted" },
      "Arrows move in the tree. Ctrl and the wheel zoom the timeline, dragging the small map moves it.",
    ),
    el("b", {}, "Colours"),
    el(
      "div",
      { class: "er-legend" },
      words.tones.map((tone) => el("span", {}, el("i", { class: `er-f-${tone.name}` }), ` ${tone.meaning}`)),
    ),
  );
  const byKey = new Map(words.keys.map((key) => [key.key, key.action]));
  shell.addEventListener("keydown", (event) => {
    if (targetOf(event).matches("input, textarea, select")) {
      if (event.key === "Escape") act("back");
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (overlay.isOpen() || !sheet.hidden) {
      if (event.key === "Escape" || event.key === "?") {
        act("back");
        event.preventDefault();
      }
      return;
    }
    const arrow = { ArrowDown: 1, ArrowUp: -1, ArrowRight: "open", ArrowLeft: "close" }[event.key];
    if (arrow && !targetOf(event).closest(".er-body, .er-tabs")) {
      if (typeof arrow === "number") pick(tree.neighbour(arrow));
      else if (tree.byKey.get(focus)?.children && tree.isOpen(focus) === (arrow === "close")) {
        tree.toggle(focus);
        tree.choose(focus);
      } else if (arrow === "close") pick(tree.byKey.get(focus)?.parent);
      event.preventDefault();
      return;
    }
    const action = byKey.get(event.key);
    if (!action) return;
    event.preventDefault();
    act(action);
  });
  const unwatch = memory.watch("goal", () => {
    const goal = memory.get("goal");
    if (goal && goal.key) pick(goal.key);
  });
  const unfollowed = memory.watch("followed", () => {
    const asked = memory.get("followed");
    if (asked && asked.value) way.follow({ value: asked.value });
  });
  const traced = memory.get("followed");
  if (traced && traced.value) way.follow({ value: traced.value });
  const before = memory.load();
  if (before && before.tab) inspector.want(before.tab);
  pick(
    data.start && !data.startIsDefault
      ? data.start
      : before && (tree.byKey.has(before.key) || cursor.goKey(before.key))
        ? before.key
        : data.start,
  );
  return () => {
    memory.opened = tree.opened();
    memory.rows = new Set(tree.byKey.keys());
    tree.close();
    line.close();
    breaks.close();
    unwatch();
    unfollowed();
    unfollow();
  };
}
