"use strict";
globalThis.seedbedParts ??= {};

/** What the viewer shows of one sample: the verdicts, the problem, the reasoning, the answer. */
seedbedParts.sheet = (seedbed) => {
  const { element, isolated } = seedbed.elements;
  const { KINDS, kind, place } = seedbed.outcomes;
  const { whole, size } = seedbed.words;
  const { converter, passage } = seedbed.passage;
  const AROUND = 240;
  const FINISH = { length: "length: cut off at the limit", stop: "stop" };

  /** Return the nodes of a sample. */
  function sheet(shown) {
    return [
      shown.wrong.map((why) => element("p", { class: "alert", role: "alert" }, `Not all can be shown: ${why}.`)),
      verdicts(shown),
      facts(shown),
      problem(shown),
      shown.text ? generation(shown) : absent(shown),
    ];
  }

  /** Return one row a scorer: its colour, verdict, answer, stage and flags. */
  function verdicts({ pair, at, table }) {
    const head = ["scorer", "verdict", "answer", "stage", "flags"];
    const rows = pair.scorers.map((scorer, tone) => {
      const of = kind(pair, scorer, at);
      const answer = table?.answer?.[scorer]?.[at];
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, element("mark", { class: `by-${tone % 4}` }, isolated(scorer))),
        element(
          "td",
          {},
          element("span", { class: `cell ${of}`, "aria-hidden": "true" }, KINDS[of][0]),
          ` ${KINDS[of][1]}`,
        ),
        element(
          "td",
          {},
          answer === null || answer === undefined ? "" : isolated(answer, { class: "answer", "data-answer": scorer }),
        ),
        element("td", {}, table?.stage?.[scorer]?.[at] ?? ""),
        element("td", {}, flags(table?.flags?.[scorer]?.[at])),
      );
    });
    return element(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Verdicts" },
      element(
        "table",
        { class: "plain verdicts" },
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            head.map((name) => element("th", { scope: "col" }, name)),
          ),
        ),
        element("tbody", {}, rows),
      ),
    );
  }

  const flags = (given) => (Array.isArray(given) ? given.join(" ") : (given ?? ""));

  function facts({ pair, at, table, problem }) {
    const [row, seed] = place(pair, at);
    const expected = table?.expected?.[row] ?? problem?.expected;
    const why = (pair.not_ok ?? []).find((one) => one.id === pair.problems[row] && one.seed === pair.seeds[seed]);
    const finish = table?.finish?.[at];
    const rows = [
      [
        "expected answer",
        expected === undefined || expected === null ? null : isolated(expected, { class: "answer expected" }),
      ],
      ["tokens", table?.tokens?.[at] === undefined ? null : whole(table.tokens[at])],
      ["ended by", finish ? (FINISH[finish] ?? finish) : null],
      ["status", why ? [why.status, why.reason].filter(Boolean).join(": ") : null],
    ].filter(([, value]) => value !== null);
    return element(
      "dl",
      { class: "facts-list" },
      rows.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
    );
  }

  function problem({ problem: told, raw }) {
    if (!told) return null;
    const { text, maths } = ready(told.text, told.maths);
    return element(
      "section",
      {},
      element("h3", {}, "Problem"),
      passage(text, 0, text.length, { maths, marks: [], raw }),
    );
  }

  /** Return a text with its formulas' offsets as JavaScript counts. */
  function ready(text, maths) {
    const offset = converter(text);
    return { text, offset, maths: (maths ?? []).map(([from, to, mathml]) => [offset(from), offset(to), mathml]) };
  }

  function absent({ pair, at, wrong }) {
    if (pair.private) {
      return element(
        "p",
        { class: "alert" },
        "The texts of this benchmark are private: its licence asks that problems and generations are not shown. Ids, answers, stages and spans are all there is.",
      );
    }
    if (wrong.length) return null;
    return element(
      "p",
      { class: "alert" },
      pair.status[at] === "."
        ? "No text was kept of this sample."
        : `There is no text: the sample is ${{ m: "missing", e: "an error", t: "truncated", 0: "empty" }[pair.status[at]]}.`,
    );
  }

  /** Return a generation as `ready` does; its offsets count in the whole text, of which the middle may be left out. */
  function shortened(told) {
    const inside = (place) => (place <= told.cut_at ? place : Math.max(told.cut_at, place - told.cut));
    if (!told.cut) return ready(told.text, told.maths);
    const found = ready(
      told.text,
      told.maths.map(([from, to, mathml]) => [inside(from), inside(to), mathml]),
    );
    return { ...found, offset: (place) => found.offset(inside(place)) };
  }

  /** Return the reasoning, folded, and what follows it, with the marks of the scorers. */
  function generation({ pair, at, table, text: told, raw }) {
    const { text, offset, maths } = shortened(told);
    const marks = pair.scorers
      .map((scorer, tone) => ({ scorer, tone: tone % 4, span: table?.span?.[scorer]?.[at] }))
      .filter((one) => one.span)
      .map(({ scorer, tone, span }) => ({ scorer, tone, from: offset(span[0]), to: offset(span[1]) }));
    const final = offset(told.final_at ?? 0);
    const early = marks.filter((one) => one.from < final);
    return [
      told.cut || told.reasoning_cut
        ? element(
            "p",
            { class: "alert" },
            `${size((told.cut ?? 0) + (told.reasoning_cut ?? 0))} are left out in the middle, so that this one file stays small; the generations are in the output files.`,
          )
        : null,
      reasoning(told.reasoning, text.slice(0, final), marks, raw),
      early.map((mark) => excerpt(text, mark, final, { maths, marks, raw })),
      element(
        "section",
        {},
        element(
          "h3",
          {},
          final || told.reasoning ? "After the reasoning" : "Generation",
          element("small", {}, ` ${size(text.length - final)}`),
        ),
        text.length > final
          ? passage(text, final, text.length, { maths, marks, raw })
          : element("p", { class: "alert" }, "Nothing: the generation ends inside its reasoning."),
      ),
    ];
  }

  function reasoning(separate, before, marks, raw) {
    const whole = (separate ?? "").length + before.length;
    if (!whole) return null;
    const details = element(
      "details",
      { class: "reasoning" },
      element("summary", {}, "Reasoning", element("small", {}, ` ${size(whole)}`)),
    );
    details.addEventListener("toggle", () => {
      if (!details.open || details.children.length > 1) return;
      if (separate) details.append(passage(separate, 0, separate.length, { maths: [], marks: [], raw }));
      if (before) details.append(passage(before, 0, before.length, { maths: [], marks, raw }));
    });
    return details;
  }

  function excerpt(text, mark, final, how) {
    const from = Math.max(0, mark.from - AROUND);
    const to = Math.min(final, mark.to + AROUND);
    return element(
      "section",
      { class: "excerpt" },
      element("h3", {}, isolated(mark.scorer), " matched inside the reasoning"),
      passage(text, from, to, how),
    );
  }

  return { sheet };
};
