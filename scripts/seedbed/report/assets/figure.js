"use strict";
globalThis.seedbedParts ??= {};

/** A chart with its caption, drawn when it comes near the window, and the same figures as a table. */
seedbedParts.figure = (seedbed) => {
  const { element, refill } = seedbed.elements;
  const OPTIONS = { displayModeBar: false, displaylogo: false, responsive: true, doubleClick: "reset" };
  const drawings = new Map();
  const probe = element("span", { class: "unseen", "aria-hidden": "true" });
  const watcher = new IntersectionObserver(near, { rootMargin: "300px" });

  /** Return a text that Plotly shows as it is. */
  const plain = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

  /** Return a colour of the style sheet. */
  function colour(name) {
    probe.style.color = `var(--${name})`;
    if (!probe.isConnected) document.body.append(probe);
    return getComputedStyle(probe).color;
  }

  /** Return the colour of a scorer: the strict one is always grey. */
  function scorerColour(pair, scorer) {
    if (scorer === "strict") return colour("strict");
    const broad = pair.scorers.filter((name) => name !== "strict");
    return colour(["broad", "broad-2", "broad-3"][Math.max(0, broad.indexOf(scorer)) % 3]);
  }

  /** Return a colour let through. */
  const faint = (rgb, strength) => rgb.replace("rgb(", "rgba(").replace(")", `, ${strength})`);

  /** Return a figure: a title, a sentence with the main number, a drawing, and a table of what is drawn. */
  function figure({ title, caption, draw, table, height = 280, level = 4, pick = null }) {
    const plot = element("div", { class: "plot", role: "img", "aria-label": `${title}. ${caption}` });
    plot.style.height = `${height}px`;
    drawings.set(plot, { draw, pick, done: false });
    watcher.observe(plot);
    return element(
      "figure",
      { class: "figure" },
      element("figcaption", {}, element(`h${level}`, {}, title), element("p", {}, caption)),
      element("div", { class: "scroll" }, plot),
      table ? folded(table) : null,
    );
  }

  /** Return a table that is made when it is unfolded. */
  function folded({ head, rows, name = "The figures as a table" }) {
    const body = element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": name });
    const details = element("details", { class: "figures" }, element("summary", {}, name), body);
    details.addEventListener("toggle", () => {
      if (details.open && !body.firstChild) body.append(tabled(head, rows()));
    });
    return details;
  }

  /** Return a table; of very many rows the first 500. */
  function tabled(head, rows) {
    const cell = (value, at) =>
      element(
        at ? "td" : "th",
        at ? { class: "number" } : { scope: "row" },
        value instanceof Node ? value : String(value),
      );
    const body = rows.slice(0, 500).map((row) => element("tr", {}, row.map(cell)));
    const table = element(
      "table",
      { class: "plain" },
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          head.map((name) => element("th", { scope: "col" }, name)),
        ),
      ),
      element("tbody", {}, body),
    );
    if (rows.length <= 500) return table;
    return element("div", {}, table, element("p", {}, `and ${rows.length - 500} more: see the files`));
  }

  function near(entries) {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      watcher.unobserve(target);
      setTimeout(() => render(target)); // each in a turn of its own: the page answers between two charts
    }
  }

  /** Return Plotly, which is read when the first chart is drawn: the page opens without waiting for it. */
  function library() {
    if (!globalThis.Plotly) {
      const script = document.createElement("script");
      script.textContent = document.getElementById("library").textContent;
      document.head.append(script);
      script.remove();
    }
    return globalThis.Plotly;
  }

  function render(plot) {
    const drawing = drawings.get(plot);
    if (!drawing) return;
    const { traces, layout = {} } = drawing.draw();
    drawing.done = true;
    library().react(plot, traces, dressed(layout), OPTIONS);
    if (drawing.pick && !drawing.listens) {
      drawing.listens = true;
      plot.on("plotly_click", (event) => drawing.pick(event.points[0]));
    }
  }

  /** Return a layout in the page's own dress. */
  function dressed(layout) {
    const axis = (given) => ({
      gridcolor: colour("line"),
      linecolor: colour("line-strong"),
      zeroline: false,
      automargin: true,
      fixedrange: true,
      ...given,
      title: given?.title ? { text: given.title, standoff: 8, font: { size: 12 } } : undefined,
    });
    return {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, sans-serif", size: 12, color: colour("ink-soft") },
      margin: { l: 48, r: 12, t: 8, b: 40 },
      dragmode: false,
      hoverlabel: { bgcolor: colour("ink"), font: { color: colour("paper"), family: "system-ui, sans-serif" } },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: { size: 12 } },
      ...layout,
      xaxis: axis(layout.xaxis),
      yaxis: axis(layout.yaxis),
    };
  }

  /** Draw again what is drawn, in the colours of now, and forget what has left the page. */
  function redraw(all = false) {
    for (const [plot, drawing] of drawings) {
      if (!plot.isConnected) forget(plot);
      else if (drawing.done || all) render(plot);
    }
  }

  function forget(plot) {
    watcher.unobserve(plot);
    globalThis.Plotly?.purge(plot);
    drawings.delete(plot);
  }

  return { figure, folded, tabled, plain, colour, scorerColour, faint, redraw, refill };
};
