// What a journal's page can show, by kind.

const WIDGETS = {
  explorer,
  crashlab: crashLabWidget,
  diff: attemptDiffWidget,
};
