// The stage: a learner's tool on a lesson's case. A crash is chosen by a cell, everything else is computed
// in Python and drawn here.

import { el, followTheme, keepKeys, messageOf, targetOf, toned, part } from "./base.js";
import { CROSS, boardView, ledgerView, sumsView } from "./board.js";
import { fill } from "./words.js";

export function stageWidget(root, data, source, memory) {
  const words = data.words;
  const shell = el("div", {
    class: "er-root er-class er-stage",
    lang: data.lang,
    tabindex: 0,
    role: "application",
    "aria-label": words.stage_label,
  });
  root.append(shell);
  keepKeys(shell, () => !data.trouble && (state.adding || state.faults.length > 0));
  const unfollow = followTheme(shell);
  if (data.trouble) {
    shell.append(
      el("div", { class: "er-head" }, el("b", {}, words.stage)),
      el("div", { class: "er-trouble" }, el("b", {}, `✗ ${words.cannot_run}${words.stop}`), data.trouble),
    );
    return unfollow;
  }
  const state = {
    ...data.start,
    adding: false,
    cursor: null,
    open: false,
    tried: [],
    hours: data.hours[0].hours,
    ...(memory.load() || {}),
  };
  const cases = data.cases;
  let view = null,
    strips = [],
    turn = 0,
    say = data.say || "";
  if (!cases.some((each) => each.name === state.case)) {
    state.case = data.start.case;
    state.faults = data.start.faults;
  }
  const sheet = el("div", { class: "er-sheet", hidden: true, role: "dialog", "aria-label": words.help });
  let closeHelp = () => {};
  const live = el("div", { class: "er-aria", role: "status", "aria-live": "polite" });
  const head = el("div", { class: "er-head er-stagehead" });
  const bar = el("div", { class: "er-schedule" });
  const note = el("div", { class: "er-stagenote", hidden: true });
  const board = el("div", { class: "er-boardplace" });
  const below = el("div", { class: "er-below" });
  const foot = el("div", { class: "er-foot" });
  shell.append(head, bar, note, board, below, foot, live, sheet);

  const save = () =>
    memory.save({
      case: state.case,
      runtime: state.runtime,
      faults: state.faults,
      active: state.active,
      adding: state.adding,
      cursor: state.cursor,
      hours: state.hours,
      open: state.open,
      tried: state.tried,
    });
  const most = () => view.most;
  const base = () => ({ case: state.case, runtime: state.runtime });
  /** A place that was tried stays known; the others are to be guessed until the learner opens all. */
  const placed = (level, point, kind) =>
    JSON.stringify([state.case, state.runtime, state.faults.slice(0, level), point, kind]);
  const known = (level, cell) => state.open || state.tried.includes(placed(level, cell.point, cell.kind));

  /** Ask for the picture and for the cells of every crash, then draw all of it at once. */
  async function show() {
    const mine = ++turn;
    const levels = state.faults.length + (state.adding || !state.faults.length ? 1 : 0);
    try {
      const asked = source.ask({ do: "see", ...base(), faults: state.faults });
      const cells = Array.from({ length: levels }, (_, n) =>
        source
          .ask({
            do: "strip",
            ...base(),
            faults: state.faults.slice(0, n),
            hours: state.faults[n] ? state.faults[n][2] : state.hours,
          })
          .catch((error) => {
            if (n === 0 && source.live) throw error;
            return null;
          }),
      );
      const [seen, ...rest] = await Promise.all([asked, ...cells]);
      if (mine !== turn) return;
      view = seen;
      strips = rest;
      state.faults = view.faults;
      state.faults.forEach((fault, n) => {
        const at = placed(n, fault[0], fault[1]);
        if (!state.tried.includes(at)) state.tried.push(at);
      });
      if (view.moved) say = view.moved;
      state.active = Math.min(state.active || 0, levels - 1);
      if (state.cursor !== null && state.cursor >= view.moments.length) state.cursor = null;
      save();
      draw();
    } catch (error) {
      if (mine !== turn) return;
      note.hidden = false;
      note.replaceChildren(toned("warning", `! ${messageOf(error)}`));
    }
  }
  const change = (next, text = "") => {
    Object.assign(state, next);
    say = text;
    return show();
  };
  const pick = (level, point, kind) => {
    const old = state.faults[level];
    const same = old && old[0] === point && old[1] === kind;
    change({
      faults: [...state.faults.slice(0, level), ...(same ? [] : [[point, kind, old ? old[2] : state.hours]])],
      active: level,
      adding: state.adding && level === state.faults.length ? false : level > 0 && same,
      cursor: null,
    });
  };
  const go = (moment) => {
    state.cursor = moment === null ? null : Math.min(Math.max(moment, 0), view.moments.length - 1);
    save();
    draw();
  };
  const add = () => {
    if (state.faults.length && state.faults.length < most() && view.more)
      change({ adding: true, active: state.faults.length, cursor: null });
  };
  const back = () => {
    if (state.adding) change({ adding: false, active: Math.max(0, state.faults.length - 1) });
    else if (state.faults.length)
      change({
        faults: state.faults.slice(0, -1),
        active: Math.max(0, state.faults.length - 2),
        cursor: null,
      });
  };
  const openAll = () => {
    state.open = !state.open;
    save();
    draw();
  };
  const reset = () => change({ faults: [], active: 0, adding: false, cursor: null });
  async function shortest() {
    say = words.searching;
    drawNote();
    try {
      const found = await source.ask({ do: "break", ...base() });
      if (found.faults)
        change(
          {
            case: found.case,
            faults: found.faults,
            active: Math.max(0, found.faults.length - 1),
            adding: false,
            cursor: null,
          },
          found.say,
        );
      else {
        say = found.say;
        drawNote(found.tone);
      }
    } catch (error) {
      say = messageOf(error);
      drawNote();
    }
  }
  function drawNote(tone = "muted") {
    note.hidden = !say;
    note.replaceChildren(toned(tone, say));
  }
  /** Draw everything anew; the focus stays in the widget. */
  function draw() {
    const focused = shell.contains(document.activeElement),
      inside = document.activeElement,
      mark = inside && inside.getAttribute("data-keep");
    const scroll = board.firstElementChild ? board.firstElementChild.scrollLeft : 0;
    drawHead();
    drawBar();
    drawNote();
    board.replaceChildren(
      boardView(view, words, {
        strips,
        faults: state.faults,
        active: state.active,
        cursor: state.cursor,
        pick,
        go,
        known,
      }),
    );
    if (board.firstElementChild) board.firstElementChild.scrollLeft = scroll;
    reveal();
    drawBelow();
    drawFoot();
    live.textContent = [view.spoken, ...view.sums.map((sum) => sum.text)].join(words.stop);
    shell.setAttribute("data-faults", JSON.stringify(state.faults));
    if (focused) ((mark && part(shell, `[data-keep="${mark}"]`)) || shell).focus({ preventScroll: true });
  }
  /** A crash chosen by key stays in sight on a narrow page. */
  function reveal() {
    const at = part(board, `.er-cell.er-picked[data-level="${state.active}"]`);
    const box = /** @type {HTMLElement | null} */ (board.firstElementChild);
    if (!at || !box || box.scrollWidth <= box.clientWidth) return;
    const left = at.offsetLeft - part(box, ".er-bgutter").offsetWidth;
    if (left < box.scrollLeft) box.scrollLeft = left;
    else if (at.offsetLeft + at.offsetWidth > box.scrollLeft + box.clientWidth)
      box.scrollLeft = at.offsetLeft + at.offsetWidth - box.clientWidth;
  }
  const select = (label, options, value, then) => {
    const box = el(
      "select",
      { "aria-label": label, "data-keep": label, onchange: () => then(box.value) },
      options.map((o) => el("option", { value: o.name, selected: o.name === value }, o.words)),
    );
    return el("label", { class: "er-field" }, label, box);
  };
  function drawHead() {
    head.replaceChildren(
      el("b", { class: "er-stagetitle" }, words.stage_of, " · ", el("code", {}, data.tool)),
      el("span", { class: "er-gap" }),
      cases.length > 1
        ? select(words.case, cases, state.case, (value) => change({ case: value, cursor: null }))
        : "",
      data.runtimes.length > 1
        ? select(words.runtime, data.runtimes, state.runtime, (value) =>
            change({ runtime: value, cursor: null }),
          )
        : "",
      el(
        "button",
        { type: "button", class: "er-key", title: words.help, "aria-label": words.help, onclick: help },
        "?",
      ),
    );
  }
  function drawBar() {
    const chip = (fault, n) =>
      el(
        "span",
        { class: `er-chip${state.active === n ? " er-on" : ""}` },
        el(
          "button",
          {
            type: "button",
            class: "er-chiptext",
            "data-keep": `chip${n}`,
            onclick: () => {
              state.active = n;
              save();
              draw();
            },
          },
          el("i", { class: `er-cross er-x-${CROSS[fault[1]]}` }, CROSS[fault[1]] === "lost" ? "?" : "✕"),
          el("span", {}, view.faultWords[n]),
        ),
        data.hours.length > 1 && fault[1].startsWith("crash")
          ? el(
              "select",
              {
                "aria-label": words.away,
                title: words.away,
                "data-keep": `hours${n}`,
                onchange: (event) =>
                  change({
                    hours: Number(event.target.value),
                    faults: state.faults.map((each, i) =>
                      i === n ? [each[0], each[1], Number(event.target.value)] : each,
                    ),
                    cursor: null,
                  }),
              },
              data.hours.map((each) =>
                el("option", { value: each.hours, selected: each.hours === fault[2] }, each.words),
              ),
            )
          : "",
        el(
          "button",
          {
            type: "button",
            class: "er-chipx",
            title: view.removeWords[n],
            "aria-label": view.removeWords[n],
            onclick: () =>
              change({
                faults: state.faults.slice(0, n),
                active: Math.max(0, n - 1),
                adding: false,
                cursor: null,
              }),
          },
          "×",
        ),
      );
    bar.replaceChildren(
      el(
        "div",
        { class: "er-chips" },
        state.faults.length ? state.faults.map(chip) : toned("muted", words.no_fault),
        state.adding ? el("span", { class: "er-chip er-waiting" }, view.chooseWords) : "",
        state.faults.length && !state.adding && state.faults.length < most() && view.more
          ? el(
              "button",
              { type: "button", class: "er-add", onclick: add },
              `+ ${state.faults.length === 1 ? words.second : words.another}`,
            )
          : "",
        state.faults.length || state.adding
          ? el("button", { type: "button", class: "er-reset", onclick: reset }, words.reset)
          : "",
        el(
          "button",
          {
            type: "button",
            class: "er-openall",
            "data-keep": "open",
            "aria-pressed": state.open ? "true" : "false",
            onclick: openAll,
          },
          state.open ? words.hide : words.reveal,
        ),
      ),
      el(
        "div",
        { class: "er-result" },
        el("span", { class: "er-t-muted" }, words.outside_sees),
        sumsView(view.sums),
        view.end
          ? el("span", { class: `er-sum er-f-${view.end.tone}` }, `${view.end.sign} ${view.end.text}`)
          : "",
      ),
    );
  }
  function drawBelow() {
    const count = view.moments.length,
      at = state.cursor;
    const list = el(
      "ol",
      { class: "er-moments", role: "list" },
      view.moments.map((moment, i) =>
        el(
          "li",
          {
            class: `${i === at ? "er-now" : ""}${at !== null && i > at ? " er-later" : ""}`,
            "data-moment": i,
            onclick: () => go(i),
          },
          el("span", { class: "er-proc" }, moment.process ? `${moment.process}` : ""),
          el("span", { class: `er-t-${moment.tone}` }, moment.sign ? `${moment.sign} ` : "", moment.text),
        ),
      ),
    );
    below.replaceChildren(
      el(
        "section",
        { class: "er-panel" },
        el("h4", {}, words.ledger),
        ledgerView(view, words, at),
        el("h4", {}, words.model_told),
        view.told.length
          ? el(
              "ul",
              { class: "er-told" },
              view.told.map((each) =>
                el(
                  "li",
                  {},
                  el("code", {}, each.tool),
                  " ",
                  each.about,
                  " → ",
                  el("code", { class: `er-t-${each.tone}` }, each.text),
                ),
              ),
            )
          : el("div", { class: "er-note" }, words.nothing_told),
        view.printed
          ? [
              el("h4", { class: "er-gaptop" }, words.printed),
              el("pre", { class: "er-printed" }, view.printed),
            ]
          : "",
        view.threw.length
          ? el(
              "div",
              { class: "er-trouble" },
              el("b", {}, `✗ ${words.raised}${words.colon}`),
              el("code", {}, view.threw[0]),
              el("div", {}, words.raised_why),
            )
          : "",
        el("p", { class: "er-t-muted er-how er-basis" }, view.basis),
      ),
      el(
        "section",
        { class: "er-panel er-storypanel" },
        el(
          "h4",
          {},
          words.story,
          el("span", { class: "er-gap" }),
          el(
            "span",
            { class: "er-t-muted er-count" },
            at === null ? words.whole : fill(words.moment_of, { n: at + 1, all: count }),
          ),
          el(
            "button",
            {
              type: "button",
              "data-keep": "back",
              title: `${words.previous_moment} (b)`,
              "aria-label": words.previous_moment,
              onclick: () => go(at === null ? count - 1 : at - 1),
            },
            "◀",
          ),
          el(
            "button",
            {
              type: "button",
              "data-keep": "next",
              title: `${words.next_moment} (n)`,
              "aria-label": words.next_moment,
              onclick: () => (at === count - 1 ? go(null) : go(at === null ? 0 : at + 1)),
            },
            "▶",
          ),
        ),
        list,
      ),
    );
    if (at !== null) {
      const line = /** @type {HTMLElement} */ (list.children[at]);
      if (line.offsetTop < list.scrollTop) list.scrollTop = line.offsetTop;
      list.scrollTop = Math.max(0, line.offsetTop + line.offsetHeight - list.clientHeight + 20);
    } else {
      // What the last accident leads to is what somebody wants to read who has just chosen it.
      const after = view.moments.map((moment) => moment.sign).lastIndexOf("✕");
      if (after > 0) list.scrollTop = /** @type {HTMLElement} */ (list.children[after - 1]).offsetTop;
    }
  }
  const key = (name, text) =>
    el(
      "span",
      { class: "er-keyhint" },
      name.split(" ").map((each) => el("kbd", {}, each)),
      " ",
      text,
    );
  const KEYS_HELP = [
    ["← →", "k-move"],
    ["↑ ↓", "k-kind"],
    ["n b", "k-step"],
    ["+", "k-add"],
    ["Esc", "k-back"],
    ["v", "k-reveal"],
    ["f", "k-find"],
    ["?", "k-help"],
  ];
  function drawFoot() {
    foot.replaceChildren(
      el(
        "button",
        { type: "button", class: "er-break", "data-keep": "break", onclick: shortest },
        words.break,
      ),
      el("span", { class: "er-gap" }),
      ...KEYS_HELP.slice(0, 5).map(([name, text]) => key(name, words[text])),
    );
  }
  function help() {
    const close = () => {
      sheet.hidden = true;
      sheet.replaceChildren();
      shell.focus({ preventScroll: true });
    };
    const sample = (name, sign) =>
      el(
        "div",
        {},
        el("span", { class: `er-cell er-c-${name} er-legendcell` }, sign),
        el("span", {}, words[`s-${name}`]),
      );
    sheet.replaceChildren(
      el(
        "div",
        { class: "er-overhead" },
        el("b", {}, words.help),
        el("button", { type: "button", onclick: close }, words.close),
      ),
      el(
        "div",
        { class: "er-keys" },
        KEYS_HELP.map(([name, text]) => key(name, words[text])),
      ),
      el(
        "div",
        { class: "er-keys er-signs" },
        ["once", "parked", "harm", "warning", "unknown", "committed", "again"].map((name) =>
          sample(name, data.signs[name]),
        ),
        el(
          "div",
          {},
          el("span", { class: "er-cell er-c-hidden er-legendcell" }, "·"),
          el("span", {}, words.untried),
        ),
        el(
          "div",
          {},
          el("span", { class: "er-legendcell" }, el("i", { class: "er-cross" }, "✕")),
          el("span", {}, words["s-dies"]),
        ),
        el(
          "div",
          {},
          el("span", { class: "er-legendcell" }, el("i", { class: "er-cross er-x-lost" }, "?")),
          el("span", {}, words["s-lost"]),
        ),
      ),
    );
    sheet.hidden = false;
    part(sheet, "button").focus({ preventScroll: true });
    closeHelp = close;
  }
  /** Left and right: the next point that knows the kind, else the next point at all. Up and down: another kind of the point. */
  function move(by) {
    const strip = strips[state.active];
    if (!strip || !strip.cells.length) return;
    const fault = state.faults[state.active],
      points = [...new Set(strip.cells.map((cell) => cell.point))];
    const at = fault ? points.indexOf(fault[0]) : by > 0 ? -1 : points.length;
    const next = points[Math.min(Math.max(at + by, 0), points.length - 1)];
    const wanted = state.kind || (fault && fault[1]) || strip.kinds[0];
    const kinds = strip.cells.filter((cell) => cell.point === next).map((cell) => cell.kind);
    const kind = kinds.includes(wanted) ? wanted : kinds[0];
    if (!fault || fault[0] !== next || fault[1] !== kind) choose(next, kind);
  }
  function turnKind(by) {
    const strip = strips[state.active],
      fault = state.faults[state.active];
    if (!strip) return;
    if (!fault) {
      move(1);
      return;
    }
    const kinds = strip.kinds.filter((kind) =>
      strip.cells.some((cell) => cell.point === fault[0] && cell.kind === kind),
    );
    const next = kinds[Math.min(Math.max(kinds.indexOf(fault[1]) + by, 0), kinds.length - 1)];
    state.kind = next;
    if (next !== fault[1]) choose(fault[0], next);
  }
  const choose = (point, kind) => {
    state.kind = state.kind || kind;
    pick(state.active, point, kind);
  };
  const moves = {
    ArrowLeft: () => move(-1),
    ArrowRight: () => move(1),
    "[": () => move(-1),
    "]": () => move(1),
    ArrowUp: () => turnKind(-1),
    ArrowDown: () => turnKind(1),
    Home: () => move(-1e6),
    End: () => move(1e6),
    n: () =>
      state.cursor === view.moments.length - 1 ? go(null) : go(state.cursor === null ? 0 : state.cursor + 1),
    b: () => go(state.cursor === null ? view.moments.length - 1 : state.cursor - 1),
    "+": add,
    "=": add,
    Escape: back,
    Backspace: back,
    f: shortest,
    v: openAll,
    "?": help,
  };
  shell.onkeydown = (event) => {
    if (!sheet.hidden) {
      if (event.key === "Escape") {
        event.preventDefault();
        closeHelp();
      }
      return;
    }
    if (
      !view ||
      targetOf(event).matches("input, select, textarea") ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    const does = moves[event.key];
    if (!does) return;
    event.preventDefault();
    event.stopPropagation();
    does();
  };
  show();
  return unfollow;
}
