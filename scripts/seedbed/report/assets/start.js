"use strict";
globalThis.seedbedParts ??= {};

/** Build the page once it is read. */
seedbedParts.start = (seedbed) => {
  function build() {
    const data = seedbed.store.data();
    const { refill } = seedbed.elements;
    const at = (id) => document.getElementById(id);
    refill(at("verdict"), seedbed.headline.verdictBand(data));
    const gates = seedbed.findings.gates(data);
    const few = data.pairs.length <= 4;
    refill(at("first"), seedbed.headline.results(data), few ? gates : null);
    refill(at("act"), seedbed.findings.findings(data), few ? null : gates);
    refill(at("more"), seedbed.models.sections(data), seedbed.run.section(data));
    const against = document.querySelector("#models, #comparisons");
    at("to-models").hidden = !against;
    if (against) at("to-models").href = `#${against.id}`;
    order(matchMedia("(max-width: 900px)"));
    seedbed.theme.start(at("theme"));
    seedbed.pages.start(at("pair"));
    document.documentElement.classList.add("ready");
  }

  /** Keep what is missing or odd before the list of all results where they stand below each other. */
  function order(narrow) {
    const act = document.getElementById("act");
    const place = () => act.parentNode[narrow.matches ? "prepend" : "append"](act);
    narrow.addEventListener("change", place);
    place();
  }

  /** Tell something in a line at the foot of the window, to screen readers too. */
  function say(text) {
    const line = document.getElementById("said");
    line.textContent = text;
    line.classList.add("shown");
    setTimeout(() => line.classList.remove("shown"), 6000);
  }

  return { build, say };
};

document.addEventListener("DOMContentLoaded", () => {
  // Each part is made when another first asks for it, so that the order of the files does not matter.
  const made = {};
  const seedbed = {};
  for (const [name, make] of Object.entries(seedbedParts)) {
    Object.defineProperty(seedbed, name, {
      get: () => {
        made[name] ??= make(seedbed);
        return made[name];
      },
    });
  }
  seedbed.start.build();
});
