let shown = sessionStorage.getItem("shown") || "01/", timer = 0;
function start() { clearTimeout(timer); get("pin") ? wall() : door(false, wall); }
function wall() {
  const counts = el("div", {}), table = el("div", {}), stumbles = el("div", {}), head = el("p", { class: "dim" });
  const asked = el("select", { "aria-label": T("show"), onchange: (event) => { shown = event.target.value;
    sessionStorage.setItem("shown", shown); tick(); } });
  const questions = {};
  main.replaceChildren(el("header", {}, el("div", {}, el("h1", {}, T("title")),
    el("p", {}, T("join", { url: location.origin }), " ", el("span", { class: "pin" }, get("pin")))), other()), head,
    el("div", { class: "grid" }, el("section", {}, el("h2", {}, T("predict")), asked, counts),
      el("section", {}, el("h2", {}, T("stumbles")), stumbles)), el("h2", {}, T("answers")), table);
  let last = -1;
  async function load() {
    for (const each of GIVEN.lessons)
      for (const one of (await ask("questions", { lesson: each.number })).questions)
        questions[`${each.number}/${one.name}`] = one;
    asked.replaceChildren(...Object.entries(questions).map(([key, one]) =>
      el("option", { value: key, selected: key === shown }, `${key.slice(0, 2)}  ${one.question.slice(0, 70)}`)));
    shown = asked.value;
  }
  async function tick() {
    clearTimeout(timer);
    try { draw(await ask("state")); } catch (error) { head.textContent = T("gone"); }
    timer = setTimeout(tick, 1500);
  }
  function draw(state) {
    head.textContent = T("room", { n: state.people.length, w: state.waiting });
    const one = questions[shown], votes = state.predictions[shown] || [];
    const all = votes.reduce((sum, each) => sum + each, 0);
    counts.replaceChildren(one ? el("p", {}, one.question) : null || "", ...(all ? one.choices.map((words, index) =>
      el("div", { class: "bar" }, el("span", {}, words), el("div", {}, el("i", { style: `width:${(100 * votes[index]) / all}%` })),
        el("span", {}, T("votes", { n: votes[index], all })))) : [el("p", { class: "dim" }, T("no_votes"))]));
    stumbles.replaceChildren(...state.stumbles.map((each) => el("p", {}, `${each.lesson}  ${each.words}: ${each.count}`)));
    if (state.version === last) return;
    last = state.version;
    const used = GIVEN.lessons.map((each) => each.number);
    table.replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, ""), ...used.map((each) => el("th", {}, each)),
      el("th", {}, T("break")))), el("tbody", {}, ...state.people.map((person) => el("tr", {}, el("th", {}, person.name),
        ...used.map((number) => { const held = person.answers[number];
          return held ? el("td", { class: held.passed ? "ok" : held.passed === false ? "bad" : "" },
            (held.passed ? "✓" : held.passed === false ? "✗" : "…") + (held.tries > 1 ? held.tries : "") +
            (held.broken ? " ⚡" + held.broken : "")) : el("td", { class: "dim" }, "·"); }),
        el("td", {}, person.broke ? T("broken", { n: person.broke }) : ""))))));
  }
  load().then(tick, () => { head.textContent = T("gone"); });
}
start();
