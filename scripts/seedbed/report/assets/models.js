"use strict";
globalThis.seedbedParts ??= {};

/** Models against each other on each benchmark. */
seedbedParts.models = (seedbed) => {
  const { element, isolated } = seedbed.elements;
  const { figure, colour, plain } = seedbed.figure;
  const { percent, interval } = seedbed.words;
  const { QUESTIONS } = seedbed.headline;

  /** Return the sections below all pairs. */
  function sections(data) {
    return [against(data.pairs), seedbed.comparisons.comparisons(data)].filter(Boolean);
  }

  /** Return the chart of all models on each benchmark, null where no benchmark has two. */
  function against(pairs) {
    const shown = pairs.filter((pair) => first(pair));
    const benchmarks = [...new Set(shown.map((pair) => pair.benchmark))];
    const groups = benchmarks
      .map((name) => shown.filter((pair) => pair.benchmark === name))
      .filter((group) => group.length > 1);
    if (!groups.length) return null;
    return element(
      "section",
      { class: "card", id: "models", "aria-labelledby": "models-title" },
      element("h2", { id: "models-title" }, "Models against each other"),
      element("div", { class: "figures-grid" }, groups.map(chart)),
    );
  }

  function first(pair) {
    return pair.figures?.[seedbed.outcomes.main(pair)]?.["pass@1"];
  }

  function chart(group) {
    const sorted = group.toSorted((a, b) => first(a).value - first(b).value);
    const best = sorted.at(-1);
    return figure({
      title: group[0].benchmark,
      caption: `${best.model} leads with ${percent(first(best).value)} by ${seedbed.outcomes.main(best)}. Thick: ${QUESTIONS.across_problems}; thin: ${QUESTIONS.across_seeds}.`,
      height: 90 + 46 * sorted.length,
      level: 3,
      draw: () => ({
        traces: [
          ...whiskers(sorted, "across_problems", 7, "accent-soft"),
          ...whiskers(sorted, "across_seeds", 2.5, "ink"),
          dots(sorted),
        ],
        layout: {
          showlegend: false,
          xaxis: { title: "pass@1, %", range: [-2, 102] },
          yaxis: { type: "category", automargin: true },
        },
      }),
      table: {
        head: ["model", "scorer", "pass@1", ...Object.values(QUESTIONS)],
        rows: () =>
          sorted
            .toReversed()
            .map((pair) => [
              isolated(pair.model),
              seedbed.outcomes.main(pair),
              percent(first(pair).value),
              ...Object.keys(QUESTIONS).map((name) => interval(first(pair)[name])),
            ]),
      },
    });
  }

  function whiskers(sorted, name, width, color) {
    return sorted
      .filter((pair) => first(pair)[name])
      .map((pair) => ({
        x: first(pair)[name],
        y: [plain(pair.model), plain(pair.model)],
        mode: "lines",
        line: { width, color: colour(color) },
        hoverinfo: "skip",
      }));
  }

  function dots(sorted) {
    return {
      x: sorted.map((pair) => first(pair).value),
      y: sorted.map((pair) => plain(pair.model)),
      mode: "markers",
      marker: { size: 11, color: colour("ink"), line: { width: 2, color: colour("paper") } },
      hovertemplate: "%{y}: %{x:.1f} %<extra></extra>",
    };
  }

  return { sections };
};
