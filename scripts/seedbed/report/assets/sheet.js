"use strict";
globalThis.seedbedParts ??= {};

/** What the viewer shows of one sample: the verdicts, some facts, the problem, the generation. */
seedbedParts.sheet = (seedbed) => {
  const { element, isolated } = seedbed.elements;
  const { KINDS, kind, place } = seedbed.outcomes;
  const { whole } = seedbed.words;
  const FINISH = { length: "length: cut off at the limit", stop: "stop" };

  /** Return the nodes of a sample. */
  function sheet(shown) {
    return [
      shown.wrong.map((why) => element("p", { class: "alert", role: "alert" }, `Not all can be shown: ${why}.`)),
      verdicts(shown),
      facts(shown),
      problem(shown),
      shown.text ? seedbed.generation.generation(shown) : absent(shown),
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
      { class: "scroll", tabindex: "0", role: "group", "aria-label": "Verdicts" },
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
      ["ended by", finish ? (seedbed.words.own(FINISH, finish) ?? finish) : null],
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
    const { text, maths } = seedbed.generation.ready(told.text, told.maths);
    return element(
      "section",
      {},
      element("h3", {}, "Problem"),
      seedbed.passage.passage(text, 0, text.length, { maths, marks: [], raw }),
    );
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

  return { sheet };
};
