import { defineTool } from "eve/tools";
import { z } from "zod";
import { PAY, charge } from "../lib/pay";
export default defineTool({
  description: "Claim an order, then pay it.",
  inputSchema: z.object({ order: z.string(), cents: z.number() }),
  async execute({ order, cents }, ctx) {
    const claim = await fetch(`${PAY()}/claims`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ name: order }) });
    return claim.status === 409 ? { claimed: true } : charge(order, cents);
  },
});
