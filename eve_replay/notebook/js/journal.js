// What a journal's page can show, by kind.

import { attemptDiffWidget } from "./diff.js";
import { crashLabWidget } from "./crashlab.js";
import { explorer } from "./explorer.js";
import { pageOf } from "./entry.js";

export const { render, start } = pageOf({ explorer, crashlab: crashLabWidget, diff: attemptDiffWidget });
