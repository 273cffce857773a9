// The vendor's own reader, for comparison: EVE_PACKAGE=<installed eve> node vendor.mjs list|steps <data folder>
// Prints one JSON line {import, work, count}: seconds since the start of the process, and inside.
import path from "node:path"; import { pathToFileURL } from "node:url";
const [what, dataDir] = process.argv.slice(2);
const from = (...p) => pathToFileURL(path.join(process.env.EVE_PACKAGE, "dist/src/compiled/@workflow", ...p)).href;
const { createWorld } = await import(from("world-local", "index.js"));
const core = what === "steps" ? await import(from("core", "serialization.js")) : null;
const imported = process.uptime();
const world = createWorld({ dataDir, recoverActiveRuns: false });
async function all(list, args) {
  const out = []; let cursor;
  for (;;) {
    const page = await list({ ...args, pagination: { limit: 1000, sortOrder: "asc", ...(cursor ? { cursor } : {}) } });
    out.push(...page.data);
    if (!page.hasMore || !page.cursor) return out;
    cursor = page.cursor;
  }
}
const runs = await all((a) => world.runs.list(a), { resolveData: "all" });
let count = runs.length;
if (what === "steps") {
  count = 0;
  for (const run of runs)
    for (const step of await all((a) => world.steps.list(a), { runId: run.runId, resolveData: "all" }))
      for (const payload of [step.input, step.output])
        if (payload) { await core.hydrateStepReturnValue(payload, run.runId, undefined, globalThis, {}); count++; }
}
console.log(JSON.stringify({ import: imported, work: process.uptime() - imported, count }));
process.exit(0);
