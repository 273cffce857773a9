// Keys of the things in a session: kind:part/part, as views/kit/base.py makes them.

/** How many parts a key of a kind has; the last one may hold slashes. @type {Record<string, number>} */
const PARTS = { turn: 2, step: 2, attempt: 3, model: 5, call: 4, event: 2, park: 2, message: 2 };

/**
 * The parts of a key.
 * @param {string} key
 */
export function partsOf(key) {
  const cut = key.indexOf(":");
  const parts = key.slice(cut + 1).split("/");
  const count = PARTS[key.slice(0, cut)] || 1;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join("/")];
}

/**
 * The whole id that a key ends with.
 * @param {string} key
 */
export function idOf(key) {
  const [kind, rest] = [key.slice(0, key.indexOf(":")), key.slice(key.indexOf(":") + 1)];
  const parts = rest.split("/");
  if (kind === "attempt") return `${parts[1]} attempt ${parts[2]}`;
  if (kind === "call") return parts.slice(3).join("/");
  return parts.length > 1 ? parts.slice(1).join("/") : rest;
}

/**
 * The step that an attempt or call belongs to; anything else stays itself.
 * @param {string} key
 */
export function stepOf(key) {
  const [, kind, run, step] = /^([a-z]+):([^/]+)\/([^/]+)/.exec(key) || [];
  return ["attempt", "model", "call"].includes(kind) ? `step:${run}/${step}` : key;
}
