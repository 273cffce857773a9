// The crash lab: a line on the turn's timeline, and below it what a crash there would do.

import { el, followTheme, keepKeys, signed, targetOf, timeNode, toned, part } from "./base.js";
import { allRight, guessCell, guessForm } from "./guess.js";
import { heatView } from "./heat.js";
import { drag, timelineView } from "./timeline.js";
import { shortId } from "./words.js";

export function crashLab(root, data, source, words, memory) {
  const shell = el("div", {
    class: "er-root er-lab",
    tabindex: 0,
    role: "application",
    "aria-label": "Crash lab. Left and right move the crash point.",
  });
  root.append(shell);
  keepKeys(shell);
  const unfollow = followTheme(shell);
  let inner = null;
  const question = { ...data.question, strategies: { ...(data.question.strategies || {}) } };
  const state = {
    index: data.index || 0,
    hidden: data.predict === true,
    batch: data.batch || 1,
    ...(memory.load() || {}),
  };
  /** Other batch sizes write at other moments, so they bring points and a timeline of their own. */
  function build(page) {
    if (inner) inner.close();
    inner = labOver(shell, page, question, source, words, state, {
      save: () => memory.save({ index: state.index, batch: state.batch, score: state.score }),
      turn: (turn) => other(turn, state.batch),
      batch: (size) => other(page.turn, size),
    });
    function other(turn, size) {
      source.ask({ do: "lab_of", turn, batch: size }).then(
        (next) => {
          state.batch = size;
          state.index = Math.min(next.index, next.points.length - 1);
          build(next);
        },
        (error) => inner.fail(error),
      );
    }
  }
  build(data);
  if (state.batch > 1 && !data.batch)
    source.ask({ do: "lab_of", turn: data.turn, batch: state.batch }).then(build, () => {
      state.batch = 1;
    });
  return {
    close() {
      inner.close();
      unfollow();
    },
  };
}

export function crashLabWidget(root, data, source, memory) {
  const lab = crashLab(root, data, source, data.words, memory);
  return () => lab.close();
}

