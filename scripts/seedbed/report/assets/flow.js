"use strict";
globalThis.seedbedParts ??= {};

/** From the strict scorer to a broad one: who was recovered, who was lost. */
seedbedParts.flow = (seedbed) => {
  const { element, isolated } = seedbed.elements;
  const { figure, colour, faint, plain } = seedbed.figure;
  const { whole, percent, some } = seedbed.words;
  const OUTCOMES = ["right", "wrong", "none"];
  const WORDS = { right: "right", wrong: "wrong", none: "no answer" };
  const LISTED = 40;

  /** Return the section, null where there is no flow of that scorer. */
  function flow(pair, scorer) {
    const told = pair.flow?.[scorer];
    if (!told || !pair.cells.strict) return null;
    const { filtered } = seedbed.outcomes;
    const recovered = filtered(pair, scorer, "recovered", null);
    const lost = filtered(pair, scorer, "lost", null);
    return element(
      "section",
      { class: "block", id: "flow", "aria-labelledby": "flow-title" },
      element("h3", { id: "flow-title" }, "From strict to ", isolated(scorer)),
      element("p", { class: "lead" }, verdict(told, recovered.length, lost.length)),
      element(
        "div",
        { class: "two" },
        picture(scorer, told, recovered.length, lost.length),
        element(
          "div",
          {},
          crossed(scorer, told.table),
          list(pair, scorer, "recovered", recovered),
          list(pair, scorer, "lost", lost),
        ),
      ),
    );
  }

  function verdict(told, recovered, lost) {
    const helped = recovered > lost ? "It helped" : recovered < lost ? "It hurt" : "It made no difference on balance";
    const chance = seedbed.words.known(told.p)
      ? ` The balance is ${told.p < 0.05 ? "more than chance" : "within chance"} (p ${told.p < 0.001 ? "< 0.001" : `= ${told.p.toFixed(3)}`}).`
      : "";
    const newly = seedbed.headline.length(told.newly_found);
    const found = newly ? ` Of ${some(newly, "answer")} found anew, ${percent(scaled(told.precision))} are right.` : "";
    return `${helped}: ${some(recovered, "sample")} recovered, ${whole(lost)} lost.${chance}${found}`;
  }

  const scaled = (share) => (share === null || share === undefined ? share : share <= 1 ? share * 100 : share);

  function picture(scorer, told, recovered, lost) {
    const links = OUTCOMES.flatMap((from, a) =>
      OUTCOMES.map((to, b) => ({
        from: a,
        to: b + 3,
        many: told.table[from]?.[to] ?? 0,
        gain: to === "right" && from !== "right",
        loss: from === "right" && to !== "right",
      })),
    ).filter((one) => one.many);
    return figure({
      title: "Strict on the left, broad on the right",
      caption: `${some(recovered, "sample")} became right, ${whole(lost)} ceased to be right.`,
      height: 280,
      draw: () => ({
        traces: [
          {
            type: "sankey",
            arrangement: "fixed",
            node: {
              label: ["strict: ", `${plain(scorer)}: `].flatMap((name) =>
                OUTCOMES.map((outcome) => name + WORDS[outcome]),
              ),
              color: [...OUTCOMES, ...OUTCOMES].map((outcome) => colour(outcome)),
              thickness: 14,
              pad: 18,
              line: { width: 0 },
            },
            link: {
              source: links.map((one) => one.from),
              target: links.map((one) => one.to),
              value: links.map((one) => one.many),
              color: links.map((one) =>
                one.gain
                  ? faint(colour("right"), 0.6)
                  : one.loss
                    ? faint(colour("wrong"), 0.6)
                    : faint(colour("none"), 0.3),
              ),
              hovertemplate: "%{source.label} → %{target.label}: %{value} samples<extra></extra>",
            },
            textfont: { color: colour("ink"), size: 12 },
          },
        ],
        layout: { margin: { l: 8, r: 8, t: 12, b: 12 } },
      }),
    });
  }

  function crossed(scorer, table) {
    const head = element(
      "tr",
      {},
      element("th", { scope: "col" }, "strict ↓"),
      OUTCOMES.map((to) => element("th", { scope: "col" }, `${scorer}: ${WORDS[to]}`)),
    );
    const rows = OUTCOMES.map((from) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, WORDS[from]),
        OUTCOMES.map((to) =>
          element(
            "td",
            { class: `number ${from === to ? "same" : to === "right" ? "gain" : from === "right" ? "loss" : ""}` },
            whole(table[from]?.[to] ?? 0),
          ),
        ),
      ),
    );
    return element(
      "div",
      { class: "scroll" },
      element(
        "table",
        { class: "plain crossed" },
        element("caption", {}, "Samples by both verdicts"),
        element("thead", {}, head),
        element("tbody", {}, rows),
      ),
    );
  }

  function list(pair, scorer, name, found) {
    if (!found.length) return element("p", { class: "few" }, `No sample was ${name}.`);
    const links = found.slice(0, LISTED).map((at) => {
      const [problem, seed] = seedbed.outcomes.place(pair, at);
      const id = pair.problems[problem];
      const href = seedbed.address.written({
        place: "sample",
        pair: pair.name,
        id,
        seed: pair.seeds[seed],
        filter: name,
        scorer,
      });
      return element("li", {}, element("a", { href }, isolated(`${id}@${pair.seeds[seed]}`)));
    });
    const all = element(
      "a",
      { href: seedbed.address.written({ place: "samples", pair: pair.name, filter: name, scorer }) },
      `all ${whole(found.length)}`,
    );
    return element(
      "div",
      { class: "few" },
      element("h4", {}, `${name[0].toUpperCase()}${name.slice(1)}: ${whole(found.length)}`),
      element("ul", { class: "links" }, links, found.length > LISTED ? element("li", {}, all) : null),
    );
  }

  return { flow };
};
