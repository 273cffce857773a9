// The model is answered from a script. Doors, in this order: the AI SDK's telemetry wrapper (every provider), the
// wire (gateway, OpenAI, Anthropic), the default provider (model strings only). Which answer is told by the roles of
// the history alone, so that it survives a crash by nature.
//   script   [{replies: [{text, calls: [{name, input, id}], other}]}], one entry per user message
//   variant  same | new-ids | other     (other: from the second process on)
import dc from "node:diagnostics_channel"; import fs from "node:fs";
import { begin, call, end, line, settings } from "./acts.mjs";

const turns = settings.script ? JSON.parse(fs.readFileSync(settings.script, "utf8")) : null;
const door = settings.door ?? "auto", variant = settings.variant ?? "same";
let minted = 0;
const text = (m) => (typeof m.content === "string" ? m.content : (m.content ?? []).map((p) => p.text ?? "").join(""));
/** User messages that the framework wrote: they start no turn of the script. */
const NOTE = /^\s*(<task_result|<system-reminder|Tasks? (note|update)|Your previous reply was empty)/i;

function reply(prompt) {
  const users = prompt.map((m, i) => [m, i]).filter(([m]) => m.role === "user" && !NOTE.test(text(m)));
  const last = users.at(-1)?.[1] ?? -1, n = prompt.slice(last + 1).filter((m) => m.role === "assistant").length;
  const turn = turns[Math.min(users.length, turns.length) - 1] ?? { replies: [] };
  let r = turn.replies[Math.min(n, turn.replies.length - 1)] ?? { text: "(the script has no answer here)" };
  if (variant === "other" && (settings.generation ?? 0) > 0) r = r.other ?? { text: r.text || "I leave it at that.", calls: [] };
  const fresh = () => `call_${process.pid.toString(36)}${(++minted).toString(36)}${Math.random().toString(36).slice(2, 8)}`;
  const calls = (r.calls ?? []).map((c, i) => ({ name: c.name, input: JSON.stringify(c.input ?? {}), id: variant === "new-ids" ? fresh() : (c.id ?? `call_${users.length}_${n}_${i + 1}`) }));
  return { at: `model ${users.length}.${n}`, text: r.text, calls };
}
const usage = { inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 5, text: 5, reasoning: 0 } };
const reason = (r) => ({ unified: r.calls.length ? "tool-calls" : "stop", raw: undefined });
const content = (r) => [...(r.text ? [{ type: "text", text: r.text }] : []), ...r.calls.map((c) => ({ type: "tool-call", toolCallId: c.id, toolName: c.name, input: c.input }))];
const parts = (r) => [
  { type: "stream-start", warnings: [] }, { type: "response-metadata", id: r.at, modelId: "crashtest", timestamp: new Date(0) },
  ...(r.text ? [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: r.text }, { type: "text-end", id: "t" }] : []),
  ...r.calls.map((c) => ({ type: "tool-call", toolCallId: c.id, toolName: c.name, input: c.input })), { type: "finish", finishReason: reason(r), usage },
];
const stream = (list) => new ReadableStream({ start(c) { for (const p of list) c.enqueue(p); c.close(); } });
function answer(prompt, by, streaming = true) {
  const r = reply(prompt), a = begin(r.at, { door: by, calls: r.calls.map((c) => `${c.name} ${c.id}`) });
  const out = streaming ? { stream: stream(parts(r)) } : { content: content(r), finishReason: reason(r), usage, warnings: [] };
  end(a);
  return out;
}
/** Roles out of any provider's request: gateway {prompt}, chat and Anthropic {messages}, responses {input}, Google {contents}. */
function roles(body) {
  let b = null;
  try { b = typeof body === "string" ? JSON.parse(body) : body instanceof Uint8Array ? JSON.parse(Buffer.from(body).toString()) : null; } catch { return null; }
  const list = b && (b.prompt ?? b.messages ?? b.input ?? b.contents);
  if (!Array.isArray(list)) return null;
  const out = [], result = (p) => p.type === "tool_result" || p.functionResponse || p.toolResult;
  for (const m of list) {
    const c = m.content ?? m.parts ?? "";
    const role = m.role === "model" || m.type === "function_call" || m.type === "reasoning" ? "assistant"
      : m.role === "tool" || m.role === "function" || m.type === "function_call_output" || (Array.isArray(c) && c.length && c.every(result)) ? "tool" : m.role;
    if (role === "assistant" && out.at(-1)?.role === "assistant") continue;
    out.push({ role, content: typeof c === "string" ? c : c.map((p) => ({ text: p.text ?? "" })) });
  }
  return out;
}
const sse = (list, named) => new Response(list.map((d) => (named && d.type ? `event: ${d.type}\n` : "") + `data: ${JSON.stringify(d)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
const scripted = (by, body) => { const r = reply(roles(body)); end(begin(r.at, { door: by, calls: r.calls.map((c) => `${c.name} ${c.id}`) })); return r; };
/** The answer in the protocol of a known model host, null for another address. */
function wire(url, body) {
  if (/ai-gateway\.vercel\.sh\/v\d\/ai\/language-model/.test(url)) return sse(parts(scripted("gateway wire", body)));
  if (/api\.openai\.com\/v1\/responses/.test(url)) {
    const r = scripted("openai wire", body), id = "resp_1", ev = [{ type: "response.created", response: { id, created_at: 0, model: "crashtest" } }];
    if (r.text) { const item = { id: "msg_1", type: "message", role: "assistant", content: [] }; ev.push({ type: "response.output_item.added", output_index: 0, item }, { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: r.text }, { type: "response.output_item.done", output_index: 0, item }); }
    r.calls.forEach((c, i) => { const item = { id: "fc_" + i, type: "function_call", call_id: c.id, name: c.name, arguments: "", status: "in_progress" }; ev.push({ type: "response.output_item.added", output_index: i + 1, item }, { type: "response.function_call_arguments.delta", item_id: item.id, output_index: i + 1, delta: c.input }, { type: "response.output_item.done", output_index: i + 1, item: { ...item, arguments: c.input, status: "completed" } }); });
    ev.push({ type: "response.completed", response: { id, usage: { input_tokens: 10, output_tokens: 5 } } });
    return sse(ev);
  }
  if (/api\.anthropic\.com\/v1\/messages/.test(url)) {
    const r = scripted("anthropic wire", body); let i = 0;
    const ev = [{ type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", model: "crashtest", content: [], usage: { input_tokens: 10, output_tokens: 1 } } }];
    if (r.text) ev.push({ type: "content_block_start", index: i, content_block: { type: "text", text: "" } }, { type: "content_block_delta", index: i, delta: { type: "text_delta", text: r.text } }, { type: "content_block_stop", index: i++ });
    for (const c of r.calls) ev.push({ type: "content_block_start", index: i, content_block: { type: "tool_use", id: c.id, name: c.name, input: {} } }, { type: "content_block_delta", index: i, delta: { type: "input_json_delta", partial_json: c.input } }, { type: "content_block_stop", index: i++ });
    ev.push({ type: "message_delta", delta: { stop_reason: r.calls.length ? "tool_use" : "end_turn" }, usage: { output_tokens: 5 } }, { type: "message_stop" });
    return sse(ev, true);
  }
  return null;
}
if (turns) {
  const real = globalThis.fetch;
  globalThis.fetch = async (u, o) => {
    const box = call.getStore()?.box, p = box && roles(o?.body);
    if (p) { box.prompt = p; throw new Error("crashtest: answered by the script"); }
    return (door !== "telemetry" && door !== "provider" && o?.body && wire(String(u?.url ?? u), o.body)) || real(u, o);
  };
}
const telemetry = turns && (door === "auto" || door === "telemetry");
// The event hides the messages, so the provider is let build its request, and the roles are read off that. A model that
// asks no network (a mock) gives its own answer.
(globalThis.AI_SDK_TELEMETRY_INTEGRATIONS ??= []).push({
  async executeLanguageModelCall({ execute, ...e }) {
    const box = {};
    let result, error;
    if (!telemetry) return execute();
    const a = { now: null };
    try { result = await call.run({ box, a }, async () => execute()); } catch (x) { error = x; }
    if (box.prompt) return answer(box.prompt, `telemetry ${e.provider}/${e.modelId}`);
    if (error) throw error;
    end(begin("model own", { door: "the agent's own model" }));
    return result;
  },
  async executeTool({ execute, toolCallId, ...e }) {
    const id = toolCallId ?? e.toolCall?.toolCallId, name = e.toolCall?.toolName ?? e.toolName;
    return call.run({ kind: "tool", name, id }, async () => { const a = begin(`tool ${name}`); try { return await execute(); } finally { end(a); } });
  },
});
// Whose request: the AI SDK's tracing channel carries the tool call in its start message; our storage is bound to it.
dc.tracingChannel("ai:telemetry").start.bindStore(call, (m) => (m?.type === "executeTool" ? { kind: "tool", name: m.event?.toolCall?.toolName, id: m.event?.toolCall?.toolCallId } : call.getStore()));
const nothing = () => {};
dc.tracingChannel("ai:telemetry").subscribe({ start: nothing, end: nothing, asyncStart: nothing, asyncEnd: nothing, error: nothing });
if (turns && door === "provider") {
  const sealed = () => { throw new Error("crashtest: only language models are answered"); };
  globalThis.AI_SDK_DEFAULT_PROVIDER = { specificationVersion: "v4", embeddingModel: sealed, imageModel: sealed, languageModel: (id) => ({ specificationVersion: "v4", provider: "gateway.crashtest", modelId: id, supportedUrls: {}, doStream: async ({ prompt }) => answer(prompt, "default provider"), doGenerate: async ({ prompt }) => answer(prompt, "default provider", false) }) };
}
if (turns) line({ model: "scripted", door, variant });
