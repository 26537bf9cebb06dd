"use strict";
globalThis.seedbedParts ??= {};

/** One sample in full, in a dialog of its own; its place in the list is kept, so that the next one is a key away. */
seedbedParts.viewer = (seedbed) => {
  const { element, isolated, refill } = seedbed.elements;
  const { index, place } = seedbed.outcomes;
  const now = { pair: null, scorer: "", at: -1, list: [], raw: false, back: null, filter: "all", mark: -1 };
  let dialog = null;
  let parts = null;

  /** Open the viewer on a sample. */
  function open(pair, scorer, at, list, filter = "all") {
    build();
    const fresh = !dialog.open;
    if (fresh) now.back = document.activeElement;
    Object.assign(now, { pair, scorer, at, filter, list: list.includes(at) ? list : everything(pair) });
    if (now.list !== list) now.filter = "all";
    if (fresh) dialog.showModal();
    show();
    if (fresh) parts.title.focus();
  }

  const everything = (pair) => seedbed.outcomes.filtered(pair, pair.scorers[0], "all", null);

  function build() {
    if (dialog) return;
    dialog = document.getElementById("viewer");
    const button = (word, name, act) =>
      element("button", { type: "button", title: name, "aria-label": name, click: act }, word);
    parts = {
      title: element("h2", { id: "viewer-title", tabindex: "-1" }),
      position: element("p", { class: "position" }),
      body: element("div", { class: "viewer-body", tabindex: "0", role: "region", "aria-labelledby": "viewer-title" }),
      keys: seedbed.keys.panel(),
    };
    refill(
      dialog,
      element(
        "header",
        {},
        element("div", { class: "names" }, parts.title, parts.position),
        element(
          "div",
          { class: "tools" },
          button("‹", "previous sample (k)", () => step(-1)),
          button("›", "next sample (j)", () => step(1)),
          button("− seed", "previous seed (←)", () => aside(0, -1)),
          button("seed +", "next seed (→)", () => aside(0, 1)),
          button("→7", "→7: to the matched answer (a)", answer),
          button("√x", "√x: formulas drawn or as written (m)", source),
          button("?", "keys", help),
          button("✕", "close (Esc)", () => dialog.close()),
        ),
      ),
      parts.keys,
      parts.body,
    );
    dialog.addEventListener("close", closed);
    dialog.addEventListener("keydown", pressed);
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }

  function closed() {
    const { pair, scorer, filter, back } = now;
    seedbed.pages.note(
      seedbed.address.written({ place: filter === "all" ? "pair" : "samples", pair: pair.name, filter, scorer }),
    );
    const target = back?.isConnected && back !== document.body ? back : document.getElementById("samples-title");
    target?.focus();
  }

  function step(by) {
    const next = now.list[now.list.indexOf(now.at) + by];
    if (next === undefined) return;
    now.at = next;
    show();
  }

  /** Go to another problem or seed; the list is then that of all samples. */
  function aside(problems, seeds) {
    const [problem, seed] = place(now.pair, now.at);
    const [y, x] = [problem + problems, seed + seeds];
    if (y < 0 || x < 0 || y >= now.pair.problems.length || x >= now.pair.seeds.length) return;
    now.at = index(now.pair, y, x);
    if (!now.list.includes(now.at)) Object.assign(now, { list: everything(now.pair), filter: "all" });
    show();
  }

  function source() {
    now.raw = !now.raw;
    show();
  }

  /** Scroll to what a scorer matched, from there to the next. */
  function answer() {
    const marks = [...parts.body.querySelectorAll("mark[data-scorers]")];
    now.mark = (now.mark + 1) % Math.max(1, marks.length);
    marks[now.mark]?.scrollIntoView({ block: "center" });
  }

  function help() {
    parts.keys.hidden = !parts.keys.hidden;
  }

  function fold() {
    const reasoning = parts.body.querySelector("details.reasoning");
    if (reasoning) reasoning.open = !reasoning.open;
  }

  const ACTS = {
    j: () => step(1),
    k: () => step(-1),
    ArrowRight: () => aside(0, 1),
    ArrowLeft: () => aside(0, -1),
    n: () => aside(1, 0),
    p: () => aside(-1, 0),
    a: answer,
    m: source,
    r: fold,
    "?": help,
  };

  function pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
    const act = ACTS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Show the sample of now; a text that arrives late for another one is dropped. */
  async function show() {
    const { pair, scorer, at, list, filter } = now;
    const [problem, seed] = place(pair, at);
    const id = pair.problems[problem];
    seedbed.pages.note(
      seedbed.address.written({ place: "sample", pair: pair.name, id, seed: pair.seeds[seed], filter, scorer }),
    );
    refill(parts.title, isolated(id), element("span", { class: "of-seed" }, ` seed ${pair.seeds[seed]}`));
    refill(
      parts.position,
      isolated(pair.name),
      ` · ${seedbed.words.whole(list.indexOf(at) + 1)} of ${seedbed.words.whole(list.length)}`,
      filter === "all" ? "" : ` in “${word(filter)}”`,
    );
    const told = await Promise.allSettled([
      seedbed.store.samples(pair),
      seedbed.store.text(pair, problem, pair.seeds[seed]),
      texts(pair),
    ]);
    if (now.at !== at || now.pair !== pair) return;
    const [table, text, problems] = told.map((one) => one.value ?? null);
    const wrong = told.filter((one) => one.status === "rejected").map((one) => one.reason.message);
    refill(
      parts.body,
      seedbed.sheet.sheet({
        pair,
        scorer,
        at,
        table,
        text,
        problem: seedbed.words.own(problems, id) ?? null,
        wrong,
        raw: now.raw,
      }),
    );
    dialog.dataset.shown = `${id}@${pair.seeds[seed]}`;
    parts.body.scrollTop = 0;
    now.mark = -1;
  }

  const texts = (pair) => (pair.private || !pair.problems_file ? Promise.resolve(null) : seedbed.store.problems(pair));
  const word = (filter) => seedbed.outcomes.FILTERS.find(([name]) => name === filter)?.[1] ?? filter;

  /** Close the viewer if it is open. */
  function close() {
    if (dialog?.open) dialog.close();
  }

  return { open, close };
};
