"use strict";
globalThis.seedbedParts ??= {};

/** A generation: the reasoning folded, what follows it, and the marks of the scorers. */
seedbedParts.generation = (seedbed) => {
  const { element, isolated } = seedbed.elements;
  const { size } = seedbed.words;
  const { converter, characters, passage } = seedbed.passage;
  const AROUND = 240;

  /** Return a text with its formulas' offsets as JavaScript counts. */
  function ready(text, maths) {
    const offset = converter(text);
    return { text, offset, maths: (maths ?? []).map(([from, to, mathml]) => [offset(from), offset(to), mathml]) };
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
    const whole = characters(text) + (told.cut ?? 0); // a span is a slice: negative numbers count from the end
    const marks = pair.scorers
      .map((scorer, tone) => ({ scorer, tone: tone % 4, span: table?.span?.[scorer]?.[at] }))
      .filter((one) => one.span)
      .map(({ scorer, tone, span }) => {
        const [from, to] = span.map((place) => offset(place < 0 ? whole + place : place));
        return { scorer, tone, from, to };
      });
    const final = offset(told.final_at ?? 0);
    const from = final + /^\s*/.exec(text.slice(final))[0].length;
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
        text.length > from
          ? passage(text, from, text.length, { maths, marks, raw })
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

  return { generation, ready };
};
