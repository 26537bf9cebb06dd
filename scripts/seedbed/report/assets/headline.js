"use strict";
globalThis.seedbedParts ??= {};

/** The verdict, and one line a pair with both of its intervals. */
seedbedParts.headline = (seedbed) => {
  const { element, drawn, isolated, refill } = seedbed.elements;
  const { percent, interval, verdict, time, duration, some } = seedbed.words;
  const QUESTIONS = {
    across_problems: "across problems (with other problems like these)",
    across_seeds: "across seeds (the same problems with other seeds)",
  };
  const ORDERS = {
    model: (pair) => pair.model,
    benchmark: (pair) => pair.benchmark,
    verdict: (pair) => ["INVALID", "PARTIAL", "COMPLETE"].indexOf(pair.verdict),
    "pass@1": (pair) => -(value(pair) ?? -1),
  };
  const MANY = 4;
  let order = null;

  const value = (pair) => pair.figures?.[seedbed.outcomes.main(pair)]?.["pass@1"]?.value;

  /** Fill the band at the top. */
  function verdictBand(data) {
    const word = data.state === "FAILED" && data.headline.verdict === "COMPLETE" ? "FAILED" : data.headline.verdict;
    const [tone, sign, name] = verdict(word);
    const run = data.run ?? {};
    const facts = [
      data.going_on && "the run is going on",
      data.state === "FAILED" && "the last run failed",
      data.folder,
      run.commit && `commit ${String(run.commit).slice(0, 12)}${run.dirty ? ", with changes" : ""}`,
      run.seconds && duration(run.seconds),
      run.gpu_hours && `${run.gpu_hours.toFixed(1)} GPU hours`,
      `written ${time(data.made)}`,
    ];
    return element(
      "div",
      { class: `band ${tone}` },
      element("span", { class: "sign", "aria-hidden": "true" }, sign),
      element(
        "div",
        {},
        element("h1", {}, name),
        element("p", { class: "sentence" }, data.headline.text),
        element(
          "ul",
          { class: "facts" },
          facts.filter(Boolean).map((fact) => element("li", {}, isolated(fact))),
        ),
      ),
    );
  }

  /** Return the card with all pairs. */
  function results(data) {
    const list = element("ol", { class: data.pairs.length > MANY ? "results many" : "results" });
    const buttons = Object.keys(ORDERS).map((name) =>
      element(
        "button",
        { type: "button", "aria-pressed": "false", click: (event) => sort(data, list, name, event) },
        name,
      ),
    );
    show(data.pairs, list);
    return element(
      "section",
      { class: "card", "aria-labelledby": "results-title" },
      element(
        "div",
        { class: "title-row" },
        element(
          "h2",
          { id: "results-title" },
          data.pairs.length === 1 ? "The result" : `The ${some(data.pairs.length, "result")}`,
        ),
        data.pairs.length > 2
          ? element(
              "div",
              { class: "orders", role: "group", "aria-label": "Order by" },
              element("span", {}, "by"),
              buttons,
            )
          : null,
      ),
      data.pairs.length ? [key(), list] : element("p", {}, "Nothing has been evaluated yet."),
    );
  }

  function key() {
    return element(
      "p",
      { class: "key" },
      "pass@1 in percent, 95 % intervals: ",
      element("span", { class: "swatch wide" }),
      `${QUESTIONS.across_problems}, `,
      element("span", { class: "swatch narrow" }),
      QUESTIONS.across_seeds,
    );
  }

  function sort(data, list, name, event) {
    order = order === name ? null : name;
    for (const button of event.target.parentNode.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(order === button.textContent));
    }
    show(order ? data.pairs.toSorted((a, b) => compared(ORDERS[order](a), ORDERS[order](b))) : data.pairs, list);
  }

  const compared = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

  function show(pairs, list) {
    refill(list, pairs.map(line));
  }

  /** Return the line of a pair. */
  function line(pair) {
    const scorer = seedbed.outcomes.main(pair);
    const figure = pair.figures?.[scorer]?.["pass@1"];
    const strict = pair.figures?.strict?.["pass@1"];
    const [tone, sign] = verdict(pair.verdict);
    return element(
      "li",
      {},
      element(
        "a",
        { class: "pair-name", href: seedbed.address.written({ place: "pair", pair: pair.name }) },
        isolated(pair.model),
        " / ",
        isolated(pair.benchmark),
        pair.part ? element("small", {}, ` ${pair.part}`) : null,
      ),
      element(
        "span",
        { class: `mark ${tone}` },
        element("span", { "aria-hidden": "true" }, `${sign} `),
        String(pair.verdict),
      ),
      figure
        ? numbers(pair, scorer, figure, strict)
        : element("p", { class: "why" }, pair.reasons?.[0] ?? pair.faults?.[0] ?? "no figures"),
    );
  }

  function numbers(pair, scorer, figure, strict) {
    const flow = pair.flow?.[scorer];
    return [
      element(
        "p",
        { class: "value" },
        element("strong", {}, percent(figure.value)),
        element(
          "small",
          {},
          isolated(scorer),
          strict && scorer !== "strict" ? ` · strict ${percent(strict.value)}` : "",
          flow ? ` · recovered ${length(flow.recovered)}, lost ${length(flow.lost)}` : "",
        ),
      ),
      whiskers(figure),
      element(
        "dl",
        { class: "intervals" },
        Object.entries(QUESTIONS).map(([name, question]) =>
          element(
            "div",
            {},
            element(
              "dt",
              {},
              element("span", { class: `swatch ${name === "across_seeds" ? "narrow" : "wide"}` }),
              element("span", { class: "question" }, question),
            ),
            element("dd", {}, interval(figure[name])),
          ),
        ),
      ),
    ];
  }

  const length = (list) => (Array.isArray(list) ? list.length : (list ?? 0));

  /** Return a small drawing of a value and its two intervals between 0 and 100 %. */
  function whiskers(figure) {
    const bar = (bounds, name) =>
      bounds && drawn("line", { x1: `${bounds[0]}%`, x2: `${bounds[1]}%`, y1: "50%", y2: "50%", class: name });
    return drawn(
      "svg",
      { class: "whiskers", "aria-hidden": "true", focusable: "false" },
      drawn("line", { x1: "0%", x2: "100%", y1: "50%", y2: "50%", class: "axis" }),
      bar(figure.across_problems, "wide"),
      bar(figure.across_seeds, "narrow"),
      drawn("circle", { cx: `${figure.value}%`, cy: "50%", r: 4.5 }),
    );
  }

  return { verdictBand, results, QUESTIONS, length };
};
