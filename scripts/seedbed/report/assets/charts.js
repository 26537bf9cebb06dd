"use strict";
globalThis.seedbedParts ??= {};

/** The charts of one pair: right by problem, by number of samples, and tokens by outcome. */
seedbedParts.charts = (seedbed) => {
  const { figure, plain, colour, scorerColour, faint } = seedbed.figure;
  const { accuracy, main } = seedbed.outcomes;
  const { percent, whole, interval } = seedbed.words;
  const OUTCOMES = { right: "right", wrong: "wrong", no_answer: "none", truncated: "truncated" };
  const LEGEND = { right: "right", wrong: "wrong", none: "no answer", truncated: "cut off" };
  const FEW = 14;
  const MANY = 150;

  /** Return the chart of the share of right samples of each problem, null where nothing is scored. */
  function problems(pair, open) {
    if (!pair.scorers.length) return null;
    const scorer = main(pair);
    const shares = Object.fromEntries(pair.scorers.map((name) => [name, accuracy(pair, name)]));
    const order = pair.problems.map((_, at) => at).sort((a, b) => shares[scorer][b] - shares[scorer][a]);
    return figure({
      title: "Accuracy of each problem",
      caption: `Sorted by ${scorer}; the problem in the middle is right in ${percent(shares[scorer][order[order.length >> 1]])} of its samples.`,
      draw: () => ({
        traces: pair.scorers.map((name) => trace(pair, name, scorer, order, shares[name])),
        layout: {
          xaxis: { title: "problems, the surest first", showticklabels: order.length <= FEW, ...named(pair, order) },
          yaxis: { title: "right, %", range: [-3, 103] },
          bargap: 0.25,
        },
      }),
      pick: (point) => open(seedbed.outcomes.index(pair, order[point.pointIndex], 0)),
      table: {
        head: ["problem", ...pair.scorers],
        rows: () =>
          order.map((at) => [
            seedbed.elements.isolated(pair.problems[at]),
            ...pair.scorers.map((name) => percent(shares[name][at])),
          ]),
      },
    });
  }

  /** Return the ids as marks of an axis. */
  function named(pair, order) {
    if (order.length > FEW) return {};
    const short = (id) => plain(id.length > 14 ? `${id.slice(0, 13)}…` : id);
    return { tickvals: order.map((_, place) => place), ticktext: order.map((at) => short(pair.problems[at])) };
  }

  function trace(pair, name, scorer, order, shares) {
    const common = {
      name: plain(name),
      x: order.map((_, place) => place),
      y: order.map((at) => shares[at]),
      text: order.map((at) => plain(pair.problems[at])),
      hovertemplate: "%{text}: %{y:.1f} %<extra>%{fullData.name}</extra>",
    };
    const ink = scorerColour(pair, name);
    if (order.length > MANY)
      return { ...common, type: "scatter", mode: "lines", line: { color: ink, shape: "hv", width: 1.5 } };
    if (name === scorer) return { ...common, type: "bar", textposition: "none", marker: { color: ink } };
    return {
      ...common,
      type: "scatter",
      mode: "markers",
      marker: { color: ink, symbol: "line-ew-open", size: order.length > FEW ? 5 : 12, line: { width: 3, color: ink } },
    };
  }

  /** Return the chart of pass@k and majority@k, null where there is one sample a problem. */
  function curves(pair) {
    const scorer = main(pair);
    const own = pair.curves?.[scorer] ?? {};
    const passes = own["pass@k"] ?? [];
    if (passes.length < 2) return null;
    const last = passes.at(-1);
    const majority = (own["majority@k"] ?? []).at(-1);
    const votes = majority ? `, the most frequent answer of ${majority[0]} for ${percent(majority[1])}` : "";
    return figure({
      title: "More samples a problem",
      caption: `At least one of ${last[0]} samples is right for ${percent(last[1])} of the problems${votes} (${scorer}).`,
      draw: () => ({
        traces: [
          ...(scorer !== "strict" && pair.curves.strict
            ? [thin(pair, "strict", "pass@k"), thin(pair, "strict", "majority@k")]
            : []),
          ...banded(scorerColour(pair, scorer), own["majority@k"], `${scorer} majority@k`, "dot"),
          ...banded(scorerColour(pair, scorer), passes, `${scorer} pass@k`, "solid"),
        ].filter(Boolean),
        layout: {
          xaxis: { title: "k, samples a problem", dtick: passes.length > 20 ? undefined : passes.length > 9 ? 2 : 1 },
          yaxis: { title: "problems, %", rangemode: "tozero" },
        },
      }),
      table: {
        head: ["scorer", "figure", "k", "value", "95 % across problems"],
        rows: () =>
          Object.entries(pair.curves).flatMap(([name, lines]) =>
            Object.entries(lines).flatMap(([of, points]) =>
              points.map(([k, value, low, high]) => [
                name,
                of,
                k,
                percent(value),
                low === undefined || low === null ? "" : interval([low, high]),
              ]),
            ),
          ),
      },
    });
  }

  function thin(pair, name, of) {
    const points = pair.curves[name][of];
    if (!points?.length) return null;
    return line(points, `${name} ${of}`, scorerColour(pair, name), of === "pass@k" ? "solid" : "dot", 1.5);
  }

  function line(points, name, color, dash, width = 2.5) {
    return {
      name: plain(name),
      x: points.map((point) => point[0]),
      y: points.map((point) => point[1]),
      mode: "lines+markers",
      marker: { size: 5 },
      line: { color, dash, width },
      hovertemplate: "k = %{x}: %{y:.1f} %<extra>%{fullData.name}</extra>",
    };
  }

  /** Return a curve and its band: the interval across problems. */
  function banded(color, points, name, dash) {
    if (!points?.length) return [];
    const within = points.filter((point) => seedbed.words.known(point[2]));
    const edge = (at) => ({
      x: within.map((point) => point[0]),
      y: within.map((point) => point[at]),
      mode: "lines",
      line: { width: 0, color },
      hoverinfo: "skip",
      showlegend: false,
    });
    const band = [edge(2), { ...edge(3), fill: "tonexty", fillcolor: faint(color, dash === "solid" ? 0.16 : 0.1) }];
    return [...band, line(points, name, color, dash)];
  }

  /** Return the chart of how long the samples of each outcome are. */
  function tokens(pair) {
    const { edges = [], by_outcome: groups = {} } = pair.tokens ?? {};
    const named = Object.entries(OUTCOMES).filter(([name]) => groups[name]?.some((count) => count));
    if (edges.length < 2 || !named.length) return null; // imported outputs may not tell their tokens
    const labels = edges.slice(0, -1).map((edge, at) => `${short(edge)} to ${short(edges[at + 1])}`);
    const sum = (list) => list.reduce((a, b) => a + b, 0);
    const cut = sum(groups.truncated ?? []);
    const none = pair.unknown_ends ? "whether any was cut off is not told" : "none was cut off";
    const limit = pair.max_tokens ? ` of at most ${whole(pair.max_tokens)} tokens` : "";
    return figure({
      title: "Tokens by outcome",
      caption: `${whole(sum(named.map(([name]) => sum(groups[name]))))} answers${limit}; ${cut ? `${whole(cut)} were cut off` : none}.`,
      draw: () => ({
        traces: named.map(([name, kind]) => ({
          type: "bar",
          name: LEGEND[kind],
          x: edges.slice(0, -1).map((edge, at) => (edge + edges[at + 1]) / 2),
          width: edges.slice(0, -1).map((edge, at) => (edges[at + 1] - edge) * 0.94),
          y: groups[name],
          text: labels,
          textposition: "none",
          marker: {
            color: colour(kind),
            pattern: {
              shape: { wrong: "/", none: ".", truncated: "x" }[kind] ?? "",
              size: 6,
              solidity: 0.25,
              fillmode: "overlay",
              fgcolor: colour("paper"),
            },
          },
          hovertemplate: "%{text} tokens: %{y}<extra>%{fullData.name}</extra>",
        })),
        layout: {
          barmode: "stack",
          xaxis: { title: "tokens", nticks: 7, range: [edges[0], edges.at(-1)] },
          yaxis: { title: "samples" },
        },
      }),
      table: {
        head: ["tokens", ...named.map(([, kind]) => seedbed.outcomes.KINDS[kind][1])],
        rows: () => labels.map((label, at) => [label, ...named.map(([name]) => whole(groups[name][at]))]),
      },
    });
  }

  function short(number) {
    if (number < 10000) return whole(Math.round(number));
    return `${(number / 1000).toFixed(number < 1e5 ? 1 : 0).replace(/\.0$/, "")}k`;
  }

  return { problems, curves, tokens };
};
