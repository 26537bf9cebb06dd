"use strict";
globalThis.seedbedParts ??= {};

/** What became of each sample, and which samples a filter lets through. */
seedbedParts.outcomes = () => {
  /** The kinds, with their sign (colour alone tells nobody enough) and their words. */
  const KINDS = {
    right: ["✓", "right"],
    wrong: ["×", "wrong"],
    none: ["–", "no answer"],
    truncated: ["…", "cut off, not right"],
    error: ["!", "error"],
    missing: ["∅", "missing"],
    unscored: ["?", "not scored"],
  };
  const FILTERS = [
    ["all", "all"],
    ["right", "right"],
    ["wrong", "wrong"],
    ["no_answer", "no answer"],
    ["truncated", "truncated"],
    ["recovered", "recovered"],
    ["lost", "lost"],
    ["changed", "changed"],
    ["first_differs", "first ≠ last"],
    ["right_in_text", "right in the text, not extracted"],
    ["duplicate", "duplicates"],
    ["timeout", "timed out"],
    ["empty", "empty"],
    ["error", "error"],
    ["missing", "missing"],
  ];
  const FROM_TABLE = new Set(["first_differs", "right_in_text", "duplicate"]);
  const kept = new Map();

  /** Return the scorer that a pair is shown by at first: the last broad one, else the strict one. */
  const main = (pair) => pair.main ?? pair.scorers.filter((name) => name !== "strict").at(-1) ?? pair.scorers[0] ?? "";

  /** Return the index of a sample: seeds outside, problems inside. */
  const index = (pair, problem, seed) => seed * pair.problems.length + problem;

  /** Return the place of a sample: the indices of its problem and its seed. */
  const place = (pair, at) => [at % pair.problems.length, Math.floor(at / pair.problems.length)];

  /** Return the kind of one sample. */
  function kind(pair, scorer, at) {
    const status = pair.status[at];
    if (status === "m") return "missing";
    if (status === "e") return "error";
    const cell = pair.cells[scorer]?.[at];
    if (cell === "r") return "right";
    if (status === "t") return "truncated";
    if (cell === undefined || cell === "-") return "unscored";
    return cell === "w" || cell === "o" ? "wrong" : "none";
  }

  /** Return how many samples there are of each kind. */
  function tally(pair, scorer) {
    return remembered(`tally ${pair.name} ${scorer}`, () => {
      const counts = Object.fromEntries(Object.keys(KINDS).map((name) => [name, 0]));
      for (let at = 0; at < pair.status.length; at++) counts[kind(pair, scorer, at)]++;
      return counts;
    });
  }

  /** Return the share of right samples of each problem, in percent. */
  function accuracy(pair, scorer) {
    return remembered(`accuracy ${pair.name} ${scorer}`, () => {
      const cells = pair.cells[scorer] ?? "";
      return pair.problems.map((_, problem) => {
        let right = 0;
        for (let seed = 0; seed < pair.seeds.length; seed++) right += cells[index(pair, problem, seed)] === "r";
        return pair.seeds.length ? (100 * right) / pair.seeds.length : 0;
      });
    });
  }

  /** Return whether a sample passes a filter that needs no table. */
  function passes(pair, scorer, name, at) {
    const cell = pair.cells[scorer]?.[at];
    const strict = pair.cells.strict?.[at];
    switch (name) {
      case "right":
        return cell === "r";
      case "wrong":
        return cell === "w" || cell === "o";
      case "no_answer":
        return cell === "n";
      case "timeout":
        return cell === "o";
      case "empty":
        return pair.status[at] === "0";
      case "truncated":
        return pair.status[at] === "t";
      case "error":
        return pair.status[at] === "e";
      case "missing":
        return pair.status[at] === "m";
      case "recovered":
        return strict !== undefined && cell === "r" && strict !== "r";
      case "lost":
        return strict === "r" && cell !== "r";
      default:
        return true;
    }
  }

  /** Return whether the two scorers read two different answers. */
  function changed(scorer, table, at) {
    const strict = table?.answer?.strict?.[at];
    const broad = table?.answer?.[scorer]?.[at];
    return strict !== undefined && broad !== undefined && strict !== broad;
  }

  /** Return the indices that pass a filter, problem by problem; null if that needs the table and there is none yet. */
  function filtered(pair, scorer, name, table) {
    if ((FROM_TABLE.has(name) || name === "changed") && !table) return null;
    const key = `filter ${pair.name} ${scorer} ${name}`;
    return remembered(key, () => {
      const listed = FROM_TABLE.has(name) ? new Set(listedIn(table, scorer, name)) : null;
      const found = [];
      for (let problem = 0; problem < pair.problems.length; problem++) {
        for (let seed = 0; seed < pair.seeds.length; seed++) {
          const at = index(pair, problem, seed);
          const good = listed
            ? listed.has(at)
            : name === "changed"
              ? changed(scorer, table, at)
              : passes(pair, scorer, name, at);
          if (good) found.push(at);
        }
      }
      return found;
    });
  }

  function listedIn(table, scorer, name) {
    return (name === "duplicate" ? table.duplicate : table[name]?.[scorer]) ?? [];
  }

  function remembered(key, make) {
    if (!kept.has(key)) kept.set(key, make());
    return kept.get(key);
  }

  return { KINDS, FILTERS, main, index, place, kind, tally, accuracy, filtered };
};
