"use strict";
globalThis.seedbedParts ??= {};

/** The list of the samples of a pair that pass a filter and hold a text in their id or answers. */
seedbedParts.samples = (seedbed) => {
  const { element, isolated, refill } = seedbed.elements;
  const { KINDS, filtered, kind, place } = seedbed.outcomes;
  const { whole, some } = seedbed.words;
  const PAGE = 50;
  let list = null;

  /** Return the section; `open(index)` shows a sample. */
  function samples(pair, scorer, asked, open) {
    list = {
      pair,
      scorer,
      open,
      filter: asked.filter ?? "all",
      query: asked.query ?? "",
      page: 0,
      table: null,
      wrong: "",
    };
    const own = list;
    own.chips = element("div", { class: "chips", role: "group", "aria-label": "Filter" });
    own.rows = element("div", { class: "scroll" });
    own.pages = element("div", { class: "pages" });
    own.count = element("p", { class: "told", role: "status" });
    const search = element("input", {
      type: "search",
      id: "find",
      placeholder: "id or answer",
      value: own.query,
      input: (event) => find(own, event.target.value),
    });
    const node = element(
      "section",
      { class: "block", id: "samples", "aria-labelledby": "samples-title" },
      element("h3", { id: "samples-title", tabindex: "-1" }, "Samples"),
      own.chips,
      element("p", { class: "controls" }, element("label", {}, "Find ", search)),
      own.count,
      own.rows,
      own.pages,
    );
    show(own);
    new IntersectionObserver(
      (entries, watcher) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        watcher.disconnect();
        fetch(own);
      },
      { rootMargin: "400px" },
    ).observe(node);
    return node;
  }

  /** Load the table of the samples, then show again. */
  async function fetch(own) {
    try {
      own.table ??= await seedbed.store.samples(own.pair);
      own.wrong = "";
    } catch (error) {
      own.wrong = `Answers cannot be shown: ${error.message}.`;
    }
    if (own === list) show(own);
  }

  function find(own, query) {
    own.query = query;
    own.page = 0;
    show(own);
  }

  /** Choose a filter, as a link or a chip does. */
  function choose(filter, query = "") {
    const search = document.getElementById("find");
    if (search && search.value !== query) search.value = query;
    list.filter = filter;
    list.query = query;
    list.page = 0;
    show(list);
    return fetch(list);
  }

  /** Return the indices that are listed now, in order. */
  function listed(own = list) {
    const found = filtered(own.pair, own.scorer, own.filter, own.table) ?? [];
    const query = own.query.trim().toLowerCase();
    return query ? found.filter((at) => holds(own, at, query)) : found;
  }

  function holds({ pair, table }, at, query) {
    const [problem, seed] = place(pair, at);
    if (`${pair.problems[problem]}@${pair.seeds[seed]}`.toLowerCase().includes(query)) return true;
    const answers = pair.scorers.map((name) => table?.answer?.[name]?.[at]);
    return [...answers, table?.expected?.[problem]].some((answer) => answer?.toLowerCase().includes(query));
  }

  function show(own) {
    own.found = listed(own);
    refill(
      own.chips,
      seedbed.filters.buttons(own, (name) => pick(own, name)),
    );
    const last = Math.max(0, Math.ceil(own.found.length / PAGE) - 1);
    own.page = Math.min(own.page, last);
    const rows = own.found.slice(own.page * PAGE, (own.page + 1) * PAGE);
    refill(own.rows, rows.length ? table(own, rows) : null);
    refill(own.count, own.wrong || (own.found.length ? some(own.found.length, "sample") : "No sample passes."));
    seedbed.pager.turn(own, last, `page ${whole(own.page + 1)} of ${whole(last + 1)}`, () => show(own));
  }

  function pick(own, name) {
    own.filter = name;
    own.page = 0;
    show(own);
    own.chips.querySelector(`[data-filter="${name}"]`)?.focus();
    fetch(own);
  }

  function table(own, rows) {
    const { pair, scorer, table: known } = own;
    const others = pair.scorers.filter((name) => name !== scorer);
    const names = [scorer, ...others];
    const titles = names.map((name) => name || "outcome");
    const head = ["sample", ...titles, known?.expected ? "expected" : null, "tokens"].filter(Boolean);
    return element(
      "table",
      { class: "plain list" },
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          head.map((name) => element("th", { scope: "col" }, isolated(name))),
        ),
      ),
      element(
        "tbody",
        {},
        rows.map((at) => row(own, names, at)),
      ),
    );
  }

  function row(own, names, at) {
    const { pair, table: known } = own;
    const [problem, seed] = place(pair, at);
    const name = `${pair.problems[problem]}@${pair.seeds[seed]}`;
    return element(
      "tr",
      {},
      element(
        "th",
        { scope: "row" },
        element("button", { type: "button", class: "link", "data-at": at, click: () => own.open(at) }, isolated(name)),
      ),
      names.map((scorer) => {
        const of = kind(pair, scorer, at);
        return element(
          "td",
          {},
          element("span", { class: `cell ${of}`, title: KINDS[of][1] }, KINDS[of][0]),
          element("span", { class: "unseen" }, `${KINDS[of][1]} `),
          answer(known?.answer?.[scorer]?.[at]),
        );
      }),
      known?.expected ? element("td", {}, answer(known.expected[problem])) : null,
      element("td", { class: "number" }, known ? whole(known.tokens?.[at]) : ""),
    );
  }

  /** Return an answer, shortened where it is long. */
  function answer(text) {
    if (text === null || text === undefined) return null;
    return isolated(text.length > 60 ? `${text.slice(0, 59)}…` : text, { class: "answer" });
  }

  return { samples, choose, listed, state: () => list };
};
