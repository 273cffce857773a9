// Rules for the scripts of the widgets: names that exist, nothing unused, no HTML from text.
import js from "@eslint/js";
import globals from "globals";

const html = "Text of a journal goes in through textContent only.";

export default [
  { ignores: ["**/node_modules/**"] },
  {
    ...js.configs.recommended,
    files: ["**/notebook/js/*.js"],
    languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: globals.browser },
    rules: {
      ...js.configs.recommended.rules,
      eqeqeq: "error",
      "no-console": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-shadow": ["error", { allow: ["node", "row", "name", "line", "at"] }],
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "max-lines": ["error", { max: 610, skipBlankLines: true, skipComments: true }],
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: html },
        { property: "outerHTML", message: html },
        { property: "insertAdjacentHTML", message: html },
        { object: "document", property: "write", message: html },
        { object: "Math", property: "random", message: "No chance below the front ends." },
        { object: "Date", property: "now", message: "Now comes from Python." },
      ],
      "no-restricted-globals": [
        "error",
        "fetch",
        "XMLHttpRequest",
        "WebSocket",
        "localStorage",
        "event",
        "name",
      ],
    },
  },
  {
    ...js.configs.recommended,
    files: ["**/tests/js/*.js", "**/tests/js/*.mjs", "*.js", "*.mjs"],
    languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: globals.node },
  },
];
