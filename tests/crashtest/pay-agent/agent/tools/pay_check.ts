import { defineTool } from "eve/tools";
import { z } from "zod";
import { PAY, charge } from "../lib/pay";
export default defineTool({
  description: "Pay an order if it is not paid yet.",
  inputSchema: z.object({ order: z.string(), cents: z.number() }),
  async execute({ order, cents }, ctx) {
    const seen: any[] = await (await fetch(`${PAY()}/charges?order=${order}`)).json() as any;
    return seen.length ? seen[0] : charge(order, cents);
  },
});
