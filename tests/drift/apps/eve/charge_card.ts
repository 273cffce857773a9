import { defineTool } from "eve/tools";
import { z } from "zod";
import { ledger } from "../lib/ledger";
export default defineTool({
  description: "Charge a card. Not idempotent.",
  inputSchema: z.object({ customer: z.string(), cents: z.number(), waitMs: z.number().optional() }),
  async execute({ customer, cents, waitMs }, ctx) {
    ledger({ effect: "charge", customer, callId: ctx.callId });
    await new Promise((r) => setTimeout(r, waitMs ?? 0));
    return { customer, cents, when: new Date(0).toISOString() };
  },
});
