"use strict";
globalThis.seedbedParts ??= {};

/** The orders in which a heat map shows its problems. */
seedbedParts.order = () => {
  const ORDERS = [
    ["file", "as in the dataset"],
    ["worst", "worst first"],
    ["best", "best first"],
    ["split", "most divided first"],
  ];

  /** Return the problems to show, in the chosen order. */
  function ordered({ pair, shares, order, find }) {
    const wanted = find.trim().toLowerCase();
    let list = pair.problems.map((_, problem) => problem);
    if (wanted) list = list.filter((problem) => pair.problems[problem].toLowerCase().includes(wanted));
    const by = {
      worst: (problem) => shares[problem],
      best: (problem) => -shares[problem],
      split: (problem) => Math.abs(50 - shares[problem]),
    }[order];
    return by ? list.sort((a, b) => by(a) - by(b)) : list;
  }

  return { ORDERS, ordered };
};
