// Every way out, tried once behind the preload. One JSON object on stdout: way -> what happened.
import http from "node:http"; import https from "node:https"; import net from "node:net"; import dgram from "node:dgram"; import http2 from "node:http2";
import { execFile, execFileSync } from "node:child_process"; import { Worker } from "node:worker_threads"; import { promisify } from "node:util";
const H = "probe.example";
const get = (m, u) => new Promise((ok, no) => m.get(u, (r) => { r.resume(); r.on("end", () => ok("answered")); }).on("error", no));
const ways = {
  fetch: async () => { await (await fetch(`http://${H}/fetch`)).text(); return "answered"; },
  "fetch-tls": async () => { await (await fetch(`https://${H}/fetch-tls`)).text(); return "answered"; },
  http: () => get(http, `http://${H}/http`),
  https: () => get(https, `https://${H}/https`),
  socket: () => new Promise((ok, no) => { const s = net.connect(80, H, () => s.write(`GET /socket HTTP/1.1\r\nhost: ${H}\r\nconnection: close\r\n\r\n`)); s.on("data", () => ok("answered")); s.on("error", no); }),
  thread: () => new Promise((ok, no) => { const w = new Worker(`const {parentPort:p}=require("worker_threads");fetch("http://${H}/thread").then(r=>r.text()).then(()=>p.postMessage("answered"),e=>p.postMessage("refused "+e))`, { eval: true }); w.on("message", ok); w.on("error", no); }),
  "node-child": async () => { const r = await promisify(execFile)(process.execPath, ["-e", `fetch("http://${H}/node-child").then(r=>r.text()).then(()=>console.log("answered"))`], { env: { PATH: "/usr/bin" } }); return r.stdout.trim(); },
  program: async () => execFileSync("true").toString() + "ran",
  udp: () => new Promise((ok, no) => { const s = dgram.createSocket("udp4"); s.send("hi", 9, "192.0.2.1", (e) => { s.close(); e ? no(e) : ok("sent"); }); }),
  http2: () => new Promise((ok, no) => { const s = http2.connect(`http://${H}`); s.on("error", no); s.on("connect", () => ok("connected")); }),
  binding: async () => { process.binding("tcp_wrap"); return "given"; },
};
const out = {};
for (const [name, f] of Object.entries(ways)) {
  try { out[name] = String(await Promise.race([f(), new Promise((_, no) => setTimeout(() => no(new Error("no answer")), 4000))])); }
  catch (e) { out[name] = "refused " + (e?.code ?? e?.message ?? e); }
}
process.stdout.write(JSON.stringify(out), () => process.exit(0));
