"use strict";
globalThis.seedbedParts ??= {};

/** Elements of the page. Whatever comes from a run becomes a text node, never markup. */
seedbedParts.elements = () => {
  // Controls, marks of direction and halves of surrogate pairs: shown by name, so that none of them acts on the page.
  const ODD =
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const SCHEME = /^\s*[a-z][a-z0-9+.-]*:/i;
  const SVG = "http://www.w3.org/2000/svg";

  /** Return the nodes of a text; odd characters stand in small boxes with their code. */
  function written(text) {
    const string = String(text);
    const nodes = [];
    let from = 0;
    for (const match of string.matchAll(ODD)) {
      if (match.index > from) nodes.push(document.createTextNode(string.slice(from, match.index)));
      nodes.push(control(match[0]));
      from = match.index + match[0].length;
    }
    if (from < string.length) nodes.push(document.createTextNode(string.slice(from)));
    return nodes;
  }

  /** Return the box of one odd character. */
  function control(character) {
    const box = document.createElement("span");
    box.className = "control";
    box.textContent = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    return box;
  }

  /** Return an element; attributes that are functions are listeners, false and null leave an attribute out. */
  function element(name, attributes = {}, ...children) {
    return filled(document.createElement(name), attributes, children);
  }

  /** Return an element of a drawing. */
  function drawn(name, attributes = {}, ...children) {
    return filled(document.createElementNS(SVG, name), attributes, children);
  }

  function filled(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) {
      if (value === false || value === null || value === undefined) continue;
      if (typeof value === "function") node.addEventListener(key, value);
      else if (key === "href") link(node, value);
      else node.setAttribute(key, value === true ? "" : value);
    }
    add(node, children);
    return node;
  }

  /** Give a node its address, unless that would lead out of the report's folder. */
  function link(node, address) {
    if (!SCHEME.test(address) && !address.startsWith("//")) node.setAttribute("href", address);
  }

  /** Append nodes and texts, lists of them too. */
  function add(node, children) {
    for (const child of children.flat(3)) {
      if (child === null || child === undefined || child === false) continue;
      if (child instanceof Node) node.append(child);
      else node.append(...written(child));
    }
  }

  /** Return a name or an answer, kept from turning the text around it. */
  function isolated(text, attributes = {}) {
    return element("bdi", attributes, text);
  }

  /** Empty a node and fill it again. */
  function refill(node, ...children) {
    node.replaceChildren();
    add(node, children);
    return node;
  }

  return { element, drawn, isolated, refill, written };
};
