"use strict";
globalThis.seedbedParts ??= {};

/** What the part of the address after # says: a pair, a list of samples, one sample. */
seedbedParts.address = () => {
  const PLACES = new Set(["pair", "samples", "sample"]);

  /** Return a text as a part of an address; halves of surrogate pairs, which have no code there, are replaced. */
  const coded = (text) => encodeURIComponent(String(text).toWellFormed());

  /** Return the address of a place. */
  function written({ place, pair, id, seed, filter, scorer, query }) {
    const [model, benchmark] = pair.split("/");
    let text = `#${place}=${coded(model)}/${coded(benchmark)}`;
    if (place === "sample") text += `/${coded(id)}@${seed}`;
    if (filter && filter !== "all") text += `&filter=${coded(filter)}`;
    if (scorer) text += `&scorer=${coded(scorer)}`;
    if (query) text += `&find=${coded(query)}`;
    return text;
  }

  /** Return what an address says, null if it names no place of ours. */
  function read(hash) {
    const [first, ...rest] = hash.replace(/^#/, "").split("&");
    const [place, value = ""] = cut(first, "=");
    if (!PLACES.has(place)) return null;
    const said = Object.fromEntries(rest.map((part) => cut(part, "=").map(decoded)));
    const [model, benchmark, ...more] = value.split("/");
    const found = {
      place,
      pair: `${decoded(model ?? "")}/${decoded(benchmark ?? "")}`,
      filter: said.filter ?? "all",
      scorer: said.scorer,
      query: said.find ?? "",
    };
    if (place !== "sample") return found;
    const name = more.join("/");
    const at = name.lastIndexOf("@");
    return { ...found, id: decoded(name.slice(0, at)), seed: Number(name.slice(at + 1)) };
  }

  function cut(text, sign) {
    const at = text.indexOf(sign);
    return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
  }

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  /** Return the index of the problem that an address names, -1 if there is none. */
  function problem(pair, id) {
    return pair.problems.findIndex((one) => one === id || one.toWellFormed() === id);
  }

  return { written, read, problem };
};
