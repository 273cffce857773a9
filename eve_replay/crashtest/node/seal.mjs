// Every way out of the process ends at the broker (preface line "CT1 {json}", TLS taken off), or is refused.
import fs from "node:fs"; import path from "node:path";
import net from "node:net"; import tls from "node:tls"; import dns from "node:dns"; import dgram from "node:dgram";
import http2 from "node:http2"; import cp from "node:child_process"; import dc from "node:diagnostics_channel";
import { syncBuiltinESMExports } from "node:module"; import wt, { isMainThread } from "node:worker_threads";
import { allowed, begin, brokerHost, brokerPort, end, isSelf, line, owner, self, settings } from "./acts.mjs";

// ---- HTTP acts: two diagnostics channels see every client (fetch, a bundled undici, node:http, axios) in the caller's context
const KEYS = /idempoten|request-id|dedup/i;
const open = new WeakMap();
const headersOf = (h) => {
  const o = {};
  if (Array.isArray(h)) for (let i = 0; i < h.length; i += 2) o[String(h[i]).toLowerCase()] = String(h[i + 1]);
  else if (h && typeof h === "object") for (const [k, v] of Object.entries(h)) o[k.toLowerCase()] = String(v);
  else for (const l of String(h ?? "").split("\r\n")) { const i = l.indexOf(": "); if (i > 0) o[l.slice(0, i).toLowerCase()] = l.slice(i + 2); }
  return Object.fromEntries(Object.entries(o).filter(([k]) => KEYS.test(k)));
};
const tag = (a) => encodeURIComponent(JSON.stringify({ label: a.label, k: a.k, ...owner() }));
const bare = (host, tlsOn) => host.replace(tlsOn ? /:443$/ : /:80$/, "");
const isAllowed = (host, port) => allowed.has(host) || allowed.has(`${host}:${port}`);
dc.subscribe("undici:request:create", ({ request: r }) => {
  const u = new URL(r.origin);
  if (isSelf(u.hostname, u.port) || isAllowed(u.hostname, u.port)) return;
  const a = begin(`${r.method} ${u.host}${r.path.split("?")[0]}`, { via: "undici", keys: headersOf(r.headers) });
  open.set(r, a); r.addHeader("x-ct-act", tag(a));
});
dc.subscribe("undici:request:trailers", ({ request: r }) => end(open.get(r)));
dc.subscribe("undici:request:error", ({ request: r, error }) => end(open.get(r), { error: String(error) }));
dc.subscribe("http.client.request.created", ({ request: r }) => {
  const host = String(r.getHeader("host") ?? r.host), [h, p] = host.split(":");
  if (isSelf(h, p) || isAllowed(h, p)) return;
  const a = begin(`${r.method} ${bare(host, r.protocol === "https:")}${r.path.split("?")[0]}`, { via: "http", keys: headersOf(r.getHeaders()) });
  open.set(r, a);
  if (!r.headersSent) try { r.setHeader("x-ct-act", tag(a)); } catch { /* too late: the socket still tells whose it is */ }
});
dc.subscribe("http.client.response.finish", ({ request: r }) => end(open.get(r)));
dc.subscribe("http.client.request.error", ({ request: r, error }) => end(open.get(r), { error: String(error) }));