function labOver(shell, data, question, source, words, state, tell) {
  const points = data.points;
  shell.replaceChildren();
  if (!points.length) {
    shell.append(
      el("div", { class: "er-empty" }, "This turn has no crash points: nothing durable was written."),
    );
    return { close() {}, fail() {} };
  }
  const clamp = (i) => Math.min(Math.max(i, 0), points.length - 1);
  let turn = 0;
  state.index = clamp(state.index);
  const line = timelineView({
    timeline: data.timeline,
    onPick: (key, event) => {
      const at = points.findIndex(
        (p) => p.key === key || p.step === key || (p.step && key.startsWith(`attempt:${p.step.slice(5)}/`)),
      );
      if (at >= 0) go(at);
      else if (event) nearest(event); // a call or a model call: no crash point has its key, but some lie in it
    },
  });
  const strip = el(
    "div",
    {
      class: "er-strip",
      role: "slider",
      tabindex: 0,
      "aria-label": "Crash point",
      "aria-valuemin": 1,
      "aria-valuemax": points.length,
    },
    points.map((point, i) =>
      el("i", {
        class: `er-c-${point.klass}`,
        title: `${i + 1}. ${point.label}`,
        style: { left: `${((i + 0.5) / points.length) * 100}%` },
      }),
    ),
    el("b", { class: "er-handle" }),
  );
  const where = el("div", { class: "er-where", role: "status", "aria-live": "polite" });
  const answer = el("div", { class: "er-answer" });
  const heat = heatView({ points, words, go: (i) => go(i) });
  const fixed = !source.live && !data.few;
  const select = (label, options, value, change, note) => {
    const box = el(
      "select",
      {
        "aria-label": label,
        title: fixed ? "A saved page holds the answers to what is chosen here; others need Python." : note,
        disabled: fixed,
        onchange: () => change(box.value),
      },
      options.map((o) =>
        el("option", { value: o.name, title: o.note, selected: o.name === String(value) }, o.words),
      ),
    );
    return el("label", { class: "er-field" }, label, box);
  };
  const ask = (name) => (value) => {
    question[name] = value;
    draw();
    drawMatrix();
  };
  const strategies = (tool) => [
    {
      name: "",
      words: `as recorded: ${data.assumed[tool]?.words || "nothing"}`,
      note: "what the policy or the evidence says protects it",
    },
    ...data.choices.strategies,
  ];
  const controls = el(
    "div",
    { class: "er-controls" },
    data.few || !source.live || data.turns.length < 2
      ? null
      : select("turn", data.turns, data.turn, tell.turn, "Whose crash points are shown."),
    // A lesson asks one question: what the model answers, and what is to be guessed.
    data.few ? null : select("runtime", data.choices.runtimes, question.runtime, ask("runtime")),
    data.few
      ? null
      : select("environment", data.choices.environments, question.environment, ask("environment")),
    select("model gives", data.choices.models, question.model, ask("model")),
    data.few
      ? null
      : select(
          "model calls per step",
          data.batches,
          state.batch,
          (value) => tell.batch(Number(value)),
          "What if modelCallsPerStep were larger: fewer commits, more work repeated by a crash.",
        ),
    (data.few ? [] : data.choices.tools).map((tool) =>
      select(
        tool,
        strategies(tool),
        question.strategies[tool] || "",
        (value) => {
          if (value) question.strategies[tool] = value;
          else delete question.strategies[tool];
          draw();
          drawMatrix();
        },
        "What makes this effect safe to repeat.",
      ),
    ),
    el(
      "label",
      { class: "er-field er-check" },
      el("input", {
        type: "checkbox",
        checked: state.hidden,
        onchange: (e) => {
          state.hidden = e.target.checked;
          draw();
          drawMatrix();
        },
      }),
      "predict first",
    ),
  );
  const step = (title, sign, by) =>
    el("button", { type: "button", title, "aria-label": title, onclick: () => go(state.index + by) }, sign);
  shell.append(
    controls,
    line.node,
    el("div", { class: "er-points" }, el("span", { class: "er-gutter" }, "crash points"), strip, heat.node),
    el(
      "div",
      { class: "er-steps" },
      step("Previous crash point", "◀", -1),
      step("Next crash point", "▶", 1),
      where,
    ),
    answer,
    heat.table,
  );
  const origin = Date.parse(data.timeline.origin);

  function go(next) {
    state.index = clamp(next);
    tell.save();
    draw();
  }
  const fail = (error) =>
    answer.replaceChildren(el("div", { class: "er-empty er-t-warning" }, error.message));
  const base = () => ({ turn: data.turn, question, ...(data.batch > 1 ? { batch: data.batch } : {}) });
  let busy = false,
    waiting = false;
  function draw() {
    const index = state.index,
      point = points[index];
    part(strip, ".er-handle").style.left = `${((index + 0.5) / points.length) * 100}%`;
    strip.setAttribute("aria-valuenow", index + 1);
    strip.setAttribute("aria-valuetext", point.label);
    line.line(point.at ? Date.parse(point.at) - origin : null);
    heat.choose(index);
    where.replaceChildren(
      el("b", {}, `crash point ${index + 1} of ${points.length} `),
      point.label,
      " ",
      toned("muted", point.certainty),
    );
    // While the line is dragged only the latest place is asked about.
    if (busy) {
      waiting = true;
      return;
    }
    busy = true;
    const mine = ++turn;
    const done = (then) => (value) => {
      busy = false;
      if (waiting) {
        waiting = false;
        draw();
      } else if (mine === turn) then(value);
    };
    source.ask({ do: "crash", ...base(), index }).then(
      done((view) => (state.hidden ? guess : show)(view)),
      done(fail),
    );
  }
  /** Predict first: nothing is shown before every effect has a guess. A point counts once. */
  const counted = new Set();
  function guess(view) {
    const form = guessForm(view, data.outcomes, (guessed) => {
      const mark = `${state.index} ${state.batch} ${JSON.stringify(question)}`;
      if (!counted.has(mark)) {
        counted.add(mark);
        const { right, of } = state.score || { right: 0, of: 0 };
        state.score = { right: right + Number(allRight(view, guessed)), of: of + 1 };
        tell.save();
      }
      show(view, guessed);
    });
    answer.replaceChildren(form);
    answer.setAttribute("data-shown", "guess");
  }
  /** Neighbours often have the same answer; a saved page knows only what the points are called. */
  function different() {
    const here = state.index;
    const alike = (i) => points[i].label === points[here].label;
    source.ask({ do: "different", ...base(), index: here }).then(
      (next) => (next === null ? nothingElse() : go(next)),
      () => {
        let next = (here + 1) % points.length;
        while (next !== here && alike(next)) next = (next + 1) % points.length;
        if (next === here) nothingElse();
        else go(next);
      },
    );
  }
  const nothingElse = () => where.append(" ", toned("muted", "The same comes of a crash at every point."));
  const score = () =>
    el(
      "div",
      { class: "er-score" },
      state.score ? el("b", {}, `${state.score.right} of ${state.score.of} points right`) : null,
      el("button", { type: "button", onclick: different }, "Next different point"),
    );
  function show(view, guessed) {
    const columns = [
      "effect",
      "body runs",
      "outside sees",
      "strategy",
      "known",
      ...(guessed ? ["your guess"] : []),
    ];
    const effects = view.effects.map((row, i) =>
      el(
        "tr",
        { class: row.harmful ? "er-repeat" : "" },
        el("th", { scope: "row", title: row.callId }, row.tool, " ", toned("muted", shortId(row.callId))),
        el(
          "td",
          {},
          signed(words, row.runsTone, row.runs),
          toned("muted", `${row.before} before, ${row.after} by recovery`),
        ),
        el(
          "td",
          {},
          signed(words, row.tone, row.outside),
          toned(row.tone, row.note ? `${row.outsideWord}, ${row.note}` : row.outsideWord),
          row.missed !== 0 ? toned("harm", `, ${row.missed ?? "any number"} may be missed`) : null,
        ),
        el("td", {}, row.strategyWords),
        el("td", { title: row.rule }, row.certainty),
        guessed ? guessCell(row, guessed.effects[i]) : null,
      ),
    );
    const steps = view.steps.map((row) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, row.function),
        el("td", { title: row.proves }, signed(words, row.tone, row.verdict)),
        el("td", {}, row.attempts),
        el("td", { title: row.rule }, row.certainty),
      ),
    );
    const table = (heads, rows) =>
      el(
        "table",
        { class: "er-table" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            heads.map((t) => el("th", { scope: "col" }, t)),
          ),
        ),
        el("tbody", {}, rows),
      );
    answer.replaceChildren(
      ...(guessed ? [score()] : []),
      el(
        "div",
        { class: "er-outcome" },
        signed(words, view.outcomeTone, view.outcomeWords),
        view.twice.sure + view.twice.possible
          ? [
              " ",
              signed(
                words,
                "harm",
                [
                  view.twice.sure ? `${view.twice.sure} twice` : "",
                  view.twice.possible ? `${view.twice.possible} possibly twice` : "",
                ]
                  .filter(Boolean)
                  .join(", "),
              ),
            ]
          : null,
        toned("muted", view.certainty),
        guessed
          ? [
              " ",
              guessed.outcome === view.outcome
                ? toned("ok", "✓ you said so")
                : toned("warning", "✗ you guessed otherwise"),
            ]
          : null,
      ),
      el("p", { class: "er-sentence" }, view.sentence),
      view.effects.length
        ? table(columns, effects)
        : el("div", { class: "er-note" }, "No effect is touched."),
      table(["step", "becomes", "attempts", "known"], steps),
      el(
        "ul",
        { class: "er-facts" },
        [
          view.paid,
          view.recovery,
          view.earliest ? ["at the earliest at ", timeNode(view.earliest)] : "",
          view.person,
          view.ends,
          ...view.notes,
          ...view.told,
        ]
          .filter((each) => each && each.length)
          .map((each) => el("li", {}, each)),
      ),
    );
    answer.setAttribute("data-shown", `${view.point.index}`);
  }
  function drawMatrix() {
    if (state.hidden) return heat.hide();
    const asked = JSON.stringify(question);
    return source.ask({ do: "matrix", ...base() }).then(
      (view) => {
        if (asked === JSON.stringify(question) && !state.hidden) heat.show(view, state.index);
      },
      (error) => heat.fail(error),
    );
  }
  const nearest = (event) => {
    const at = line.momentAt(event.clientX) + origin;
    let best = state.index,
      far = Infinity;
    points.forEach((point, i) => {
      const d = point.at ? Math.abs(Date.parse(point.at) - at) : Infinity;
      if (d < far) {
        far = d;
        best = i;
      }
    });
    if (best !== state.index) go(best);
  };
  drag(line.crash, nearest);
  line.body.addEventListener("dblclick", nearest);
  drag(strip, (event) => {
    const box = strip.getBoundingClientRect();
    const next = clamp(Math.floor(((event.clientX - box.left) / box.width) * points.length));
    if (next !== state.index) go(next);
  });
  shell.onkeydown = (event) => {
    if (targetOf(event).matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey)
      return;
    const by = { ArrowLeft: -1, ArrowRight: 1, "[": -1, "]": 1, b: -1, n: 1, Home: -1e6, End: 1e6 }[
      event.key
    ];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    go(state.index + by);
  };
  draw();
  drawMatrix();
  return {
    close() {
      line.close();
    },
    fail,
  };
}
