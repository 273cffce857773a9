// Says what a widget shows in another language: a catalog of sentences, English and the other side by side
// (views/kit/speech.json). What is not in it stays as it is: data, names, what people wrote.

const SIGN = /^((?:\d+ (?=[!‖↻■◇✓✗]))?[!‖↻■◇✓✗▸▾?◀▶→, ]*)(.*?)([ ]*)$/s;
const NAME = /^[\w.:…#*()[\]{}"'@/-]+$/;

/**
 * @param {[string, string][]} pairs sentences with {n} for a number or a time and {x}, {y} for a name
 * @returns {(text: string) => string}
 */
export function speaker(pairs) {
  const exact = new Map(pairs);
  const patterns = pairs
    .filter(([en]) => en.includes("{"))
    .map(([en, other]) => ({ when: pattern(en), other }));
  /** @type {Map<string, string>} */
  const known = new Map();

  /** @param {string} text @param {number} depth @returns {string | null} */
  function whole(text, depth) {
    const found = exact.get(text);
    if (found !== undefined) return found;
    for (const { when, other } of patterns) {
      const match = when.exec(text);
      if (!match) continue;
      let at = 0;
      return other.replace(/\{[nxy]\}/g, () => said(match[++at] ?? "", depth + 1));
    }
    return null;
  }

  /**
   * Sentence by sentence; each whole, else by parts that are all known.
   * @param {string} text
   * @param {number} depth
   * @returns {string}
   */
  function said(text, depth = 0) {
    if (depth > 6 || !/[a-z]/i.test(text)) return text;
    const [, sign, body, rest] = /** @type {RegExpExecArray} */ (SIGN.exec(text));
    const same = exact.get(body);
    if (same !== undefined) return sign + same + rest;
    const sentences = body.split(/(?<=\.) (?=[A-Za-z0-9])/);
    if (sentences.length > 1) {
      const told = sentences.map((/** @type {string} */ each) => said(each, depth + 1));
      if (told.every((each, n) => each === sentences[n])) return text;
      return (
        sign +
        told
          .map((each) => (each.endsWith(".") ? `${each} ` : each))
          .join("")
          .trimEnd() +
        rest
      );
    }
    const one = whole(body, depth);
    if (one !== null) return sign + one + rest;
    for (const [cut, joined] of /** @type {[RegExp, string][]} */ ([
      [/; /, "；"],
      [/: /, "："],
      [/, /, "，"],
    ])) {
      const parts = body.split(cut);
      if (parts.length < 2) continue;
      /** @type {(string | null)[]} */
      const told = parts.map((/** @type {string} */ part) => {
        const plain = whole(part, depth + 1) ?? (NAME.test(part) ? part : said(part, depth + 1));
        return plain !== part || NAME.test(part) ? plain : null;
      });
      if (told.every((each) => each !== null) && told.some((each, n) => each !== parts[n]))
        return sign + told.join(joined) + rest;
    }
    return text;
  }

  return (text) => {
    let found = known.get(text);
    if (found === undefined) {
      found = text
        .split("\n")
        .map((line) => {
          const [, before, inner, after] = /** @type {RegExpExecArray} */ (/^(\s*)(.*?)(\s*)$/s.exec(line));
          return before + said(inner) + after;
        })
        .join("\n");
      known.set(text, found);
    }
    return found;
  };
}

/** @param {string} en */
function pattern(en) {
  const plain = en.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  const parts = plain
    .replace(/\{n\}/g, "([\\d.,:TZ –-]*\\d[\\d.,:TZ –-]*?)")
    .replace(/\{x\}/g, "((?:(?!, |: ).)+?)")
    .replace(/\{y\}/g, "(.+?)");
  return new RegExp(`^${parts}$`, "s");
}

const ATTRIBUTES = ["title", "aria-label", "placeholder"];

/**
 * Keep a place in another language for as long as it is shown.
 * @param {HTMLElement} root
 * @param {[string, string][] | undefined} pairs nothing for English
 * @returns {() => void} stop
 */
export function speaking(root, pairs) {
  if (!pairs || !pairs.length) return () => {};
  const say = speaker(pairs);
  /** @type {WeakMap<Node, string>} what was set here, so that it is not looked at again */
  const told = new WeakMap();
  /** @param {Node} node */
  function visit(node) {
    if (node.nodeType === 3) {
      const text = node.nodeValue || "";
      if (told.get(node) === text || node.parentElement?.closest("style, script, pre, code, [data-plain]"))
        return;
      const other = say(text);
      if (other !== text) {
        told.set(node, other);
        node.nodeValue = other;
      }
    } else if (node instanceof Element) {
      for (const name of ATTRIBUTES) {
        const text = node.getAttribute(name);
        const other = text && say(text);
        if (other && other !== text) node.setAttribute(name, other);
      }
      node.childNodes.forEach(visit);
    }
  }
  const watch = new MutationObserver((changes) => {
    for (const change of changes) {
      if (change.type === "childList") change.addedNodes.forEach(visit);
      else visit(change.target);
    }
  });
  visit(root);
  watch.observe(root, {
    childList: true,
    subtree: true,
    characterData: true,
    attributes: true,
    attributeFilter: ATTRIBUTES,
  });
  return () => watch.disconnect();
}
