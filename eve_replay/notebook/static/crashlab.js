// The crash lab: a line on the turn's timeline, and below it what a crash there would do.

function crashLab(root, data, source, words, memory) {
  const points = data.points;
  const question = { ...data.question, strategies: { ...(data.question.strategies || {}) } };
  let index = Math.min(Math.max(memory.load()?.index ?? data.index ?? 0, 0), points.length - 1);
  let turn = 0;
  let hidden = data.predict === true;
  let guesses = {};
  const say = el("span", { class: "er-say", role: "status", "aria-live": "polite" });
  const shell = el("div", { class: "er-root er-lab", tabindex: 0, role: "application", "aria-label": "Crash lab. Left and right move the crash point." });
  root.append(shell);
  if (!points.length) { shell.append(el("div", { class: "er-empty" }, "This turn has no crash points: nothing durable was written.")); return () => {}; }
  const line = timelineView({ timeline: data.timeline, words, onPick: (key) => { const at = points.findIndex((p) => p.key === key || p.step === key); if (at >= 0) go(at); } });
  const strip = el("div", { class: "er-strip", role: "slider", tabindex: 0, "aria-label": "Crash point", "aria-valuemin": 1, "aria-valuemax": points.length },
    points.map((point, i) => el("i", { class: `er-c-${point.klass}`, title: `${i + 1}. ${point.label}`, style: { left: `${((i + 0.5) / points.length) * 100}%` } })), el("b", { class: "er-handle" }));
  const where = el("div", { class: "er-where", role: "status", "aria-live": "polite" });
  const answer = el("div", { class: "er-answer" });
  const matrix = el("div", { class: "er-matrix" });
  const select = (label, name, options, value, change) => {
    const box = el("select", { "aria-label": label, onchange: () => change(box.value) }, options.map((o) => el("option", { value: o.name, title: o.note, selected: o.name === value }, o.words)));
    return el("label", { class: "er-field" }, label, box);
  };
  const ask = (name) => (value) => { question[name] = value; draw(); drawMatrix(); };
  const controls = el("div", { class: "er-controls" },
    select("policy", "policy", data.choices.policies, question.policy, ask("policy")),
    select("environment", "environment", data.choices.environments, question.environment, ask("environment")),
    select("model gives", "model", data.choices.models, question.model, ask("model")),
    data.batches ? select("model calls per step", "batch", data.batches, String(question.batch || 1), (v) => { question.batch = Number(v); draw(); drawMatrix(); }) : null,
    data.choices.tools.map((tool) => select(tool, tool, data.choices.strategies, question.strategies[tool] || data.assumed[tool] || "none", (v) => { question.strategies[tool] = v; draw(); drawMatrix(); })),
    el("label", { class: "er-field er-check" }, el("input", { type: "checkbox", checked: hidden, onchange: (e) => { hidden = e.target.checked; guesses = {}; draw(); } }), "predict first"));
  const buttons = el("div", { class: "er-steps" },
    el("button", { type: "button", title: "Previous crash point ([)", "aria-label": "Previous crash point", onclick: () => go(index - 1) }, "◀"),
    el("button", { type: "button", title: "Next crash point (])", "aria-label": "Next crash point", onclick: () => go(index + 1) }, "▶"), where, say);
  shell.append(controls, line.node, strip, buttons, el("div", { class: "er-labgrid" }, answer, matrix));
  const unfollow = followTheme(shell);
  const origin = Date.parse(data.timeline.origin);

  function go(next) {
    index = Math.min(Math.max(next, 0), points.length - 1);
    guesses = {};
    memory.save({ index });
    draw();
  }
  const request = () => ({ do: "crash", turn: data.turn, index, question });
  function draw() {
    const mine = ++turn;
    const point = points[index];
    strip.querySelector(".er-handle").style.left = `${((index + 0.5) / points.length) * 100}%`;
    strip.setAttribute("aria-valuenow", index + 1);
    strip.setAttribute("aria-valuetext", point.label);
    line.line(point.at ? Date.parse(point.at) - origin : null);
    where.replaceChildren(el("b", {}, `crash point ${index + 1} of ${points.length}: `), point.label, " ", toned("muted", point.certainty));
    for (const row of matrix.querySelectorAll("[data-point]")) row.classList.toggle("er-chosen", Number(row.dataset.point) === index);
    source.ask(request()).then((view) => { if (mine === turn) (hidden ? guess : show)(view); },
      (error) => { if (mine === turn) answer.replaceChildren(el("div", { class: "er-empty er-t-warning" }, error.message)); });
  }
  /** Predict first: nothing is shown before every effect has a guess. */
  function guess(view) {
    const form = el("form", { class: "er-guess", onsubmit: (event) => { event.preventDefault(); show(view, guesses); } },
      el("p", {}, "How often will the outside world see each effect in the end?"),
      view.effects.map((row, i) => el("label", { class: "er-field" }, `${row.tool} ${shortId(row.callId)}`,
        el("input", { type: "number", min: 0, max: 99, required: true, "aria-label": `Guess for ${row.tool}`, oninput: (e) => { guesses[i] = Number(e.target.value); } }))),
      el("label", { class: "er-field" }, "and the session", el("select", { required: true, "aria-label": "Guess for the session", onchange: (e) => { guesses.outcome = e.target.value; } },
        el("option", { value: "" }, "choose"), data.outcomes.map((o) => el("option", { value: o.name }, o.words)))),
      el("button", { type: "submit" }, "Show the answer"));
    answer.replaceChildren(form);
  }
  function show(view, guessed) {
    const mark = (right) => (guessed ? el("td", {}, right ? toned("ok", "✓ right") : toned("warning", "✗ not so")) : null);
    const within = (row, n) => n >= row.outsideMinimum && (row.outsideMaximum === null || n <= row.outsideMaximum);
    answer.replaceChildren(
      el("div", { class: "er-outcome" }, signed(words, view.tone, view.outcomeWords), toned("muted", ` ${view.certainty}`), guessed ? [" ", guessed.outcome === view.outcome ? toned("ok", "✓ you said so") : toned("warning", "✗ you guessed otherwise")] : null),
      el("p", { class: "er-sentence" }, view.sentence),
      el("table", { class: "er-table" },
        el("thead", {}, el("tr", {}, ["effect", "body runs", "outside sees", "strategy", "known"].map((t) => el("th", { scope: "col" }, t)), guessed ? el("th", {}, "your guess") : null)),
        el("tbody", {}, view.effects.map((row, i) => el("tr", { class: row.harmful ? "er-repeat" : "" },
          el("th", { scope: "row", title: row.callId }, row.tool, " ", toned("muted", shortId(row.callId))), el("td", {}, signed(words, row.runsTone, row.runs)), el("td", {}, signed(words, row.tone, `${row.outside} ${row.outsideWord}`), row.missed ? toned("harm", ` ${row.missed} may be missed`) : null),
          el("td", {}, row.strategyWords), el("td", { title: row.rule }, row.certainty), mark(guessed && within(row, guessed[i])))))),
      el("table", { class: "er-table" },
        el("thead", {}, el("tr", {}, ["step", "becomes", "attempts", "known"].map((t) => el("th", { scope: "col" }, t)))),
        el("tbody", {}, view.steps.map((row) => el("tr", {}, el("th", { scope: "row" }, row.function), el("td", {}, signed(words, row.tone, row.verdict)), el("td", {}, row.attempts), el("td", {}, row.certainty))))),
      el("ul", { class: "er-facts" }, [view.paid, view.recovery, view.person, view.ends, ...view.notes, ...view.told].filter(Boolean).map((text) => el("li", {}, text))));
  }
  function drawMatrix() {
    source.ask({ do: "matrix", turn: data.turn, question }).then((view) => {
      matrix.replaceChildren(el("table", { class: "er-table er-heat" },
        el("thead", {}, el("tr", {}, el("th", {}, "crash point"), view.columns.map((c) => el("th", { scope: "col", title: c.callId }, c.title)))),
        el("tbody", {}, view.rows.map((row) => el("tr", { "data-point": row.point.index, class: row.point.index === index ? "er-chosen" : "", tabindex: 0, title: row.sentence, onclick: () => go(row.point.index), onkeydown: (e) => { if (e.key === "Enter") { e.stopPropagation(); go(row.point.index); } } },
          el("th", { scope: "row" }, `${row.point.index + 1} `, toned("muted", row.point.label)), row.cells.map((cell) => el("td", { class: `er-cell er-f-${cell.tone}`, title: cell.word }, cell.text)))))),
        el("div", { class: "er-note" }, view.totals.map((t) => signed(words, t.tone, `${t.name} ${t.count}`))));
    }, (error) => matrix.replaceChildren(el("div", { class: "er-empty" }, error.message)));
  }
  const nearest = (event) => {
    const at = line.momentAt(event.clientX) + origin;
    let best = index, far = Infinity;
    points.forEach((point, i) => { const d = point.at ? Math.abs(Date.parse(point.at) - at) : Infinity; if (d < far) { far = d; best = i; } });
    if (best !== index) go(best);
  };
  drag(line.crash, nearest);
  line.body.addEventListener("dblclick", nearest);
  drag(strip, (event) => { const box = strip.getBoundingClientRect(); const next = Math.floor(((event.clientX - box.left) / box.width) * points.length); if (next !== index) go(next); });
  shell.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select, textarea")) { event.stopPropagation(); return; }
    const step = { ArrowLeft: -1, ArrowRight: 1, "[": -1, "]": 1, Home: -1e6, End: 1e6 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    go(index + step);
  });
  draw();
  drawMatrix();
  return () => { line.close(); unfollow(); };
}
