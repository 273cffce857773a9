import { appendFileSync } from "node:fs";
// One line per side effect that really happened.
export function ledger(line: object) {
  appendFileSync(process.env.LEDGER_FILE ?? "ledger.ndjson", JSON.stringify({ at: new Date().toISOString(), pid: process.pid, ...line }) + "\n");
}
