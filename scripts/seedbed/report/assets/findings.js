"use strict";
globalThis.seedbedParts ??= {};

/** What is missing or odd and what to do about it, and the gates. */
seedbedParts.findings = (seedbed) => {
  const { element, isolated } = seedbed.elements;
  const { own } = seedbed.words;
  const LEVELS = { bad: ["!", "urgent"], odd: ["?", "odd"], note: ["i", "note"] };
  const OUTCOMES = { pass: ["good", "✓"], fail: ["bad", "✕"], inconclusive: ["odd", "?"] };
  const FIRST = 5;
  const SHORT = 6;

  /** Return the card of findings, the most urgent first. */
  function findings(data) {
    const items = data.findings.map(finding);
    const later = items.slice(FIRST);
    for (const item of later) item.classList.add("later");
    const list = element("ol", { class: "findings short" }, items);
    const button = element(
      "button",
      {
        type: "button",
        class: "more",
        click: () => {
          list.classList.remove("short");
          button.remove();
          later[0].querySelector("a")?.focus();
        },
      },
      `${later.length} more`,
    );
    return element(
      "section",
      { class: "card", id: "findings", "aria-labelledby": "findings-title" },
      element("h2", { id: "findings-title" }, "What is missing or odd"),
      items.length
        ? list
        : element("p", { class: "calm-words" }, "Nothing: every sample is there and nothing looks odd."),
      later.length ? button : null,
    );
  }

  function finding(one) {
    const [sign, word] = own(LEVELS, one.level) ?? LEVELS.note;
    return element(
      "li",
      { class: one.level },
      element("span", { class: "level", "aria-hidden": "true" }, sign),
      element(
        "div",
        {},
        element("span", { class: "unseen" }, `${word}: `),
        one.pair ? element("span", { class: "of" }, isolated(one.pair)) : null,
        element("p", {}, one.text),
        one.act ? element("p", { class: "act" }, element("span", { "aria-hidden": "true" }, "→ "), one.act) : null,
        one.pair && one.filter ? samples(one) : null,
        one.members?.length ? members(one.members) : null,
      ),
    );
  }

  function samples(one) {
    const { name, scorer } = one.filter;
    const href = seedbed.address.written({ place: "samples", pair: one.pair, filter: name, scorer });
    return element(
      "p",
      {},
      element("a", { href }, "Show the samples", element("span", { class: "unseen" }, `: ${one.text}`)),
    );
  }

  /** Return the findings that are grouped into one, folded: each leads to its samples, or else to its pair. */
  function members(all) {
    const rows = all.map((one) => {
      const { name, scorer } = one.filter ?? {};
      const place = one.filter ? "samples" : "pair";
      const href = one.pair && seedbed.address.written({ place, pair: one.pair, filter: name, scorer });
      const named = href ? element("a", { href }, isolated(one.pair)) : null;
      return element("li", {}, named, element("span", {}, ` ${one.text}`));
    });
    return element(
      "details",
      { class: "members" },
      element("summary", {}, `Each of the ${all.length}`),
      element("ul", {}, rows),
    );
  }

  /** Return the card of gates, null if none is asked for. */
  function gates(data) {
    if (!data.gates?.length) return null;
    return element(
      "section",
      { class: "card", id: "gates", "aria-labelledby": "gates-title" },
      element("h2", { id: "gates-title" }, "Gates"),
      data.gates.length > SHORT ? grouped(data.gates) : element("ul", { class: "gates" }, data.gates.map(gate)),
    );
  }

  /** Return one line a criterion, with the gates of all pairs folded below it. */
  function grouped(gates) {
    const names = [...new Set(gates.map((one) => one.criterion ?? one.gate))];
    return names.map((name) => {
      const own = gates.filter((one) => (one.criterion ?? one.gate) === name);
      const marks = Object.keys(OUTCOMES).map((outcome) => {
        const many = own.filter((one) => one.outcome === outcome).length;
        return many ? [badge(outcome, `${many} ${outcome}`), " "] : null;
      });
      const list = element("ul", { class: "gates" }, own.map(gate));
      return element(
        "details",
        { class: "gate" },
        element("summary", {}, element("code", {}, isolated(name)), " ", marks),
        list,
      );
    });
  }

  function badge(outcome, words = outcome) {
    const [tone, sign] = own(OUTCOMES, outcome) ?? ["calm", "?"];
    return element("span", { class: `mark ${tone}` }, element("span", { "aria-hidden": "true" }, `${sign} `), words);
  }

  function gate(one) {
    return element(
      "li",
      {},
      badge(one.outcome),
      element("div", {}, element("code", {}, isolated(one.gate)), element("p", {}, one.text)),
    );
  }

  return { findings, gates };
};
