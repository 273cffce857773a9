// --require, not --import: a required preload also runs in every worker thread, before its body.
require("./seal.mjs");
require("./model.mjs");
require("./tap.mjs");
