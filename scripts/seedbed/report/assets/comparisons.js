"use strict";
globalThis.seedbedParts ??= {};

/** The comparisons that were asked for: B against A, one line each, with both intervals on one scale. */
seedbedParts.comparisons = (seedbed) => {
  const { element, drawn, isolated } = seedbed.elements;
  const { decimal, signed, span, some, whole, known, own } = seedbed.words;
  const { QUESTIONS } = seedbed.headline;
  const ANSWERS = { better: ["good", "▲"], worse: ["bad", "▼"], inconclusive: ["calm", "?"] };

  /** Return the section, null where no comparison was asked for. */
  function comparisons(data) {
    if (!data.comparisons?.length) return null;
    const names = [...new Set(data.comparisons.map((one) => one.name))];
    return element(
      "section",
      { class: "card", id: "comparisons", "aria-labelledby": "comparisons-title" },
      element("h2", { id: "comparisons-title" }, "Comparisons"),
      names.map((name) =>
        group(
          name,
          data.comparisons.filter((one) => one.name === name),
        ),
      ),
    );
  }

  function group(name, rows) {
    const bounds = rows
      .flatMap((one) => Object.values(one.intervals ?? {}))
      .filter(Boolean)
      .flat();
    const scale = { low: Math.min(0, ...bounds), high: Math.max(0, ...bounds) };
    const head = [
      "B − A",
      ...Object.values(QUESTIONS),
      `${signed(scale.low)} … 0 … ${signed(scale.high)}`,
      "points",
      "least it could tell",
      "problems",
    ];
    return element(
      "article",
      { class: "block" },
      element("h3", {}, isolated(name)),
      element("p", { class: "lead" }, told(rows)),
      element(
        "div",
        { class: "scroll", tabindex: "0", role: "group", "aria-label": `Comparison ${name}` },
        element(
          "table",
          { class: "plain compared" },
          element(
            "thead",
            {},
            element(
              "tr",
              {},
              head.map((word) => element("th", { scope: "col" }, word)),
            ),
          ),
          element(
            "tbody",
            {},
            rows.map((one) => row(one, scale)),
          ),
        ),
      ),
      element("details", {}, element("summary", {}, "In words, and the problems that moved most"), rows.map(moved)),
      [...new Set(rows.map((one) => one.file).filter(Boolean))].map((file) =>
        element("p", {}, element("a", { href: file }, file)),
      ),
    );
  }

  /** Return in how many of the comparisons B is better and worse, by the narrower question. */
  function told(rows) {
    const many = (answer) => rows.filter((one) => one.answers?.across_seeds === answer).length;
    const list = Object.keys(ANSWERS).map((answer) => many(answer) && `${answer} in ${whole(many(answer))}`);
    const stale = rows.some((one) => one.stale) ? " Made of other outputs than those here: run snakemake." : "";
    const words =
      list.filter(Boolean).join(", ").replace("inconclusive in", "not to be told apart in") || "not compared";
    return `Across seeds (the same problems with other seeds), B against A is ${words} of ${some(rows.length, "comparison")}.${stale}`;
  }

  function row(one, scale) {
    const answers = Object.keys(QUESTIONS).map((name) =>
      element(
        "td",
        {},
        answer(one.answers?.[name]),
        element("span", { class: "bounds" }, ` ${span(one.intervals?.[name])}`),
      ),
    );
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, label(one)),
      answers,
      element("td", {}, whiskers(one, scale)),
      element("td", { class: "number" }, element("b", {}, signed(one.difference))),
      element("td", { class: "number" }, known(one.smallest) ? decimal(one.smallest) : "unknown"),
      element("td", { class: "number" }, whole(one.problems)),
    );
  }

  function answer(name) {
    const [tone, sign] = own(ANSWERS, name) ?? ["calm", "–"];
    return element(
      "span",
      { class: `mark ${tone}` },
      element("span", { "aria-hidden": "true" }, `${sign} `),
      name ?? "unknown",
    );
  }

  /** Return what is compared; what both sides share is said once. */
  function label(one) {
    const [a, b] = (one.pairs ?? []).map((name) => name.split("/"));
    if (!b || a[1] !== b[1] || one.scorers?.[0] !== one.scorers?.[1]) return [isolated(one.b), " − ", isolated(one.a)];
    return [isolated(b[0]), " − ", isolated(a[0]), ` · ${b[1]} · ${one.scorers[0]}`];
  }

  function whiskers(one, { low, high }) {
    const at = (value) => `${(100 * (value - low)) / Math.max(high - low, 1e-9)}%`;
    const bar = (bounds, name) =>
      bounds && drawn("line", { x1: at(bounds[0]), x2: at(bounds[1]), y1: "50%", y2: "50%", class: name });
    return drawn(
      "svg",
      { class: "whiskers", "aria-hidden": "true", focusable: "false" },
      drawn("line", { x1: "0%", x2: "100%", y1: "50%", y2: "50%", class: "axis" }),
      bar(one.intervals?.across_problems, "wide"),
      bar(one.intervals?.across_seeds, "narrow"),
      drawn("line", { x1: at(0), x2: at(0), y1: "0%", y2: "100%", class: "zero" }),
      drawn("circle", { cx: at(one.difference), cy: "50%", r: 4.5 }),
    );
  }

  /** Return a comparison in words, with the problems that moved most folded. */
  function moved(one) {
    const node = element("div", { class: "moved" }, element("h4", {}, label(one)), element("p", {}, one.text));
    if (one.moved?.length) {
      const rows = () => one.moved.map(([id, change]) => [isolated(id), signed(change)]);
      const name = `${some(one.moved.length, "problem")} that moved most`;
      node.append(seedbed.figure.folded({ head: ["problem", "points"], rows, name }));
    }
    return node;
  }

  return { comparisons };
};
