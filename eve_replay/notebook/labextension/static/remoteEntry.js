// A notebook that JupyterLab saved holds our widgets twice: as a model that died with its kernel, and as HTML that
// needs nothing. JupyterLab takes the first and says "model not found"; this puts the second in its place.
// It is what a bundler would make of one plugin without imports, written by hand, so nobody has to build it.
(() => {
  const DEAD = "Error displaying widget: model not found";

  /** The saved HTML of the output that a node belongs to; only of a notebook that is trusted to run scripts. */
  function savedFor(app, node) {
    for (const panel of app.shell.widgets("main")) {
      if (!panel.node.contains(node)) continue;
      for (const cell of panel.content?.widgets ?? []) {
        const area = cell.outputArea;
        if (!area?.node.contains(node)) continue;
        const index = area.widgets.findIndex((each) => each.node.contains(node));
        const output = index < 0 ? null : area.model.get(index);
        const html = output?.trusted ? output.data["text/html"] : null;
        const text = Array.isArray(html) ? html.join("") : html;
        return typeof text === "string" && text.includes('class="er-saved"') ? text : null;
      }
    }
    return null;
  }

  /** Scripts that come in as HTML do not run; new elements of the same text do. */
  function put(node, html) {
    node.innerHTML = html;
    for (const old of node.querySelectorAll("script")) {
      const script = document.createElement("script");
      script.type = old.type;
      script.textContent = old.textContent;
      old.replaceWith(script);
    }
  }

  /** Put code into the empty cell after the widget's, or into a new one there. Returns whether it could. */
  function toNextCell(app, node, code) {
    for (const panel of app.shell.widgets("main")) {
      const book = panel.content;
      if (!panel.node.contains(node) || !book?.model?.sharedModel?.insertCell) continue;
      const at = book.widgets.findIndex((cell) => cell.node.contains(node));
      if (at < 0) return false;
      const next = book.widgets[at + 1]?.model;
      const free = next && next.type === "code" && !next.sharedModel.getSource().trim();
      if (free) next.sharedModel.setSource(code);
      else book.model.sharedModel.insertCell(at + 1, { cell_type: "code", source: code, metadata: {} });
      book.activeCellIndex = at + 1;
      return true;
    }
    return false;
  }

  const plugin = {
    id: "eve-replay:saved",
    description: "Shows the saved form of a widget whose kernel is gone.",
    autoStart: true,
    activate(app) {
      document.addEventListener("eve-replay:cell", (event) => {
        event.detail.done = toNextCell(app, event.target, event.detail.code);
      });
      const look = (node) => {
        if (node.textContent !== DEAD) return;
        const html = savedFor(app, node);
        if (html) put(node, html);
      };
      new MutationObserver((changes) => {
        for (const { target } of changes)
          if (target instanceof HTMLElement && target.classList.contains("jp-OutputArea-output")) look(target);
          else if (target instanceof HTMLElement && target.textContent === DEAD) look(target);
      }).observe(document.body, { childList: true, subtree: true });
    },
  };
  const home = (window._JUPYTERLAB = window._JUPYTERLAB || {});
  home["eve-replay"] = { init() {}, get: async () => () => ({ __esModule: true, default: plugin }) };
})();
