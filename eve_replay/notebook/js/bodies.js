// What a tab of the inspector shows, by its name.

import { el, signed, timeNode, toned } from "./base.js";
import { duration, shortId } from "./words.js";

/** A piece of text that goes to a key of the session; the inspector listens for the clicks. */
const link = (key, text) =>
  el(
    "button",
    { type: "button", class: "er-link", "data-go": key, title: `Go to ${shortId(key.split("/").pop())}` },
    text,
  );

function tableOf(columns, rows) {
  return el(
    "table",
    { class: "er-table" },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        columns.map(([title]) => el("th", { scope: "col" }, title)),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map((row) =>
        el(
          "tr",
          { class: row.repeat ? "er-repeat" : "" },
          columns.map(([, draw]) => el("td", {}, draw(row))),
        ),
      ),
    ),
  );
}

/** Rows of a structural diff (views/diff.py). */
export function diffRows(view) {
  const pieces = (list) =>
    list.map((piece) =>
      el(piece.kind === "added" ? "ins" : piece.kind === "removed" ? "del" : "span", {}, piece.text),
    );
  if (view.same) return el("div", { class: "er-empty" }, "Nothing differs.");
  return el(
    "div",
    { class: "er-diff" },
    el("div", { class: "er-note" }, view.summary),
    view.rows.map((row) =>
      el(
        "div",
        {
          class: `er-drow er-d-${row.kind}`,
          style: { paddingLeft: `${8 + row.depth * 14}px` },
          title: row.path,
        },
        el("span", { class: "er-dsign" }, row.sign || "·"),
        row.label ? el("span", { class: "er-vkey" }, `${row.label}: `) : null,
        row.pieces && row.pieces.length
          ? pieces(row.pieces)
          : [
              row.before && row.before !== row.after ? el("del", {}, row.before) : null,
              row.before && row.after && row.before !== row.after ? " → " : null,
              row.after ? (row.kind === "same" ? toned("muted", row.after) : el("ins", {}, row.after)) : null,
            ],
        row.movedFrom ? toned("muted", ` from ${row.movedFrom}`) : null,
        row.count > 1 ? toned("muted", ` ${row.count} equal`) : null,
        row.note ? toned("muted", ` ${row.note}`) : null,
      ),
    ),
    view.truncated ? el("div", { class: "er-note" }, `${view.truncated} more rows are not shown.`) : null,
  );
}

const parts = (list) =>
  list.map((part) =>
    el(
      "div",
      { class: `er-part er-t-${part.tone}` },
      part.kind !== "text"
        ? el(
            "span",
            { class: "er-pkind", title: part.callId },
            [part.kind, part.name].filter(Boolean).join(" "),
            " ",
          )
        : null,
      part.text,
      part.cut ? toned("muted", ` … ${part.cut} more characters`) : null,
    ),
  );
const messageRows = (rows) =>
  el(
    "div",
    {},
    rows.map((row) =>
      el(
        "div",
        { class: `er-message${row.added ? " er-added" : ""}` },
        el(
          "div",
          { class: "er-mrole" },
          `${row.index} ${row.role}`,
          row.kind && row.kind !== row.role ? ` (${row.kind})` : "",
          row.added ? el("div", { class: "er-t-once" }, "✓ added here") : null,
        ),
        el(
          "div",
          { class: "er-mtext" },
          parts(row.parts),
          row.problem ? toned("warning", row.problem) : null,
        ),
      ),
    ),
  );

/** The state around a step: what is stored, what is rebuilt, what changed, and whether it is what came before. */
export function stateBody(view, words) {
  const [before, after] = view.history;
  const count =
    before === null
      ? after === null
        ? ""
        : `${after} messages after it`
      : after === null
        ? `${before} messages before it`
        : `${before} messages before, ${after} after`;
  const table = (origin) =>
    tableOf(
      [
        ["part", (r) => el("span", { class: "er-vkey" }, r.path)],
        ["what it is", (r) => [r.what, r.note ? el("div", { class: "er-t-muted" }, r.note) : null]],
        [
          "",
          (r) =>
            r.changed
              ? signed(words, "again", "changed")
              : r.origin === "rebuilt"
                ? toned("muted", "rebuilt")
                : r.present
                  ? "same"
                  : toned("muted", "absent"),
        ],
        ["now", (r) => el("span", { class: `er-code er-t-${r.tone}` }, r.text)],
      ],
      view.parts.filter((part) => part.origin === origin),
    );
  return el(
    "div",
    {},
    view.note ? el("div", { class: "er-note" }, view.note) : null,
    count ? el("div", { class: "er-note" }, count) : null,
    el("h4", { class: "er-h" }, "Stored with the session"),
    table("checkpoint"),
    view.law.length
      ? [
          el("h4", { class: "er-h" }, "Not what the step before left"),
          tableOf(
            [
              ["part", (r) => r.path],
              ["left", (r) => r.left],
              ["got", (r) => r.got],
              ["", (r) => (r.expected ? toned("muted", "expected") : signed(words, "warning", "unexpected"))],
              ["why", (r) => r.why],
            ],
            view.law,
          ),
        ]
      : null,
    view.messages.length ? [el("h4", { class: "er-h" }, "Messages added"), messageRows(view.messages)] : null,
    el("h4", { class: "er-h" }, "Rebuilt from the code of the day"),
    table("rebuilt"),
  );
}

