// How a page starts a widget: anywidget calls render with a live model, a saved page calls start with its data.

async function render({ model, el: root }) {
  const place = el("div", { class: "er-place-holder" });
  root.append(place);
  const memory = {
    load: () => model.get("position"),
    save: (position) => { model.set("position", position); model.save_changes(); },
  };
  let close = () => {};
  let turn = 0, later = 0;
  async function show() {
    const mine = ++turn;
    const page = await unpack(model.get("packed"));
    if (mine !== turn) return;
    const focused = place.contains(document.activeElement);
    place.style.minHeight = `${place.offsetHeight}px`; // the notebook below must not jump
    close();
    place.replaceChildren();
    const source = liveSource(model, page.saved, page.data.words);
    const end = WIDGETS[model.get("kind")](place, page.data, source, memory);
    close = () => { end(); source.close(); };
    place.style.minHeight = "";
    if (focused) place.querySelector("[tabindex]").focus({ preventScroll: true });
  }
  /** Nothing moves while a person reads what lies over the widget, or types. */
  function renew() {
    clearTimeout(later);
    const active = document.activeElement;
    const busy = place.querySelector(".er-overlay:not([hidden]), .er-sheet:not([hidden])") || (place.contains(active) && active.matches("input, select, textarea"));
    if (busy) later = setTimeout(renew, 400);
    else show();
  }
  model.on("change:packed", renew);
  await show();
  return () => { turn++; clearTimeout(later); model.off("change:packed", renew); close(); };
}

async function start(root, kind, packed, css) {
  const page = await unpack(packed);
  let position = null;
  const memory = { load: () => position, save: (next) => { position = next; } };
  const place = el("div", {});
  root.replaceChildren(el("style", {}, css), place);
  WIDGETS[kind](place, page.data, savedSource(page.saved, page.data.words), memory);
}
