"use strict";
globalThis.seedbedParts ??= {};

/** Problems × seeds: one cell a sample, by mouse, by finger and by arrow keys. */
seedbedParts.heatmap = (seedbed) => {
  const { element, isolated, refill } = seedbed.elements;
  const { KINDS, index, kind, tally, accuracy } = seedbed.outcomes;
  const { whole, some } = seedbed.words;
  const CELLS = 2400;

  /** Return the section of the map; `open(index)` shows a sample. */
  function heatmap(pair, scorer, open) {
    const map = { pair, scorer, open, order: pair.problems.length > 100 ? "split" : "file", page: 0, find: "" };
    map.shares = accuracy(pair, scorer);
    map.rows = Math.max(10, Math.floor(CELLS / Math.max(1, pair.seeds.length)));
    map.grid = element("div", { class: "grid", role: "grid", "aria-label": "Problems by seeds" });
    map.told = element("p", { class: "told" });
    map.pages = element("div", { class: "pages" });
    map.grid.addEventListener("keydown", (event) => pressed(map, event));
    map.grid.addEventListener("click", (event) => clicked(map, event));
    map.grid.addEventListener("focusin", (event) => tell(map, event.target));
    map.grid.addEventListener("mouseover", (event) => tell(map, event.target));
    map.grid.style.setProperty("--seeds", pair.seeds.length);
    draw(map);
    return element(
      "section",
      { class: "block", id: "map", "aria-labelledby": "map-title" },
      element("h3", { id: "map-title" }, "Every sample"),
      element("p", { class: "lead" }, lead(map)),
      legend(map),
      controls(map),
      element("div", { class: "scroll" }, map.grid),
      map.told,
      map.pages,
    );
  }

  function lead({ pair, shares }) {
    const size = `${some(pair.problems.length, "problem")} × ${some(pair.seeds.length, "seed")}`;
    if (!pair.scorers.length) return `${size}, not scored as long as some are missing.`;
    const always = shares.filter((share) => share === 100).length;
    const never = shares.filter((share) => share === 0).length;
    return (
      `${size}: ` +
      `${whole(always)} always right, ${whole(never)} never, ${whole(shares.length - always - never)} now and then. ` +
      "Choose a cell to read the sample."
    );
  }

  function legend({ pair, scorer }) {
    const counts = tally(pair, scorer);
    const entries = Object.entries(KINDS).filter(([name]) => counts[name]);
    return element(
      "ul",
      { class: "legend" },
      entries.map(([name, [sign, word]]) =>
        element(
          "li",
          {},
          element("span", { class: `cell ${name}`, "aria-hidden": "true" }, sign),
          `${word} `,
          element("b", {}, whole(counts[name])),
        ),
      ),
    );
  }

  function controls(map) {
    const change = (key) => (event) => {
      map[key] = event.target.value;
      map.page = 0;
      draw(map);
    };
    return element(
      "div",
      { class: "controls" },
      element(
        "label",
        {},
        "Order ",
        element(
          "select",
          { change: change("order") },
          seedbed.order.ORDERS.map(([name, word]) =>
            element("option", { value: name, selected: name === map.order }, word),
          ),
        ),
      ),
      map.pair.problems.length > 20
        ? element(
            "label",
            {},
            "Problem ",
            element("input", { type: "search", size: 12, placeholder: "part of its id", input: change("find") }),
          )
        : null,
    );
  }

  function draw(map) {
    const { pair } = map;
    map.list = seedbed.order.ordered(map);
    const last = Math.max(0, Math.ceil(map.list.length / map.rows) - 1);
    map.page = Math.min(map.page, last);
    const shown = map.list.slice(map.page * map.rows, (map.page + 1) * map.rows);
    map.grid.setAttribute("aria-rowcount", map.list.length + 1);
    map.grid.setAttribute("aria-colcount", pair.seeds.length + 2);
    const head = element(
      "div",
      { role: "row", class: "row head", "aria-rowindex": 1 },
      element("span", { role: "columnheader", class: "id" }, "problem"),
      pair.seeds.map((seed) =>
        element("span", { role: "columnheader", class: "seed" }, element("span", {}, String(seed))),
      ),
      element("span", { role: "columnheader", class: "share" }, "right"),
    );
    refill(
      map.grid,
      head,
      shown.map((problem, at) => row(map, problem, map.page * map.rows + at)),
    );
    const first = map.grid.querySelector("[role=gridcell]");
    if (first) first.tabIndex = 0;
    refill(map.told, shown.length ? " " : "No problem has such an id.");
    const to = Math.min(map.list.length, (map.page + 1) * map.rows);
    const words = `problems ${whole(map.page * map.rows + 1)} to ${whole(to)} of ${whole(map.list.length)}`;
    seedbed.pager.turn(map, last, words, () => draw(map));
  }

  function row(map, problem, at) {
    const { pair, scorer, shares } = map;
    const bar = element("span", { class: "bar" });
    bar.style.width = `${(4 * shares[problem]) / 100}rem`;
    return element(
      "div",
      { role: "row", class: "row", "aria-rowindex": at + 2 },
      element("span", { role: "rowheader", class: "id" }, isolated(pair.problems[problem])),
      pair.seeds.map((seed, column) => {
        const sample = index(pair, problem, column);
        const name = kind(pair, scorer, sample);
        return element(
          "span",
          {
            role: "gridcell",
            class: `cell ${name}`,
            tabindex: "-1",
            "data-at": sample,
            "aria-label": `${KINDS[name][1]}, seed ${seed}`,
          },
          KINDS[name][0],
        );
      }),
      element(
        "span",
        { role: "gridcell", class: "share" },
        bar,
        element("span", {}, scorer ? `${Math.round(shares[problem])} %` : ""),
      ),
    );
  }

  /** Say in a line what the cell under the pointer or the cursor is. */
  function tell(map, target) {
    const cell = target.closest?.(".cell");
    if (!cell?.dataset.at) return;
    const { pair } = map;
    const at = Number(cell.dataset.at);
    const [problem, seed] = seedbed.outcomes.place(pair, at);
    const names = pair.scorers.map((name) => `${name}: ${KINDS[kind(pair, name, at)][1]}`);
    const others = names.join(", ") || KINDS[kind(pair, "", at)][1];
    refill(map.told, isolated(pair.problems[problem]), `, seed ${pair.seeds[seed]}: ${others}`);
  }

  function clicked(map, event) {
    const cell = event.target.closest(".cell");
    if (cell) choose(map, cell);
  }

  function choose(map, cell) {
    seedbed.cursor.put(map.grid, cell);
    map.open(Number(cell.dataset.at));
  }

  function pressed(map, event) {
    const cell = event.target.closest(".cell");
    if (!cell?.dataset.at || seedbed.cursor.move(map.grid, event)) return;
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(map, cell);
  }

  return { heatmap };
};