// ---- sockets
const realConnect = net.Socket.prototype.connect, fake = new Map();
let fakes = 0;
net.Socket.prototype.connect = function (...a) {
  const [o] = Array.isArray(a[0]) ? a[0] : net._normalizeArgs(a);
  if (o.path) {
    line({ socket: "unix " + o.path, ...owner() });
    return allowed.has("unix:" + o.path) ? realConnect.apply(this, a) : realConnect.call(this, { host: brokerHost, port: 1 });
  }
  const host = fake.get(o.host) ?? o.host ?? "localhost";
  if (isSelf(host, o.port) || (host === brokerHost && Number(o.port) === Number(brokerPort))) return realConnect.apply(this, a);
  if (isAllowed(host, o.port)) return realConnect.apply(this, a);
  const pre = "CT1 " + JSON.stringify({ host, port: Number(o.port), tls: !!this._ctTls, pid: process.pid, ...owner() }) + "\n";
  line({ socket: `${host}:${o.port}`, ...owner() });
  const cb = Array.isArray(a[0]) ? a[0][1] : a.find((x) => typeof x === "function");
  const s = realConnect.call(this, { host: brokerHost, port: Number(brokerPort) }, ...(cb ? [cb] : []));
  this.write(Buffer.from(pre));
  return s;
};
const realTls = tls.connect;
tls.connect = function (...a) {
  let o = {};
  const cb = a.find((x) => typeof x === "function");
  for (const x of a) if (x && typeof x === "object") o = { ...x, ...o };
  if (typeof a[0] === "number" || (typeof a[0] === "string" && /^\d+$/.test(a[0]))) o.port ??= Number(a[0]);
  if (typeof a[1] === "string") o.host ??= a[1];
  const host = o.host ?? o.servername ?? "localhost";
  if (isAllowed(host, o.port)) return realTls.apply(this, a);
  const s = o.socket ?? new net.Socket();
  s._ctTls = true; s.encrypted = true; s.authorized = true; s.alpnProtocol = false; s.servername = o.servername ?? host;
  Object.assign(s, { getPeerCertificate: () => ({}), getCipher: () => ({ name: "none" }), getProtocol: () => "TLSv1.3", getSession: () => undefined, isSessionReused: () => false, setServername() {}, getFinished: () => undefined, exportKeyingMaterial: () => Buffer.alloc(32) });
  const up = () => s.emit("secureConnect");
  if (cb) s.once("secureConnect", cb);
  if (o.socket) { if (o.socket.connecting) s.once("connect", up); else setImmediate(up); }
  else { s.once("connect", up); s.connect({ host, port: o.port }); }
  return s;
};
const refused = (what, code = "EPERM") => Object.assign(new Error(`sealed by the crash test: ${what}`), { code });
const realHttp2 = http2.connect;
http2.connect = function (to, ...r) {
  const u = new URL(String(to));
  if (isAllowed(u.hostname, u.port || 443)) return realHttp2.call(this, to, ...r);
  line({ refused: "http2 " + u.host, ...owner() });
  throw refused(`HTTP/2 to ${u.host} has no stub; allow it on purpose, or call it over HTTP/1.1`, "ECONNREFUSED");
};

// ---- names: a made-up address each, so that a client which resolves first still ends at the right stub
const addr = (h) => {
  if (net.isIP(h)) return h;
  if (h === "localhost") return "127.0.0.1";
  for (const [ip, n] of fake) if (n === h) return ip;
  const ip = `198.18.${fakes >> 8}.${1 + (fakes++ & 255)}`;
  fake.set(ip, h); line({ dns: h, ...owner() });
  return ip;
};
const realLookup = dns.lookup, realLookup2 = dns.promises.lookup;
dns.lookup = (h, o, cb) => {
  if (typeof o === "function") { cb = o; o = {}; }
  if (allowed.size && [...allowed].some((x) => x.split(":")[0] === h)) return realLookup(h, o, cb);
  const ip = addr(h);
  process.nextTick(() => (o?.all ? cb(null, [{ address: ip, family: 4 }]) : cb(null, ip, 4)));
};
dns.promises.lookup = async (h, o) => {
  if (allowed.size && [...allowed].some((x) => x.split(":")[0] === h)) return realLookup2(h, o);
  return o?.all ? [{ address: addr(h), family: 4 }] : { address: addr(h), family: 4 };
};
const resolver = (n) => ({
  plain: (h, ...r) => { line({ dns: h }); process.nextTick(() => (n === "resolve4" ? r.at(-1)(null, [addr(h)]) : r.at(-1)(refused("DNS " + n, "ENOTFOUND")))); },
  promised: async (h) => { line({ dns: h }); if (n === "resolve4") return [addr(h)]; throw refused("DNS " + n, "ENOTFOUND"); },
});
const asked = /^(resolve|reverse|lookupService)/;
for (const n of Object.keys(dns)) if (asked.test(n)) { dns[n] = resolver(n).plain; if (dns.promises[n]) dns.promises[n] = resolver(n).promised; }
for (const [R, kind] of [[dns.Resolver, "plain"], [dns.promises.Resolver, "promised"]])
  for (const n of Object.getOwnPropertyNames(R.prototype)) if (asked.test(n)) R.prototype[n] = resolver(n)[kind];
for (const n of ["send", "connect"]) dgram.Socket.prototype[n] = function (...a) {
  line({ refused: "udp " + a.filter((x) => typeof x === "string" || typeof x === "number").join(" "), ...owner() });
  const cb = a.at(-1);
  if (typeof cb === "function") process.nextTick(cb, refused("UDP", "ENETUNREACH"));
};

