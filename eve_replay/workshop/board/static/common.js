let lang = localStorage.getItem("lang") || GIVEN.language;
const T = (name, values = {}) => (GIVEN.words[lang][name] || name).replace(/\{(\w+)\}/g, (w, n) => values[n] ?? w);
const main = document.getElementById("main");
function el(tag, attrs = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((each) => each !== null));
  return node;
}
const get = (name) => sessionStorage.getItem(name) || "";
async function ask(path, body = {}) {
  const given = { pin: get("pin"), who: get("who"), language: lang, ...body };
  const reply = await fetch("/api/" + path, { method: "POST", body: JSON.stringify(given) });
  const said = await reply.json();
  if (reply.status === 403) throw new Error(T("wrong_pin"));
  if (!reply.ok) throw new Error(said.error);
  return said;
}
const other = () => el("button", { onclick: () => { lang = lang === "zh" ? "en" : "zh";
  localStorage.setItem("lang", lang); document.documentElement.lang = lang === "zh" ? "zh-CN" : "en"; start(); } },
  lang === "zh" ? "English" : "中文");
function door(withName, next) {
  const pin = el("input", { inputmode: "numeric", autocomplete: "off", "aria-label": T("pin"), value: get("pin") });
  const who = el("input", { maxlength: 40, "aria-label": T("name"), value: get("who") });
  const said = el("p", { class: "no", role: "alert" });
  const form = el("form", { onsubmit: async (event) => {
    event.preventDefault();
    sessionStorage.setItem("pin", pin.value.trim());
    sessionStorage.setItem("who", who.value.trim());
    try { await ask("state"); next(); } catch (error) { said.textContent = error.message || T("gone"); }
  } }, el("label", {}, T("pin"), " ", pin), withName ? el("label", {}, T("name"), " ", who) : null,
  el("button", { class: "go" }, T("enter")), said);
  main.replaceChildren(el("header", {}, el("h1", {}, T("title")), other()), form);
  pin.focus();
}
const lessons = (value, change, only) => el("select", { "aria-label": T("lesson"), onchange: change },
  ...GIVEN.lessons.filter((each) => !only || each.crashed).map((each) =>
    el("option", { value: each.number, selected: each.number === value }, `${each.number} ${each.title[lang]}`)));
