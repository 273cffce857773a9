import { defineAgent } from "eve";
// A model by name, as most agents have it. modelContextWindowTokens lets it be built without a network.
export default defineAgent({ model: "openai/gpt-5-mini", modelContextWindowTokens: 128000 } as any);
