"use strict";
globalThis.seedbedParts ??= {};

/** What the report knows: the data of the page at once, tables and texts when they are asked for. */
seedbedParts.store = () => {
  const arrived = new Map();
  const waiting = new Map();
  let page = null;

  // The files of report-data call these by name.
  globalThis.seedbedTexts = (name, value) => take("texts", name, value);
  globalThis.seedbedSamples = (name, value) => take("samples", name, value);
  globalThis.seedbedProblems = (name, value) => take("problems", name, value);

  function take(kind, name, value) {
    arrived.set(`${kind} ${name}`, value);
  }

  /** Return the data of the page. */
  function data() {
    page ??= JSON.parse(document.getElementById("data").textContent);
    return page;
  }

  /** Return the pair of that name, or undefined. */
  function pair(name) {
    return data().pairs.find((one) => one.name === name);
  }

  /** Return a promise of what a file calls in, from the page itself or from the file beside it. */
  function ask(kind, name, file) {
    const key = `${kind} ${name}`;
    if (!arrived.has(key)) embedded(kind, name, key);
    if (arrived.has(key)) return Promise.resolve(arrived.get(key));
    if (!waiting.has(key)) waiting.set(key, load(key, file));
    return waiting.get(key);
  }

  function embedded(kind, name, key) {
    for (const block of document.querySelectorAll(`script[data-call="${kind}"]`)) {
      if (block.dataset.name === name) arrived.set(key, JSON.parse(block.textContent));
    }
  }

  function load(key, file) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      const fail = (why) => {
        waiting.delete(key);
        reject(new Error(why));
      };
      script.addEventListener("load", () => {
        if (arrived.has(key)) resolve(arrived.get(key));
        else fail(`${file} holds something else than expected; write the report again with make summary`);
      });
      script.addEventListener("error", () => fail(`${file} is not there; it belongs beside this report`));
      if (!file) return fail("this report has no such file");
      script.src = file.split("/").map(encodeURIComponent).join("/");
      document.head.append(script);
    }).finally(() => {
      for (const script of document.head.querySelectorAll("script[src]")) script.remove();
    });
  }

  /** Return a promise of the per-sample table of a pair. */
  const samples = (of) => ask("samples", of.name, of.samples_file);

  /** Return a promise of the problems' texts of a pair. */
  const problems = (of) => ask("problems", of.benchmark, of.problems_file);

  /** Return a promise of the text of one sample, null if none was kept. */
  async function text(of, problem, seed) {
    const chunks = of.chunks?.[seed] ?? [];
    const at = chunks.findLastIndex((chunk) => chunk[0] <= problem);
    if (at < 0) return null;
    const [, file, given] = chunks[at];
    const name = given ?? `${of.name}/rs${seed}-${at}`;
    const rows = await ask("texts", name, file);
    return rows.find((row) => row?.id === of.problems[problem]) ?? null;
  }

  return { data, pair, samples, problems, text };
};
