"use strict";
globalThis.seedbedParts ??= {};

/** The filters of a list of samples as a row of buttons, each with how many samples pass it. */
seedbedParts.filters = (seedbed) => {
  const { element } = seedbed.elements;
  const { FILTERS, KINDS, filtered } = seedbed.outcomes;
  const TO_STRICT = new Set(["recovered", "lost", "changed"]);

  /** Return the buttons; `pick(name)` chooses a filter. Filters that nothing passes are left out. */
  function buttons({ pair, scorer, table, filter }, pick) {
    const nodes = FILTERS.map(([name, word]) => {
      if ((scorer === "strict" || scorer === "") && TO_STRICT.has(name)) return null;
      const found = filtered(pair, scorer, name, table);
      const many = found ? found.length : name === "first_differs" ? pair.first_differs?.[scorer] : undefined;
      if (many === 0 && name !== "all" && name !== filter) return null;
      return element(
        "button",
        { type: "button", "data-filter": name, "aria-pressed": String(name === filter), click: () => pick(name) },
        sign(name),
        `${word} `,
        element("b", {}, many === undefined ? "…" : seedbed.words.whole(many)),
      );
    });
    return nodes;
  }

  /** Return the sign of the kind that a filter is about, null if it is about none. */
  function sign(name) {
    const of = name === "no_answer" ? "none" : name;
    return Object.hasOwn(KINDS, of)
      ? element("span", { class: `cell ${of}`, "aria-hidden": "true" }, KINDS[of][0])
      : null;
  }

  return { buttons };
};
