let lesson = sessionStorage.getItem("lesson") || "01";
function start() { get("pin") && get("who") ? room() : door(true, room); }
async function follow(job, place) {
  for (;;) {
    const came = await ask("job", { job });
    if (came.done) return came;
    place.replaceChildren(el("p", { class: "dim" }, T("judging", { n: came.ahead })));
    await new Promise((go) => setTimeout(go, 700));
  }
}
function verdict(came, head) {
  return el("div", { class: "verdict" + (came.passed ? " ok" : "") }, el("p", {}, el("b", {}, head || came.headline)),
    head ? el("p", {}, came.headline) : null, el("ol", {}, ...came.story.map((each) => el("li", {}, each))),
    el("p", {}, came.why), el("p", { class: "dim" }, came.next));
}
async function room() {
  const votes = el("div", { class: "choices" }), mine = el("div", { "aria-live": "polite" });
  const text = el("textarea", { spellcheck: "false", "aria-label": T("hand_in") });
  text.value = sessionStorage.getItem("source-" + lesson) || "";
  const crashed = GIVEN.lessons.find((each) => each.number === lesson).crashed;
  main.replaceChildren(
    el("header", {}, el("h1", {}, get("who")), lessons(lesson, (event) => { lesson = event.target.value;
      sessionStorage.setItem("lesson", lesson); room(); }), other()),
    el("h2", {}, T("predict")), votes, el("h2", {}, T("hand_in")), el("p", { class: "dim" }, T("paste")), text,
    el("button", { class: "go", onclick: async () => {
      sessionStorage.setItem("source-" + lesson, text.value);
      try { mine.replaceChildren(verdict(await follow((await ask("hand-in", { lesson, source: text.value })).job, mine))); }
      catch (error) { mine.replaceChildren(el("p", { class: "no" }, error.message)); }
    } }, T("hand_in")), mine, crashed ? breaking() : null);
  try {
    const { questions } = await ask("questions", { lesson });
    if (!questions.length) votes.append(el("p", { class: "dim" }, T("no_predictions")));
    for (const each of questions) {
      const key = `choice-${lesson}-${each.name}`;
      const group = el("div", { role: "group", "aria-label": each.question }, el("p", {}, each.question),
        ...each.choices.map((words, choice) => el("button", {
          "aria-pressed": get(key) === String(choice) ? "true" : "false",
          onclick: async (event) => {
            try { await ask("predict", { lesson, name: each.name, choice }); } catch (error) { return; }
            if (!get(key)) { sessionStorage.setItem(key, choice); event.target.setAttribute("aria-pressed", "true"); }
          } }, words)));
      votes.append(group);
    }
    votes.append(el("p", { class: "dim" }, T("chosen")));
  } catch (error) { votes.append(el("p", { class: "no" }, error.message)); }
}
function breaking() {
  const place = el("div", {});
  return el("section", {}, el("h2", {}, T("break")), el("button", { onclick: async () => {
    try {
      const found = await ask("neighbour", { lesson });
      const pick = (name, values) => el("select", { "aria-label": T(name) },
        ...values.map(([value, words]) => el("option", { value }, words)));
      const model = pick("model", [["same", T("model_same")], ["new-ids", T("model_new")], ["other", T("model_other")]]);
      const away = pick("away", [["0", T("away_0")], ["13", T("away_13")], ["61", T("away_61")]]);
      const crashes = pick("crashes", [["1", "1"], ["2", "2"], ["3", "3"]]);
      const lost = el("input", { type: "checkbox" });
      const seed = el("input", { type: "number", min: 0, max: 999999, value: 1 });
      const came = el("div", { "aria-live": "polite" });
      place.replaceChildren(el("p", {}, T("choose_world", { of: found.of })), el("pre", {}, found.source),
        el("div", { class: "worlds" }, el("label", {}, T("model"), " ", model), el("label", {}, T("away"), " ", away),
          el("label", {}, T("crashes"), " ", crashes), el("label", {}, lost, " ", T("lost")),
          el("label", {}, T("seed"), " ", seed)),
        el("button", { class: "go", onclick: async () => {
          const world = { model: model.value, away: Number(away.value), crashes: Number(crashes.value),
            lost: lost.checked, seed: Number(seed.value) };
          try {
            const job = (await ask("attack", { lesson, of: found.of, world })).job;
            const end = await follow(job, came);
            came.replaceChildren(end.passed ? el("p", {}, T("held")) : verdict(end, T("broke")));
          } catch (error) { came.replaceChildren(el("p", { class: "no" }, error.message)); }
        } }, T("attack")), came);
    } catch (error) { place.replaceChildren(el("p", { class: "no" }, error.message)); }
  } }, T("get")), place);
}
start();
