// Durable writes as points. The file calls with which the local world commits something below `root` are wrapped: rename
// or link onto a final name, unlink of a final name, mkdir and rmdir of a lock folder (docs/evidence/sweep.md#writes).
// The process can die right before or right after one of them. Labels hold no minted ids.
import fs from "node:fs"; import path from "node:path"; import { syncBuiltinESMExports } from "node:module"; import { isMainThread } from "node:worker_threads";
import { count, die, hits, line, settings, uncount } from "./acts.mjs";
const ROOT = settings.root;
const orig = { renameSync: fs.renameSync, linkSync: fs.linkSync, unlinkSync: fs.unlinkSync };
if (ROOT && isMainThread) {
  const pending = new Map(); // temporary path -> content
  const runs = new Map(), steps = new Map(), stepCount = new Map(), hooks = new Map(), waits = new Map();
  const RUN = { workflowEntry: "E", sessionTimeoutWorkflow: "T", workflowToolRunWorkflow: "W" };
  const json = (s) => { try { return JSON.parse(s); } catch { return null; } };
  const runAlias = (id, wf) => { if (!runs.has(id)) { const base = RUN[wf?.split("//").at(-1)] ?? (wf ? wf.split("//").at(-1) : null); if (!base) return "?" + id.slice(-4); const same = [...runs.values()].filter((v) => v.replace(/\d+$/, "") === base).length; runs.set(id, same ? base + (same + 1) : base); } return runs.get(id); };
  const counted = (map, n, id, run, base) => { if (!map.has(id)) { const key = run + "/" + base, c = (n.get(key) ?? 0) + 1; n.set(key, c); map.set(id, `${base}#${c}`); } return map.get(id); };
  // A warm world has runs already: they get their names before the first label.
  try { for (const r of fs.readdirSync(path.join(ROOT, "runs")).filter((f) => f.endsWith(".json")).map((f) => json(fs.readFileSync(path.join(ROOT, "runs", f), "utf8"))).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))) runAlias(r.runId, r.workflowName); } catch { /* a new world */ }
  const stepAlias = (run, id, name) => counted(steps, stepCount, run + id, run, name ? name.split("//").at(-1) : "?");
  const hookAlias = (id) => { if (!hooks.has(id)) hooks.set(id, `hook#${hooks.size + 1}`); return hooks.get(id); };
  const alias = (map, id, base) => { if (!map.has(id)) map.set(id, `${base}#${map.size + 1}`); return map.get(id); };
  function chunkTypes(buf) { // the event types in one chunk of eve's session stream
    try {
      if (buf[0] === 1) return "[end]";
      const doc = JSON.parse(Buffer.from(buf.subarray(9)).toString("utf8"));
      const out = [];
      for (const v of doc) if (typeof v === "string" && v.length > 8) { const t = Buffer.from(v, "base64").toString("utf8"); for (const l of t.split("\n")) { const e = json(l); if (e?.type) out.push(e.type + (e.data?.stepIndex !== undefined ? `(${e.data.stepIndex})` : "") + (e.data?.result?.callId ? " result" : "")); } }
      return "[" + (out.length ? out.join(",") : "?") + "]";
    } catch { return "[undecoded]"; }
  }
  function label(op, rel, content) {
    const p = rel.split("/"), text = content === undefined ? "" : Buffer.isBuffer(content) || content instanceof Uint8Array ? Buffer.from(content).toString("utf8") : String(content), d = json(text) ?? {};
    if (p[0] === "events") { const run = runAlias(p[1], d.eventData?.workflowName?.startsWith("workflow//") ? d.eventData.workflowName : undefined), id = d.correlationId ?? "";
      const what = d.eventType?.startsWith("step_") ? stepAlias(p[1], id, d.eventData?.stepName) : d.eventType?.startsWith("hook_") ? hookAlias(id) : d.eventType?.startsWith("wait_") ? alias(waits, p[1] + id, "wait") : ""; return `${run} event ${d.eventType} ${what}`.trim(); }
    if (p[0] === "steps") { const id = d.stepId ?? ""; return `${runAlias(p[1])} step ${stepAlias(p[1], id, d.stepName)} ${d.status}:${d.attempt}`; }
    if (p[0] === "runs") return `${runAlias(p[1].replace(".json", ""), d.workflowName)} run ${d.status}`;
    if (p[0] === "waits") { const [run, w] = p[1].replace(".json", "").split("-"); return `${runAlias(run)} wait ${alias(waits, run + w, "wait")} ${op === "unlink" ? "removed" : d.status}`; }
    if (p[0] === "streams" && p[1] === "chunks") { const run = "wrun_" + p[2].replace(/^strm_/, "").split("_")[0]; return `${runAlias(run)} chunk ${p[2].split("_").slice(2, 4).join("_")} ${chunkTypes(Buffer.from(content ?? []))}`; }
    if (p[0] === "streams") return `${runAlias(p[2].replace(".json", ""))} stream-index ${(d.streams ?? []).length}`;
    if (p[0] === ".locks") { const f = p.at(-1), run = f.match(/wrun_[0-9A-Z]{26}/)?.[0] ?? p.find((x) => x.startsWith("wrun_")) ?? "";
      if (p[1] === "steps") { const id = f.match(/step_[0-9A-Z]{26}/)?.[0]; const st = steps.get(run + id); return `${runAlias(run)} lock step ${st ?? "new"} ${f.split(".").slice(1).join(".")}`; }
      if (p[1] === "waits") return `${runAlias(run)} lock wait ${alias(waits, run + f.match(/wait_[0-9A-Z]{26}/)?.[0], "wait")} ${f.split(".").slice(1).join(".")}`;
      if (p[1] === "hooks") return `lock hook ${hookAlias(f.split(".")[0])} ${f.split(".").slice(1).join(".")}`;
      if (p[1] === "runs") return `${runAlias(run)} lock run ${rel.includes(".pending") ? "pending" : f.split(".").slice(1).join(".")}`;
      return `lock ${p[1]}`; }
    if (p[0] === "hooks") { if (p.length === 2 && p[1].startsWith("hook_")) return `hook ${hookAlias(p[1].replace(".json", ""))}`; if (p[1] === "by-run") return `hook-by-run ${hookAlias(p[2].match(/hook_[0-9A-Z]{26}/)?.[0] ?? p[2])}`;
      return `hook-${p[1]}`; }
    return rel;
  }
  const rel = (p) => { if (typeof p !== "string") return null; const a = path.resolve(p); return a.startsWith(ROOT + "/") ? a.slice(ROOT.length + 1) : null; };
  const isTmp = (r) => /\.tmp\.[0-9A-Z]{26}$/.test(r);
  /** The point: true when the process is to die after the operation. */
  function point(op, r, content) {
    const l = (op === "unlink" || op === "rmdir" || op === "mkdir" ? op + " " : "") + label(op, r, content), k = count(l), hit = hits(l, k);
    line({ write: l, k, ...(hit === "before" ? { kill: hit } : {}) });
    if (hit === "before") die();
    return hit === "after" ? l : null;
  }
  const dead = (l) => { line({ written: l, kill: "after" }); die(); };
  const P = fs.promises, wrap = (o, name, f) => { const real = o[name]; o[name] = function (...a) { return f.call(this, real.bind(this), ...a); }; };
  wrap(P, "writeFile", (real, p, data, ...r) => { const q = rel(p); if (q === null) return real(p, data, ...r); if (isTmp(q)) { pending.set(path.resolve(p), data); return real(p, data, ...r); } const hit = point("write", q, data); const x = real(p, data, ...r); return hit ? x.then(() => dead(hit)) : x; });
  wrap(P, "rename", (real, a, b) => { const q = rel(b); if (q === null || isTmp(q)) return real(a, b); const c = pending.get(path.resolve(a)); pending.delete(path.resolve(a)); const hit = point("rename", q, c); if (hit) { orig.renameSync.call(fs, a, b); dead(hit); } return real(a, b); });
  wrap(P, "link", (real, a, b) => { const q = rel(b); if (q === null || isTmp(q)) return real(a, b); const c = pending.get(path.resolve(a)) ?? (() => { try { return fs.readFileSync(a); } catch { return undefined; } })(); if (fs.existsSync(b)) return real(a, b); /* the name (an event slot, a lock) is taken: no commit, the world goes on with the next slot */
    const hit = point("link", q, c); if (hit) { try { orig.linkSync.call(fs, a, b); } catch (e) { uncount(hit); return Promise.reject(e); } dead(hit); } return real(a, b); });
  wrap(P, "unlink", (real, a) => { const q = rel(a); if (q === null || isTmp(q)) { pending.delete(path.resolve(a)); return real(a); } if (!fs.existsSync(a)) return real(a); const hit = point("unlink", q); if (hit) { orig.unlinkSync.call(fs, a); dead(hit); } return real(a); });
  wrap(P, "rm", (real, a, ...r) => { const q = rel(a); if (q !== null && fs.existsSync(a)) { const hit = point("rm", q); if (hit) { fs.rmSync(a, { recursive: true, force: true }); dead(hit); } } return real(a, ...r); });
  for (const name of ["mkdir", "rmdir"]) wrap(fs, name, (real, a, ...r) => { const q = rel(a); if (q === null || !q.endsWith(".lock")) return real(a, ...r); const hit = point(name, q); if (hit) { fs[name + "Sync"](a); dead(hit); } return real(a, ...r); });
  syncBuiltinESMExports();
}
