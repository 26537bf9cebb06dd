"use strict";
globalThis.seedbedParts ??= {};

/** The time line of a pair: when which seed ran, on which server, and how fast. */
seedbedParts.time = (seedbed) => {
  const { figure, colour } = seedbed.figure;
  const { whole, duration, time, some, known } = seedbed.words;

  /** Return the chart of the seeds of a pair in time, with the attempts of its server, null where times are unknown. */
  function timeline(pair, servers) {
    const seeds = (pair.time?.seed ?? []).filter(([, start, end]) => known(start) && known(end));
    if (!seeds.length) return null;
    const from = Math.min(...seeds.map(([, start]) => start));
    const attempts = (servers.find((server) => server.model === pair.model)?.attempts ?? [])
      .map((one, at) => ({ ...one, name: `server ${at + 1}` }))
      .filter((one) => known(one.started) && known(one.ended));
    const to = Math.max(...seeds.map(([, , end]) => end));
    const overlapping = attempts.filter((one) => one.ended > from && one.started < to);
    const zero = Math.min(from, ...overlapping.map((one) => one.started));
    const last = Math.max(to, ...overlapping.map((one) => one.ended));
    const tokens = seeds.reduce((sum, [, , , count]) => sum + (count ?? 0), 0);
    return figure({
      title: "When each seed ran",
      caption: `${some(seeds.length, "seed")} in ${duration(to - from)}, ${whole(tokens)} tokens, ${whole(Math.round(tokens / Math.max(1, to - from)))} a second.`,
      height: Math.min(520, 90 + 18 * (seeds.length + overlapping.length)),
      draw: () => ({
        traces: [
          bars(
            seeds.map(([seed, start, end, count]) => [
              `seed ${seed}`,
              start - zero,
              end - start,
              `${whole(count)} tokens`,
            ]),
            colour("accent"),
          ),
          bars(
            overlapping.map((one) => [
              one.name,
              one.started - zero,
              one.ended - one.started,
              one.reason ?? one.state ?? "",
            ]),
            colour("strict"),
          ),
        ],
        layout: {
          showlegend: false,
          bargap: 0.25,
          xaxis: scale(last - zero),
          yaxis: { type: "category", autorange: "reversed", automargin: true },
        },
      }),
      table: {
        head: ["seed", "start", "end", "took", "tokens"],
        rows: () =>
          seeds.map(([seed, start, end, count]) => [seed, time(start), time(end), duration(end - start), whole(count)]),
      },
    });
  }

  function bars(rows, color) {
    return {
      type: "bar",
      orientation: "h",
      y: rows.map((row) => row[0]),
      base: rows.map((row) => row[1]),
      x: rows.map((row) => row[2]),
      text: rows.map((row) => seedbed.figure.plain(row[3])),
      textposition: "none",
      marker: { color },
      hovertemplate: "%{y}: %{text}<extra></extra>",
    };
  }

  /** Return an axis of seconds, minutes or hours since the start. */
  function scale(seconds) {
    const [unit, word] = seconds > 7200 ? [3600, "hours"] : seconds > 180 ? [60, "minutes"] : [1, "seconds"];
    const step = nice(seconds / unit / 6);
    const places = Array.from({ length: Math.floor(seconds / unit / step) + 1 }, (_, at) => at * step);
    return {
      title: `${word} since the start`,
      tickvals: places.map((place) => place * unit),
      ticktext: places.map((place) => String(Number(place.toFixed(2)))),
    };
  }

  function nice(step) {
    const power = 10 ** Math.floor(Math.log10(Math.max(step, 1e-3)));
    return [1, 2, 5, 10].find((factor) => factor * power >= step) * power;
  }

  /** Return the chart of tokens a second, null where it is unknown. */
  function throughput(pair) {
    const points = pair.time?.throughput ?? [];
    if (points.length < 2) return null;
    const top = points.reduce((best, point) => (point[1] > best[1] ? point : best));
    return figure({
      title: "Tokens a second",
      caption: `At most ${whole(Math.round(top[1]))} a second, ${duration(top[0])} after the start.`,
      draw: () => ({
        traces: [
          {
            x: points.map((point) => point[0]),
            y: points.map((point) => point[1]),
            mode: "lines",
            fill: "tozeroy",
            line: { color: colour("accent"), width: 1.5, shape: "hv" },
            fillcolor: seedbed.figure.faint(colour("accent"), 0.15),
            hovertemplate: "%{y:.0f} tokens/s<extra></extra>",
          },
        ],
        layout: {
          showlegend: false,
          xaxis: scale(points.at(-1)[0]),
          yaxis: { title: "tokens/s", rangemode: "tozero" },
        },
      }),
      table: {
        head: ["seconds", "tokens a second"],
        rows: () => points.map(([at, rate]) => [whole(Math.round(at)), whole(Math.round(rate))]),
      },
    });
  }

  return { timeline, throughput };
};
