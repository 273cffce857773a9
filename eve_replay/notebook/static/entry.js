// How a page starts a widget: anywidget calls render with a live model, a saved page calls start with its data.

const WIDGETS = {
  explorer,
  crashlab: crashLabWidget,
  diff: attemptDiffWidget,
};

async function render({ model, el: root }) {
  const place = el("div", { class: "er-place-holder" });
  root.append(place);
  const page = await unpack(model.get("packed"));
  const memory = {
    load: () => model.get("position"),
    save: (position) => { model.set("position", position); model.save_changes(); },
  };
  const source = liveSource(model, page.saved);
  const close = WIDGETS[model.get("kind")](place, page.data, source, memory);
  return () => { close(); source.close(); };
}

async function start(root, kind, packed, css) {
  const page = await unpack(packed);
  let position = null;
  const memory = { load: () => position, save: (next) => { position = next; } };
  const place = el("div", {});
  root.replaceChildren(el("style", {}, css), place);
  WIDGETS[kind](place, page.data, savedSource(page.saved), memory);
}
