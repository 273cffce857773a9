// Bundles the scripts of the widgets: node tests/js/build.mjs writes eve_replay/notebook/static, --check compares.
// The result is committed, so that nobody who uses eve-replay needs Node. Its first line holds a digest of the sources:
// where Node is not installed, that tells whether somebody forgot to build.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const notebook = new URL("../../eve_replay/notebook/", import.meta.url);
const sources = new URL("js/", notebook);
const digest = createHash("sha256");
for (const name of readdirSync(sources).sort())
  if (/\.(js|css)$/.test(name)) digest.update(`${name}\n`).update(readFileSync(new URL(name, sources)));
const banner = `eve-replay: built by tests/js/build.mjs from ${digest.digest("hex")}`;

const common = {
  bundle: true,
  write: false,
  minify: true,
  charset: "utf8",
  target: "es2022",
  legalComments: "none",
};
const folder = fileURLToPath(sources);
const sheet = (...names) => ({
  contents: names.map((each) => `@import "./${each}.css";`).join(""),
  resolveDir: folder,
});

/** What each file is made of. */
const made = {};
for (const [family, sheets] of [
  ["journal", ["style"]],
  ["workshop", ["style", "workshop"]],
]) {
  const script = { entryPoints: [`${folder}${family}.js`], format: "iife", globalName: "eveReplay" };
  made[`${family}.js`] = { ...common, ...script, banner: { js: `// ${banner}` } };
  const css = { stdin: { ...sheet(...sheets), loader: "css" }, banner: { css: `/* ${banner} */` } };
  made[`${family}.css`] = { ...common, ...css, target: "chrome120" };
}

let stale = 0;
for (const [name, options] of Object.entries(made)) {
  const { outputFiles } = await build(options);
  const target = new URL(`static/${name}`, notebook);
  if (!process.argv.includes("--check")) writeFileSync(target, outputFiles[0].text);
  else if (readFileSync(target, "utf8") !== outputFiles[0].text) {
    stale++;
    process.stderr.write(`static/${name} is not what its sources give: node tests/js/build.mjs\n`);
  }
}
process.exitCode = stale ? 1 : 0;
