"use strict";
globalThis.seedbedParts ??= {};

/** The two buttons that turn the pages of something long. */
seedbedParts.pager = (seedbed) => {
  const { element, refill } = seedbed.elements;

  /** Fill `long.pages` with the buttons, or with nothing where there is one page; `show` shows `long.page`. */
  function turn(long, last, words, show) {
    if (!last) return refill(long.pages);
    const button = (word, by, at) => {
      const act = () => {
        const name = document.activeElement?.dataset.turn;
        long.page += by;
        show();
        long.pages.querySelector(`[data-turn="${name}"]`)?.focus();
      };
      return element("button", { type: "button", "data-turn": word, click: act, disabled: long.page === at }, word);
    };
    return refill(long.pages, button("‹ before", -1, 0), words, button("after ›", 1, last));
  }

  return { turn };
};
