import { defineTool } from "eve/tools";
import { z } from "zod";
import { charge } from "../lib/pay";
export default defineTool({
  description: "Pay an order, the call's id as the key.",
  inputSchema: z.object({ order: z.string(), cents: z.number() }),
  async execute({ order, cents }, ctx) {
    return charge(order, cents, ctx.callId);
  },
});
