// Canonical tagged JSON (docs/formats/tagged-json.md), as the program has it that made every oracle.json of the corpus.
// Copied from there unchanged, apart from these two lines.

/** A value that the decoder must show but not bring to life (streams, signals, step references, errors ...). */
export class Tagged {
  constructor(type, fields) { this.type = type; this.fields = fields; }
}

const isIdent = (k) => /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(k);
const join = (path, k) => (isIdent(k) ? `${path}.${k}` : `${path}[${JSON.stringify(k)}]`);
const b64 = (u8) => Buffer.from(u8.buffer, u8.byteOffset, u8.byteLength).toString("base64");
const TYPED = ["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Float16Array", "Int32Array", "Uint32Array",
  "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"];
const tagOf = (v) => Object.prototype.toString.call(v).slice(8, -1);

function num(n) {
  if (Number.isNaN(n)) return { $type: "number", value: "NaN" };
  if (n === Infinity) return { $type: "number", value: "Infinity" };
  if (n === -Infinity) return { $type: "number", value: "-Infinity" };
  if (Object.is(n, -0)) return { $type: "number", value: "-0" };
  return n;
}

/** stack: Map from object on the current path to its path, so that only real cycles (not shared values) are cut. */
export function canon(v, path = "$", stack = new Map()) {
  switch (typeof v) {
    case "undefined": return { $type: "undefined" };
    case "number": return num(v);
    case "bigint": return { $type: "BigInt", value: String(v) };
    case "string": case "boolean": return v;
    case "symbol": return { $type: "symbol", value: String(v) };
    case "function": return { $type: "function", name: v.name || "" };
  }
  if (v === null) return null;
  if (stack.has(v)) return { $type: "cycle", path: stack.get(v) };
  stack.set(v, path);
  try { return canonObject(v, path, stack); } finally { stack.delete(v); }
}

// Set a key as an own data property even when it is __proto__.
const put = (o, k, val) => Object.defineProperty(o, k, { value: val, enumerable: true, writable: true, configurable: true });

function fieldsOf(obj, path, stack, out) {
  for (const k of Object.keys(obj)) if (obj[k] !== undefined) put(out, k, canon(obj[k], join(path, k), stack));
  return out;
}

function canonObject(v, path, stack) {
  const c = (x, p) => canon(x, p, stack);
  if (v instanceof Tagged) return fieldsOf(v.fields, path, stack, { $type: v.type });
  if (Array.isArray(v)) {
    // Very long sparse arrays would explode: they are written as {length, entries}.
    const keys = Object.keys(v);
    if (v.length > 4096 && keys.length < v.length / 4) {
      return { $type: "SparseArray", length: v.length, entries: keys.map((k) => [Number(k), c(v[k], `${path}[${k}]`)]) };
    }
    const out = new Array(v.length);
    for (let i = 0; i < v.length; i++) out[i] = Object.hasOwn(v, i) ? c(v[i], `${path}[${i}]`) : { $type: "hole" };
    return out;
  }
  const tag = tagOf(v);
  if (tag === "Date") return { $type: "Date", value: Number.isNaN(v.getTime()) ? null : v.toISOString() };
  if (v instanceof Map) return { $type: "Map", entries: [...v].map(([k, x], i) => [c(k, `${path}.entries[${i}][0]`), c(x, `${path}.entries[${i}][1]`)]) };
  if (v instanceof Set) return { $type: "Set", values: [...v].map((x, i) => c(x, `${path}.values[${i}]`)) };
  if (tag === "RegExp") return { $type: "RegExp", source: v.source, flags: v.flags };
  if (v instanceof URL) return { $type: "URL", value: v.href };
  if (v instanceof URLSearchParams) return { $type: "URLSearchParams", value: v.toString() };
  if (v instanceof Headers) return { $type: "Headers", entries: [...v] };
  if (v instanceof ArrayBuffer) return { $type: "ArrayBuffer", base64: b64(new Uint8Array(v)) };
  if (v instanceof DataView) return { $type: "DataView", base64: b64(new Uint8Array(v.buffer, v.byteOffset, v.byteLength)) };
  if (ArrayBuffer.isView(v) && TYPED.includes(tag)) return { $type: tag, base64: b64(new Uint8Array(v.buffer, v.byteOffset, v.byteLength)) };
  if (v instanceof Number || v instanceof String || v instanceof Boolean || tag === "BigInt") return { $type: "Boxed", value: c(v.valueOf(), `${path}.value`) };
  if (v instanceof Error) { // only for values that were never in a journal payload
    const out = { $type: "Error", name: v.name, message: v.message };
    if (v.cause !== undefined) out.cause = c(v.cause, `${path}.cause`);
    return out;
  }
  if (v && v[Symbol.toStringTag]?.startsWith?.("Temporal.")) return { $type: v[Symbol.toStringTag], value: v.toString() };
  if (Object.hasOwn(v, "$type")) return { $type: "object", entries: Object.keys(v).map((k, i) => [k, c(v[k], `${path}.entries[${i}][1]`)]) };
  const out = {};
  for (const k of Object.keys(v)) put(out, k, c(v[k], join(path, k)));
  return out;
}

/** Revivers that keep live things as data. Everything else is revived by the vendor's own common revivers. */
export function tagRevivers() {
  const err = (type) => (p) => new Tagged("Error", { name: p.name ?? type, ...(type !== "Error" ? { kind: type } : {}), message: p.message, ...p });
  const t = (type) => (p) => new Tagged(type, p);
  const r = {};
  for (const k of ["Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "AggregateError", "DOMException",
    "FatalError", "RetryableError", "HookConflictError", "HookForceClaimedError", "RuntimeDecryptionError", "StreamError"]) r[k] = err(k);
  for (const k of ["ReadableStream", "WritableStream", "AbortSignal", "AbortController", "StepFunction", "WorkflowFunction", "Class", "Instance",
    "Request", "Response"]) r[k] = t(k);
  // The vendor's Date reviver turns "." into an invalid date by itself; nothing to do here.
  return r;
}
