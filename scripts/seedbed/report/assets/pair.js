"use strict";
globalThis.seedbedParts ??= {};

/** One pair of model and benchmark: what it amounts to, its figures, its time and its files. */
seedbedParts.pair = (seedbed) => {
  const { element, isolated } = seedbed.elements;
  const { whole, verdict } = seedbed.words;

  function summary(pair) {
    const [tone, sign] = verdict(pair.verdict);
    const counts = Object.entries(pair.counts ?? {}).filter(([, many]) => many);
    return element(
      "div",
      { class: "block" },
      element(
        "h2",
        { id: "pair-title", tabindex: "-1" },
        isolated(pair.model),
        " / ",
        isolated(pair.benchmark),
        " ",
        element("span", { class: `mark ${tone}` }, `${sign} ${pair.verdict}`),
      ),
      element("p", { class: "lead" }, pair.line),
      element(
        "ul",
        { class: "counts" },
        counts.map(([name, many]) => element("li", {}, `${name} `, element("b", {}, whole(many)))),
        pair.max_tokens ? element("li", {}, "at most ", element("b", {}, whole(pair.max_tokens)), " tokens") : null,
        pair.private ? element("li", {}, "texts are private") : null,
      ),
      remarks(pair),
      pair.prompt
        ? element(
            "details",
            {},
            element("summary", {}, "The prompt"),
            element(
              "pre",
              { tabindex: "0" },
              typeof pair.prompt === "string" ? pair.prompt : JSON.stringify(pair.prompt, null, 2),
            ),
          )
        : null,
    );
  }

  function remarks(pair) {
    const stale = pair.stale?.length
      ? [`The metrics of ${pair.stale.join(", ")} are of other outputs: run snakemake.`]
      : [];
    const told = [...(pair.faults ?? []), ...stale, ...(pair.remarks ?? [])];
    return told.length
      ? element(
          "ul",
          { class: "remarks" },
          told.map((text) => element("li", {}, text)),
        )
      : null;
  }

  /** Return the table of figures, as the summary prints it. */
  function measures(pair) {
    if (!pair.measures?.length) return null;
    const rows = pair.measures.map((one) => [one.name, ...pair.scorers.map((name) => one.cells[name] ?? "")]);
    const table = seedbed.figure.tabled(["figure", ...pair.scorers], rows);
    return element(
      "section",
      { class: "block", "aria-labelledby": "measures-title" },
      element("h3", { id: "measures-title" }, "Figures"),
      element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Figures" }, table),
    );
  }

  function charts(pair, open) {
    const all = [seedbed.charts.problems(pair, open), seedbed.charts.curves(pair), seedbed.charts.tokens(pair)].filter(
      Boolean,
    );
    return element(
      "section",
      { class: "block", id: "charts", "aria-labelledby": "charts-title" },
      element("h3", { id: "charts-title" }, "Charts"),
      element("div", { class: "figures-grid" }, all),
    );
  }

  function time(pair) {
    const all = [seedbed.time.timeline(pair, seedbed.store.data().servers ?? []), seedbed.time.throughput(pair)].filter(
      Boolean,
    );
    if (!all.length) return null;
    return element(
      "section",
      { class: "block", id: "time", "aria-labelledby": "time-title" },
      element("h3", { id: "time-title" }, "Time"),
      element("div", { class: "figures-grid" }, all),
    );
  }

  function files(pair) {
    const entries = Object.entries(pair.files ?? {});
    if (!entries.length) return null;
    return element(
      "section",
      { class: "block", "aria-labelledby": "files-title" },
      element("h3", { id: "files-title" }, "Files"),
      element(
        "ul",
        { class: "links" },
        entries.map(([name, path]) => element("li", {}, element("a", { href: path }, name))),
      ),
    );
  }

  return { summary, measures, charts, time, files };
};
