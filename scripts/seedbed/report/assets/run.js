"use strict";
globalThis.seedbedParts ??= {};

/** How it was made: on which servers, from which commit, by which versions. */
seedbedParts.run = (seedbed) => {
  const { element, isolated } = seedbed.elements;
  const { whole, duration, time, some, known } = seedbed.words;

  /** Return the section at the end: servers, what the run was made of. */
  function section(data) {
    const run = data.run ?? {};
    const facts = [
      ["commit", run.commit && `${run.commit}${run.dirty ? " (with changes that are in no commit)" : ""}`],
      ["started", known(run.started) && time(run.started)],
      ["ended", known(run.ended) && time(run.ended)],
      ["took", known(run.seconds) && duration(run.seconds)],
      ["GPU hours", known(run.gpu_hours) && run.gpu_hours.toFixed(2)],
      ["tokens", known(run.tokens) && whole(run.tokens)],
      ["hosts", run.hosts?.join(", ")],
      ["command", run.command && words(run.command)],
      ...Object.entries(run.versions ?? {}),
    ].filter(([, value]) => value);
    return element(
      "section",
      { class: "card", id: "run", "aria-labelledby": "run-title" },
      element("h2", { id: "run-title" }, "How it was made"),
      facts.length
        ? element(
            "dl",
            { class: "facts-list" },
            facts.map(([name, value]) =>
              element("div", {}, element("dt", {}, name), element("dd", {}, isolated(value))),
            ),
          )
        : element("p", {}, "Nothing is known of the run."),
      stages(run.stages),
      jobs(run.job_graph),
      (data.servers ?? []).map(server),
      run.config_file
        ? element(
            "p",
            {},
            "The configuration in full: ",
            element("a", { href: run.config_file.replace(/^results\//, "") }, run.config_file),
          )
        : null,
    );
  }

  /** Return how many jobs each rule ran and how long they took, null where that is unknown. */
  function stages(told) {
    const rows = Object.entries(told ?? {});
    if (!rows.length) return null;
    const head = ["rule", "jobs", "from first to last", "all jobs together"];
    const table = seedbed.figure.tabled(
      head,
      rows.map(([name, one]) => [name, whole(one.jobs), duration(one.seconds), duration(one.job_seconds)]),
    );
    return element(
      "details",
      {},
      element("summary", {}, "What the rules took"),
      element("div", { class: "scroll" }, table),
    );
  }

  /** Return the picture of the jobs that `make dag` has drawn, null where there is none. */
  function jobs(graph) {
    if (!graph?.image) return null;
    const label = "The jobs of the run: a group for each model and benchmark, with what is done and what would run";
    return element(
      "details",
      {},
      element("summary", {}, `The jobs, as drawn ${time(graph.drawn)}`),
      element(
        "div",
        { class: "scroll", tabindex: "0", role: "group", "aria-label": "Picture of the jobs" },
        element("img", { src: graph.image, alt: label }),
      ),
    );
  }

  function server(one) {
    const size = [
      one.nodes?.length && some(one.nodes.length, "node"),
      one.gpus && some(one.gpus, "GPU"),
      one.restarts ? some(one.restarts, "restart") : null,
      known(one.gpu_hours) && `${one.gpu_hours.toFixed(2)} GPU hours`,
    ];
    const guard = one.guarded === false ? "not guarded by a key" : null;
    return element(
      "article",
      { class: "block" },
      element("h3", {}, "Server of ", isolated(one.model)),
      element(
        "p",
        {},
        [[one.engine, one.version].filter(Boolean).join(" "), ...size, guard].filter(Boolean).join(" · "),
      ),
      one.attempts?.length ? attempts(one.attempts) : null,
      one.commands?.length
        ? element(
            "details",
            {},
            element("summary", {}, some(one.commands.length, "command")),
            one.commands.map((line) => element("pre", { tabindex: "0" }, words(line))),
          )
        : null,
    );
  }

  /** Return a command as a line, with what it starts and where. */
  function words(command) {
    if (typeof command === "string") return command;
    const line = (command.command ?? command).join(" ");
    return command.role ? `# ${command.role} on ${command.node}\n${line}` : line;
  }

  function attempts(list) {
    const rows = list.map((one, at) => [
      at + 1,
      time(one.started),
      time(one.ready),
      time(one.ended),
      [one.state, one.reason].filter(Boolean).join(": "),
    ]);
    return element(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": "Attempts of the server" },
      seedbed.figure.tabled(["attempt", "started", "ready", "ended", "why it ended"], rows),
    );
  }

  return { section };
};
