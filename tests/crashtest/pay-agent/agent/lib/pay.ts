/** One payment provider, called in seven ways. Its address is a setting: the crash test gives a placeholder. */
export const PAY = () => process.env.PAY_URL ?? "https://api.pay.example";
export async function charge(order: string, cents: number, key?: string): Promise<any> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (key) headers["idempotency-key"] = key;
  const answer = await fetch(`${PAY()}/charge`, { method: "POST", headers, body: JSON.stringify({ order, cents }) });
  return answer.json();
}
