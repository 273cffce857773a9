// What a workshop's page can show, by kind.

const WIDGETS = {
  stage: stageWidget,
  predict: predictWidget,
  verdict: verdictWidget,
  desk: deskWidget,
};
