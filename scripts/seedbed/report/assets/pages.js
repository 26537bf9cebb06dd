"use strict";
globalThis.seedbedParts ??= {};

/** The pair that is looked at: its parts, the choice of another, and what the address asks for. */
seedbedParts.pages = (seedbed) => {
  const { element, isolated, refill } = seedbed.elements;
  const now = { pair: null, scorer: "" };
  let holder = null;

  /** Fill the section of pairs and follow the address from now on. */
  function start(node) {
    holder = node;
    const { pairs } = seedbed.store.data();
    if (!pairs.length) return;
    addEventListener("hashchange", follow);
    document.addEventListener("click", again);
    if (!seedbed.address.read(location.hash)) show(pairs[0], null);
    follow();
  }

  /** Follow a link to where the address is already, which the browser would not. */
  function again(event) {
    const link = event.target.closest?.("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) follow();
  }

  /** Show what the address asks for. */
  async function follow() {
    const asked = seedbed.address.read(location.hash);
    if (!asked) return;
    const pair = seedbed.store.pair(asked.pair);
    if (!pair) return seedbed.start.say(`This report has no ${asked.pair}.`);
    const scorer = pair.scorers.includes(asked.scorer) ? asked.scorer : null;
    if (pair !== now.pair || (scorer && scorer !== now.scorer)) show(pair, scorer, asked);
    if (asked.place !== "sample") seedbed.viewer.close();
    if (asked.place === "pair") return reach("pair-title");
    if (asked.place === "samples") reach("samples-title");
    await seedbed.samples.choose(asked.filter, asked.query);
    if (asked.place === "sample") openAsked(pair, asked);
  }

  function openAsked(pair, asked) {
    const problem = seedbed.address.problem(pair, asked.id);
    const seed = pair.seeds.indexOf(asked.seed);
    if (problem < 0 || seed < 0) return seedbed.start.say(`${pair.name} has no sample ${asked.id}@${asked.seed}.`);
    seedbed.viewer.open(
      pair,
      now.scorer,
      seedbed.outcomes.index(pair, problem, seed),
      seedbed.samples.listed(),
      asked.filter,
    );
  }

  function reach(id) {
    const title = document.getElementById(id);
    title?.scrollIntoView({ block: "start" });
    title?.focus({ preventScroll: true });
  }

  /** Write an address without going there. */
  function note(address) {
    history.replaceState(null, "", address);
  }

  /** Show a pair by a scorer. */
  function show(pair, scorer, asked = {}) {
    now.pair = pair;
    now.scorer = scorer ?? seedbed.outcomes.main(pair);
    const open = (at) =>
      seedbed.viewer.open(pair, now.scorer, at, seedbed.samples.listed(), seedbed.samples.state().filter);
    const anyOf = (at) => seedbed.viewer.open(pair, now.scorer, at, [], "all");
    refill(
      holder,
      bar(pair),
      element("div", { class: "two" }, seedbed.pair.summary(pair), seedbed.pair.measures(pair)),
      pair.problems.length && pair.seeds.length
        ? [
            seedbed.heatmap.heatmap(pair, now.scorer, anyOf),
            seedbed.pair.charts(pair, anyOf),
            seedbed.flow.flow(pair, flowing(pair)),
            seedbed.samples.samples(pair, now.scorer, asked, open),
          ]
        : null,
      seedbed.pair.time(pair),
      seedbed.pair.files(pair),
    );
    seedbed.figure.redraw();
  }

  const flowing = (pair) => (now.scorer === "strict" ? seedbed.outcomes.main(pair) : now.scorer);

  function bar(pair) {
    const { pairs } = seedbed.store.data();
    const choice = element(
      "select",
      { id: "pair-choice", change: (event) => go(event.target.value, null, "pair-choice") },
      pairs.map((one) => element("option", { value: one.name, selected: one === pair }, one.name)),
    );
    const scorers = pair.scorers.map((name) =>
      element(
        "button",
        {
          type: "button",
          "data-scorer": name,
          "aria-pressed": String(name === now.scorer),
          click: () => go(pair.name, name, null),
        },
        isolated(name),
      ),
    );
    return element(
      "div",
      { class: "bar-of-choice" },
      element("label", {}, "Model / benchmark ", choice),
      pair.scorers.length > 1
        ? element(
            "div",
            { class: "segments", role: "group", "aria-label": "Scorer" },
            element("span", {}, "Scorer"),
            scorers,
          )
        : null,
    );
  }

  function go(name, scorer, focused) {
    const pair = seedbed.store.pair(name);
    show(pair, scorer);
    note(seedbed.address.written({ place: "pair", pair: name, scorer: now.scorer }));
    const target = focused
      ? document.getElementById(focused)
      : holder.querySelector(`[data-scorer="${CSS.escape(now.scorer)}"]`);
    target?.focus({ preventScroll: true });
  }

  return { start, note };
};