export const BODIES = {
  messages: messageRows,
  events: (rows) =>
    tableOf(
      [
        ["slot", (r) => r.slot ?? ""],
        ["event", (r) => link(`event:${r.runId}/${r.eventId}`, r.eventType)],
        ["about", (r) => r.about || shortId(r.correlationId || "")],
        ["time", (r) => [timeNode(r.at), r.back ? toned("warning", " runs back") : null]],
        ["id", (r) => el("span", { title: r.eventId }, shortId(r.eventId))],
      ],
      rows,
    ),
  stream: (rows) =>
    tableOf(
      [
        ["#", (r) => r.position],
        ["event", (r) => link(r.key, r.type)],
        ["what", (r) => r.text],
        ["place", (r) => r.place],
        ["time", (r) => timeNode(r.at)],
        [
          "id",
          (r) => el("span", { title: `${r.chunkId}\n${r.metaId || ""}` }, shortId(r.metaId || r.chunkId)),
        ],
      ],
      rows,
    ),
  attempts: (rows, words) =>
    el(
      "div",
      {},
      rows.map((r) =>
        el(
          "section",
          { class: "er-card" },
          el(
            "div",
            {},
            link(r.key, `attempt ${r.n}`),
            " ",
            signed(words, r.tone, r.outcome),
            timeNode(r.startedAt),
            " to ",
            r.endedAt ? timeNode(r.endedAt) : [toned("muted", "last sign "), timeNode(r.lastSignAt)],
            r.seconds === null ? null : `, ${duration(r.seconds * 1000)}`,
            r.tokensIn || r.tokensOut ? `, ${r.tokensIn ?? 0} + ${r.tokensOut ?? 0} tokens` : null,
            toned("muted", `, ${r.certainty}`),
          ),
          r.calls.map((c) =>
            el(
              "div",
              { class: "er-cardline" },
              link(c.key, c.name),
              " ",
              signed(words, c.tone, c.status),
              c.remark ? signed(words, c.remarkTone, c.remark) : null,
              toned("muted", c.result),
            ),
          ),
          r.error ? el("div", { class: "er-cardline er-t-error" }, r.error) : null,
          r.why ? el("div", { class: "er-cardline er-t-muted" }, r.why) : null,
        ),
      ),
    ),
  effects: (rows, words) =>
    el(
      "div",
      {},
      rows.map((r) =>
        el(
          "section",
          { class: "er-card" },
          el(
            "div",
            {},
            link(r.key, r.tool),
            " ",
            signed(words, r.tone, r.word),
            toned("muted", [r.place, r.certainty].filter(Boolean).join(", ")),
          ),
          el("div", { class: "er-cardline" }, toned("muted", "call "), r.callIds.join(", ")),
          el(
            "div",
            { class: "er-cardline" },
            toned("muted", "protection "),
            r.protection,
            toned("muted", ` (${r.protectionSource})`),
            r.idempotencyKey ? [toned("muted", ", key "), r.idempotencyKey] : null,
          ),
          r.parts.map((p) =>
            el(
              "div",
              { class: "er-cardline" },
              link(p.key, `attempt ${p.attempt}`),
              " ",
              signed(words, p.tone, p.word),
              toned("muted", [p.result, p.why].filter(Boolean).join(", ")),
            ),
          ),
        ),
      ),
    ),
  raw: (rows) =>
    el(
      "div",
      {},
      rows.map((row) =>
        el(
          "details",
          { class: "er-raw", open: true },
          el("summary", {}, `${row.name} `, toned("muted", row.summary)),
          row.where ? el("div", { class: "er-note" }, row.where) : null,
          row.problems.map((each) => el("div", { class: "er-note er-t-warning" }, each)),
          row.rows.length
            ? el(
                "pre",
                {},
                row.rows
                  .map(
                    (line) =>
                      `${line.offset.toString(16).padStart(6, "0")}  ${line.hexa.padEnd(49)}  ${line.text}`,
                  )
                  .join("\n"),
              )
            : null,
          row.more ? el("div", { class: "er-note" }, `${row.more} more bytes after these.`) : null,
        ),
      ),
    ),
  evidence: (rows) =>
    tableOf(
      [
        ["about", (r) => r.about],
        ["known", (r) => r.certainty],
        ["by", (r) => r.kind],
        ["id", (r) => (r.key ? link(r.key, r.short) : el("span", { title: r.id }, r.short))],
        ["", (r) => toned("muted", r.note || r.path)],
      ],
      rows,
    ),
};

/** Draw what nobody wrote a table for: names and values, so that a new body is shown plainly and not lost. */
export function plainBody(value) {
  if (Array.isArray(value))
    return value.length ? el("div", {}, value.map(plainBody)) : el("div", { class: "er-empty" }, "Nothing.");
  if (value && typeof value === "object")
    return el(
      "dl",
      { class: "er-dl" },
      Object.entries(value)
        .filter(([, v]) => v !== null && v !== "" && !(Array.isArray(v) && !v.length))
        .map(([k, v]) => [el("dt", {}, k), el("dd", {}, typeof v === "object" ? plainBody(v) : String(v))]),
    );
  return el("div", {}, String(value ?? ""));
}
