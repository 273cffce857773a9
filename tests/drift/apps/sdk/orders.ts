import { createHook, getStepMetadata, getWritable, RetryableError, sleep } from "workflow";
import { appendFileSync } from "node:fs";
// What a reader meets in a plain run: rich values, parallel steps, a retry, a hook, a sleep, a stream.
export async function order(order: { id: string; items: Map<string, number>; placed: Date; total: bigint }) {
  "use workflow";
  const [paid, label] = await Promise.all([pay(order.id, order.total), print(order.id)]);
  await report(order.id);
  const hook = createHook<{ ok: boolean }>({ token: `approve:${order.id}` });
  const said = await hook;
  await sleep("1s");
  return { paid, label, said, sent: await ship(order.id), placed: order.placed, none: undefined, ratio: NaN };
}
function ledger(line: object) {
  appendFileSync(process.env.LEDGER_FILE ?? "ledger.ndjson", JSON.stringify(line) + "\n");
}
async function pay(id: string, total: bigint) {
  "use step";
  ledger({ effect: "pay", id });
  await new Promise((r) => setTimeout(r, Number(process.env.SLOW ?? 0)));
  return { id, total, set: new Set([1, "a"]), bytes: new Uint8Array([1, 2]), url: new URL("https://example.test/?x=1"), re: /a+/gi };
}
async function print(id: string) {
  "use step";
  if (getStepMetadata().attempt < 2) throw new RetryableError("printer is busy", { retryAfter: 500 });
  return `label-${id}`;
}
async function report(id: string) {
  "use step";
  const writer = getWritable<any>().getWriter();
  await writer.write({ id, when: new Date(0), big: 5n });
  writer.releaseLock();
}
async function ship(id: string) {
  "use step";
  ledger({ effect: "ship", id });
  return new Date(0);
}
