// The vendor's serializer, of the version that CORE names (its serialization.js), on stdin or on values of its own.
//   decode.mjs read            base64 lines on stdin -> {v: canonical} or {e: message} per line
//   decode.mjs write           {name, data} per value that it writes, {name, e} where it refuses
import fs from "node:fs"; import { pathToFileURL } from "node:url";
import { canon, tagRevivers } from "../support/canon.mjs";
const ser = await import(pathToFileURL(process.env.CORE).href);
const RUN = "wrun_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const bytes = (v) => (v instanceof Uint8Array ? v : new TextEncoder().encode(JSON.stringify(v)));
/** Signatures differ by version: before 4.1 there is neither run id nor key. */
async function read(raw) {
  // The first versions have no prefix: what they keep is a devalue document as it is.
  const data = /^[a-z]{4}/.test(Buffer.from(raw.subarray(0, 4)).toString("latin1")) ? raw : JSON.parse(Buffer.from(raw).toString());
  const tries = [[data, RUN, undefined, globalThis, tagRevivers()], [data, [], RUN, globalThis, tagRevivers()], [data, globalThis, tagRevivers()]];
  let first;
  for (const args of tries) {
    try { return canon(await ser.hydrateStepReturnValue(...args)); } catch (e) { first ??= e; }
  }
  throw first;
}
async function write(value) {
  const tries = [[value, RUN, undefined, [], globalThis, false, false, false], [value, [], RUN, globalThis], [value, globalThis, [], RUN]];
  let first;
  for (const args of tries) {
    try { return await ser.dehydrateStepReturnValue(...args); } catch (e) { first ??= e; }
  }
  throw first;
}
const out = [];
if (process.argv[2] === "read") {
  for (const line of fs.readFileSync(0, "utf8").trim().split("\n").filter(Boolean)) {
    try { out.push({ v: await read(new Uint8Array(Buffer.from(line, "base64"))) }); } catch (e) { out.push({ e: String(e.message).slice(0, 200) }); }
  }
} else {
  const cyclic = { name: "loop" }; cyclic.self = cyclic;
  const shared = { a: 1 };
  const error = new TypeError("bad", { cause: new Error("inner") }); error.code = "E_BAD";
  const sub = new Uint8Array([9, 1, 2, 9]).subarray(1, 3);
  const values = {
    null: null, undefined: undefined, text: "漢字 🙂 \u2028", numbers: [0, -0, 1.5, NaN, Infinity, -Infinity, 2 ** 53], bool: [true, false],
    bigint: [5n, -(2n ** 70n)], date: new Date(0), baddate: new Date(NaN), regexp: /a+\/b/giu, url: new URL("https://example.test/?x=1#y"),
    params: new URLSearchParams("a=1&a=2"), headers: new Headers({ "x-a": "1" }), set: new Set([1, "a", new Set([2])]), map: new Map([["k", new Map([[1, { a: 1 }]])]]),
    sparse: [1, , 3], holes: new Array(5), cyclic, shared: [shared, shared], nested: { a: [{ b: [[], {}] }] }, keys: { "": 1, "a b": 2, constructor: 3 },
    nullproto: Object.assign(Object.create(null), { a: 1 }), error, plainError: new Error("x"), aggregate: new AggregateError([new Error("one")], "many"),
    dom: new DOMException("gone", "AbortError"), bytes: new Uint8Array([1, 2, 255]), sub, buffer: new Uint8Array([1, 2]).buffer, floats: new Float64Array([1.5, NaN]),
    ints: new Int16Array([-1, 1]), bigs: new BigInt64Array([1n]), clamped: new Uint8ClampedArray([1]), view: new DataView(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2),
    boxed: [Object(1), Object("x"), Object(true)], long: "x".repeat(4000), request: new Request("https://example.test/", { method: "POST" }), response: new Response(null, { status: 204 }),
  };
  for (const [name, value] of Object.entries(values)) {
    try { out.push({ name, data: Buffer.from(bytes(await write(value))).toString("base64") }); } catch (e) { out.push({ name, e: String(e.message).slice(0, 160) }); }
  }
}
const text = Buffer.from(out.map((x) => JSON.stringify(x)).join("\n") + "\n");
for (let at = 0; at < text.length;) { try { at += fs.writeSync(1, text, at); } catch (e) { if (e.code !== "EAGAIN") throw e; } }
process.exit(0);
