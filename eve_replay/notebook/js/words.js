// How facts are written: the words of views/kit/words.py; tests/js/words.json holds both to the same.

/**
 * A duration as a person says it.
 * @param {number | null | undefined} ms milliseconds
 * @returns {string} "12 ms", "1.2 s", "3 min 20 s", "14 min", "3 h 20 min", "3 days"; empty for none
 */
export function duration(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms < 0) return `${duration(-ms)} backwards`;
  if (ms < 999.5) return `${ms.toFixed(0)} ms`;
  if (ms < 99950) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3570e3) {
    const seconds = Math.round(ms / 1000);
    const whole = Math.floor(seconds / 60);
    return whole < 10 && seconds % 60 ? `${whole} min ${seconds % 60} s` : `${Math.round(seconds / 60)} min`;
  }
  const minutes = Math.round(ms / 60e3);
  if (minutes >= 2880) return `${Math.round(minutes / 1440)} days`;
  return minutes % 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${minutes / 60} h`;
}

/**
 * Local time of day with milliseconds; the zone and UTC are in the tooltip of what shows it.
 * @param {string | null | undefined} iso
 */
export function clock(iso) {
  if (!iso) return "";
  const when = new Date(iso);
  if (Number.isNaN(when.getTime())) return iso;
  const two = (/** @type {number} */ n, wide = 2) => String(n).padStart(wide, "0");
  const time = [when.getHours(), when.getMinutes(), when.getSeconds()].map((n) => two(n)).join(":");
  return `${time}.${two(when.getMilliseconds(), 3)}`;
}

/**
 * "wrun_01M8...J64S" as "wrun_…J64S"; the whole id is in the tooltip of what shows it.
 * @param {string | null | undefined} id
 */
export function shortId(id) {
  if (!id || id.length <= 14) return id || "";
  const cut = id.indexOf("_");
  return id.length - cut - 1 <= 5 ? id : `${id.slice(0, cut + 1)}…${id.slice(-4)}`;
}

/**
 * Put values into a text: "{n} of {all}".
 * @param {string} text
 * @param {Record<string, string | number>} values names without a value stay as they are
 */
export const fill = (text, values) =>
  text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
