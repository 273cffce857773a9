// How a page starts a widget: anywidget calls render with a live model, a saved page calls start with its data.

const WIDGETS = {
  explorer,
  crashlab: (root, data, source, memory) => crashLab(root, data, source, data.words, memory),
  diff: attemptDiffWidget,
};

function fitStyles(root, css) {
  if (css) root.append(el("style", {}, css));
}

function render({ model, el: root }) {
  const place = el("div", { class: "er-place-holder" });
  root.append(place);
  const memory = {
    load: () => model.get("position"),
    save: (position) => { model.set("position", position); model.save_changes(); },
  };
  return WIDGETS[model.get("kind")](place, model.get("data"), liveSource(model), memory);
}

function start(root, kind, data, saved, css) {
  fitStyles(root, css);
  const place = el("div", {});
  root.append(place);
  let position = null;
  return WIDGETS[kind](place, data, savedSource(saved), { load: () => position, save: (next) => { position = next; } });
}
