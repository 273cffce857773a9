import { defineAgent } from "eve";
import { mockModel } from "eve/evals";
// The message is a JSON list: reply n of the turn is list[n]. Older versions read modelContextWindowTokens.
const options: any = {
  modelContextWindowTokens: 200000,
  model: mockModel((req: any) => {
    const messages = req.messages as { role: string; text: string }[];
    let from = -1;
    messages.forEach((m, i) => { if (m.role === "user" && m.text.trim().startsWith("[")) from = i; });
    const script = JSON.parse(from < 0 ? "[\"no script\"]" : messages[from].text.trim());
    const said = messages.slice(from + 1).filter((m) => m.role === "assistant").length;
    return script[Math.min(said, script.length - 1)];
  }),
};
export default defineAgent(options);
