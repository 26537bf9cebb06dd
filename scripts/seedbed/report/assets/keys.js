"use strict";
globalThis.seedbedParts ??= {};

/** The keys of the viewer, as a panel. */
seedbedParts.keys = (seedbed) => {
  const { element } = seedbed.elements;
  const KEYS = [
    ["j", "k", "next and previous sample of the list"],
    ["→", "←", "next and previous seed"],
    ["n", "p", "next and previous problem"],
    ["a", "", "to what a scorer matched, then to what the next one did"],
    ["m", "", "formulas drawn or as they were written"],
    ["r", "", "fold or unfold the reasoning"],
    ["?", "", "these keys"],
    ["Esc", "", "close"],
  ];

  /** Return the panel, hidden at first. */
  function panel() {
    return element(
      "div",
      { class: "keys", hidden: true },
      element(
        "dl",
        {},
        KEYS.map(([a, b, word]) =>
          element(
            "div",
            {},
            element("dt", {}, element("kbd", {}, a), b ? element("kbd", {}, b) : null),
            element("dd", {}, word),
          ),
        ),
      ),
    );
  }

  return { panel };
};
