// The vendor's decoder on many payloads: base64 lines on stdin; one line of JSON each, {v: canonical} or {e: message}.
import fs from "node:fs"; import path from "node:path"; import { pathToFileURL } from "node:url";
import { canon, tagRevivers } from "./canon.mjs";
const core = path.join(process.env.EVE_PACKAGE, "dist/src/compiled/@workflow/core/serialization.js");
const { hydrateStepReturnValue } = await import(pathToFileURL(core).href);
const out = [];
for (const line of fs.readFileSync(0, "utf8").trim().split("\n")) {
  try {
    const bytes = new Uint8Array(Buffer.from(line, "base64"));
    const value = await hydrateStepReturnValue(bytes, "wrun_x", undefined, globalThis, tagRevivers());
    out.push(JSON.stringify({ v: canon(value) }));
  } catch (error) { out.push(JSON.stringify({ e: String(error.message).slice(0, 200) })); }
}
const text = Buffer.from(out.join("\n"));
for (let at = 0; at < text.length;) { // a pipe takes only part of a big write, and may say EAGAIN
  try { at += fs.writeSync(1, text, at); } catch (error) { if (error.code !== "EAGAIN") throw error; }
}
