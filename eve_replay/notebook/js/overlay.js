// Diff, why and crash lab, drawn over the explorer.

import { el, toned, part } from "./base.js";
import { crashLab } from "./crashlab.js";
import { attemptDiff } from "./diff.js";
import { stepOf } from "./keys.js";

export function overlayIn(shell, source, words, done) {
  const box = el("div", { class: "er-overlay", hidden: true, role: "dialog", "aria-modal": "true" });
  shell.append(box);
  const close = () => {
    if (!box.hidden) {
      box.hidden = true;
      box.replaceChildren();
      done();
    }
  };
  const open = (title, ...children) => {
    box.hidden = false;
    box.replaceChildren(
      el(
        "div",
        { class: "er-overhead" },
        el("b", {}, title),
        el("button", { type: "button", onclick: close, "aria-label": "Close" }, "Close"),
      ),
      ...children,
    );
    part(box, "button").focus();
  };
  const fail = (error) => open("Not shown", el("div", { class: "er-empty er-t-warning" }, error.message));
  return {
    close,
    isOpen: () => !box.hidden,
    diff(key) {
      return source
        .ask({ do: "diff", key: stepOf(key) }) // a turn or the session: Python finds its repeated step
        .then((view) => open("Attempts compared", attemptDiff(view, words)), fail);
    },
    why() {
      return source.ask({ do: "why" }).then(
        (lines) =>
          open(
            "Why",
            el(
              "pre",
              { class: "er-why" },
              lines.map((line) =>
                el(
                  "div",
                  {},
                  line.map(([text, tone]) => toned(tone, text)),
                ),
              ),
            ),
          ),
        fail,
      );
    },
    crash(stop, focus) {
      // The moment decides the point; a row without moments of its own still names its turn.
      return source
        .ask({ do: "lab", key: stop && stop.path.includes(focus) ? stop.key : focus })
        .then((lab) => {
          const place = el("div", {});
          open("Crash lab", place);
          crashLab(place, lab, source, words, { load: () => ({ index: lab.index }), save: () => {} });
          part(place, ".er-lab").focus({ preventScroll: true });
          box.scrollTop = 0;
        }, fail);
    },
  };
}
