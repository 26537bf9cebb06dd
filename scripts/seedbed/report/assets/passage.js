"use strict";
globalThis.seedbedParts ??= {};

/** A passage of a generation: plain text in blocks, formulas drawn, and what each scorer matched marked. */
seedbedParts.passage = (seedbed) => {
  const { element, written } = seedbed.elements;
  const BLOCK = 6000;
  const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;
  const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;

  /** Return a function from offsets in characters (as Python counts them) to offsets in a JavaScript string. */
  function converter(text) {
    if (!PAIR.test(text)) return (offset) => Math.min(offset, text.length);
    const pairs = Array.from(text.matchAll(PAIRS), (match, before) => match.index - before);
    return (offset) => {
      let low = 0;
      let high = pairs.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (pairs[middle] < offset) low = middle + 1;
        else high = middle;
      }
      return Math.min(offset + low, text.length);
    };
  }

  /** Return how many characters a text has, pairs of surrogates being one each. */
  function characters(text) {
    if (!PAIR.test(text)) return text.length;
    let pairs = 0;
    for (const _ of text.matchAll(PAIRS)) pairs++;
    return text.length - pairs;
  }

  /**
   * Return the node of text[from:to].
   * @param {{maths: [number, number, string][], marks: {scorer: string, from: number, to: number, tone: number}[], raw: boolean}} how
   */
  function passage(text, from, to, { maths, marks, raw }) {
    const box = element("div", { class: "passage" });
    const within = (one) => one.to > from && one.from < to;
    const formulas = raw ? [] : maths.map(([a, b, mathml]) => ({ from: a, to: b, mathml })).filter(within);
    const spans = marks.filter(within);
    let block = start(box);
    let place = from;
    for (const one of formulas) {
      if (one.from < place) continue;
      block = plain(box, block, text, place, one.from, spans);
      append(block, drawn(text, one, spans));
      block.length += one.to - one.from;
      place = one.to;
    }
    plain(box, block, text, place, to, spans);
    return box;
  }

  function start(box) {
    const node = element("div", { class: "part" });
    box.append(node);
    return { node, length: 0 };
  }

  function append(block, ...nodes) {
    block.node.append(...nodes);
  }

  /** Add text in blocks that the browser lays out one at a time; they end at line ends where there are some. */
  function plain(box, into, text, from, to, spans) {
    let block = into;
    let place = from;
    while (place < to) {
      if (block.length >= BLOCK) block = start(box);
      const end = cut(text, place, place + BLOCK - block.length, to);
      append(block, ...marked(text, place, end, spans));
      block.length = end < to ? BLOCK : block.length + end - place;
      place = end;
    }
    return block;
  }

  /** Return where a block that should end at `wanted` does end: after a line, after a word, never inside a character. */
  function cut(text, place, wanted, to) {
    if (wanted >= to) return to;
    const line = text.lastIndexOf("\n", wanted - 1);
    if (line > place) return line + 1;
    const word = text.lastIndexOf(" ", wanted - 1);
    if (word > place) return word + 1;
    return PAIR.test(text.slice(wanted - 1, wanted + 1)) ? wanted + 1 : wanted;
  }

  /** Return the nodes of text[from:to] with the marks of the scorers. */
  function marked(text, from, to, spans) {
    const touching = spans.filter((one) => one.to > from && one.from < to);
    if (!touching.length) return written(text.slice(from, to));
    const edges = [...new Set([from, to, ...touching.flatMap((one) => [one.from, one.to])])];
    const inside = edges.filter((edge) => edge >= from && edge <= to).sort((a, b) => a - b);
    return inside.slice(0, -1).flatMap((edge, at) => {
      const by = touching.filter((one) => one.from <= edge && one.to > edge);
      const nodes = written(text.slice(edge, inside[at + 1]));
      return by.length ? [mark(by, nodes)] : nodes;
    });
  }

  function mark(by, nodes) {
    const names = by.map((one) => one.scorer);
    const node = element("mark", {
      class: by.map((one) => `by-${one.tone}`).join(" "),
      "data-scorers": names.join(" "),
      title: `matched by ${names.join(" and ")}`,
    });
    node.append(...nodes);
    return node;
  }

  /** Return a formula, and its source too where a scorer matched inside it. */
  function drawn(text, one, spans) {
    const source = text.slice(one.from, one.to);
    const nodes = marked(text, one.from, one.to, spans);
    const formula = seedbed.formulas.formula(one.mathml);
    if (!formula) return element("span", {}, nodes);
    const inside = spans.some((span) => span.to > one.from && span.from < one.to);
    const name = formula.getAttribute("display") === "block" ? "formula block-formula" : "formula";
    const holder = element("span", { class: name, title: source.slice(0, 400) }, formula);
    return inside ? element("span", { class: "matched" }, holder, element("code", { class: "source" }, nodes)) : holder;
  }

  return { converter, characters, passage };
};
