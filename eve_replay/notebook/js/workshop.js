// What a workshop's page can show, by kind.

import { deskWidget, verdictWidget } from "./verdict.js";
import { pageOf } from "./entry.js";
import { predictWidget } from "./predict.js";
import { stageWidget } from "./stage.js";

export const { render, start } = pageOf({
  stage: stageWidget,
  predict: predictWidget,
  verdict: verdictWidget,
  desk: deskWidget,
});