// ---- children and threads: refused unless allowed; a node child inherits this preload by NODE_OPTIONS
const node = (f) => f === process.execPath || /(^|\/)node$/.test(f), may = (f) => node(f) || allowed.has("exec:" + f);
const check = (f, args) => {
  line({ child: [f, ...(args ?? [])].join(" ").slice(0, 200), ...(may(f) ? {} : { refused: "child " + f }), ...owner() });
  if (!may(f)) throw refused(`the program ${f} may not run`);
};
/** A node child cannot shake the seal off by an environment of its own. */
const sealedEnv = (e) => (e ? { ...e, CRASHTEST: process.env.CRASHTEST, NODE_OPTIONS: process.env.NODE_OPTIONS } : e);
const realSpawn = cp.ChildProcess.prototype.spawn;
cp.ChildProcess.prototype.spawn = function (o) {
  check(o.file, o.args?.slice(1));
  if (o.envPairs && node(o.file)) {
    const kept = o.envPairs.filter((p) => !/^(CRASHTEST|NODE_OPTIONS)=/.test(p));
    o = { ...o, envPairs: [...kept, "CRASHTEST=" + process.env.CRASHTEST, "NODE_OPTIONS=" + process.env.NODE_OPTIONS] };
  }
  return realSpawn.call(this, o);
};
for (const n of ["spawnSync", "execFileSync", "execSync"]) {
  const real = cp[n];
  cp[n] = (f, ...r) => {
    check(n === "execSync" ? "sh" : f, Array.isArray(r[0]) ? r[0] : [f]);
    return real(f, ...r.map((x) => (x?.env ? { ...x, env: sealedEnv(x.env) } : x)));
  };
}
const HERE = path.join(import.meta.dirname, "outside.cjs"), RealWorker = wt.Worker;
wt.Worker = class Worker extends RealWorker {
  constructor(f, o = {}) {
    const more = { ...o, ...(o.env && o.env !== wt.SHARE_ENV ? { env: sealedEnv(o.env) } : {}) };
    super(f, more.execArgv ? { ...more, execArgv: [...more.execArgv, "--require", HERE] } : more);
  }
};
// The raw bindings are the way round every patch above. Nothing in eve or the Workflow SDK uses them.
process.binding = () => { line({ refused: "process.binding" }); throw refused("process.binding"); };

// ---- declared ledger files: an append to one of them is an act
const ledgers = new Map((settings.ledgers ?? []).map((p) => [path.resolve(p), path.basename(p)]));
if (ledgers.size) {
  const ours = (p) => (typeof p === "string" ? ledgers.get(path.resolve(p)) : undefined);
  const { appendFileSync, appendFile } = fs, promised = fs.promises.appendFile;
  fs.appendFileSync = (p, ...r) => { const n = ours(p); if (!n) return appendFileSync(p, ...r); const a = begin(`append ${n}`, { via: "file" }); appendFileSync(p, ...r); end(a); };
  fs.promises.appendFile = async (p, ...r) => { const n = ours(p); if (!n) return promised(p, ...r); const a = begin(`append ${n}`, { via: "file" }); appendFileSync(p, ...r); end(a); };
  fs.appendFile = (p, ...r) => { const n = ours(p); if (!n) return appendFile(p, ...r); const a = begin(`append ${n}`, { via: "file" }); appendFileSync(p, r[0]); end(a); process.nextTick(r.at(-1), null); };
}

// ---- tether: one connection to the broker for life; when the crash test dies, however it dies, so does the server
if (settings.broker && isMainThread) {
  const t = new net.Socket(), gone = () => process.kill(process.pid, "SIGKILL");
  realConnect.call(t, { host: brokerHost, port: Number(brokerPort) }, () => { t.write("CT0 " + process.pid + "\n"); t.unref(); });
  t.on("error", gone); t.on("close", gone); t.on("data", () => {});
}
// The local world re-queues open runs before its own port is open; that delivery fails and then sleeps 5 s. The
// queue's calls to ourselves are held until the port is open: recovery is the same, 5 s earlier.
if (isMainThread && self && settings.hold !== false) {
  let opened;
  const heard = new Promise((r) => (opened = r)), listen = net.Server.prototype.listen, real = globalThis.fetch;
  net.Server.prototype.listen = function (...a) { this.once("listening", () => { if (this.address()?.port === self) opened(); }); return listen.apply(this, a); };
  globalThis.fetch = async (u, o) => { if (String(u?.url ?? u).includes(`:${self}/`)) await heard; return real(u, o); };
}
syncBuiltinESMExports();
line({ sealed: true });
