// What the sealed process does outside, one JSON line each; and the moment at which it dies.
//   CRASHTEST  JSON: {broker, self, allow, log, kill: {when, k, label}, script, door, variant, generation, root, ledgers, hold}
// A line is written with a synchronous append before anything happens, so it survives SIGKILL.
import fs from "node:fs";
import { AsyncLocalStorage } from "node:async_hooks";
import { isMainThread } from "node:worker_threads";

export const settings = JSON.parse(process.env.CRASHTEST ?? "{}");
export const [brokerHost, brokerPort] = (settings.broker ?? "127.0.0.1:9").split(":");
export const self = Number(settings.self ?? 0);
export const allowed = new Set(settings.allow ?? []);
/** The tool call or model call that is running: {kind, name, id}. */
export const call = new AsyncLocalStorage();

const { openSync, writeSync } = fs;
const seen = new Map();
const kill = settings.kill ?? null;
let fd = null;

export function line(o) {
  if (!settings.log) return;
  fd ??= openSync(settings.log, "a");
  writeSync(fd, JSON.stringify({ at: Date.now(), pid: process.pid, gen: settings.generation ?? 0, ...(isMainThread ? {} : { worker: true }), ...o }) + "\n");
}
export function die() {
  process.kill(process.pid, "SIGKILL");
  for (;;); // the signal ends the process here
}
/** Whose doing it is: the tool call, and the durable step with its attempt. */
export function owner() {
  const c = call.getStore(), s = globalThis[Symbol.for("WORKFLOW_STEP_CONTEXT_STORAGE")]?.getStore?.()?.stepMetadata;
  return {
    ...(c?.kind ? { call: { kind: c.kind, name: c.name, id: c.id } } : {}),
    ...(s ? { step: { id: s.stepId, name: s.stepName.split("//").at(-1), attempt: s.attempt } } : {}),
  };
}
export function count(label) {
  const k = (seen.get(label) ?? 0) + 1;
  seen.set(label, k);
  return k;
}
export const uncount = (label) => seen.set(label, (seen.get(label) ?? 1) - 1);
export const hits = (label, k) => (kill && kill.label === label && kill.k === k ? kill.when : null);

/** Before something outside happens. Returns what `end` takes. */
export function begin(label, o = {}) {
  const k = count(label), hit = hits(label, k);
  line({ act: label, k, ...o, ...owner(), ...(hit === "before" ? { kill: hit } : {}) });
  if (hit === "before") die();
  return { label, k, hit };
}
export function end(a, o = {}) {
  if (!a || a.ended) return;
  a.ended = true;
  line({ done: a.label, k: a.k, ...o, ...(a.hit === "after" ? { kill: "after" } : {}) });
  if (a.hit === "after") die();
}
export const isSelf = (host, port) => Number(port) === self && /^(localhost|127\.|\[?::1)/.test(String(host ?? "localhost"));
