"use strict";
globalThis.seedbedParts ??= {};

/** Formulas: MathML is read as XML and built anew from the elements and attributes below, nothing else. */
seedbedParts.formulas = (seedbed) => {
  const MATHML = "http://www.w3.org/1998/Math/MathML";
  const ELEMENTS = new Set(
    (
      "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts " +
      "mprescripts mtable mtr mtd mpadded mphantom mstyle merror menclose"
    ).split(" "),
  );
  const ATTRIBUTES = new Set(
    (
      "display displaystyle scriptlevel accent accentunder stretchy symmetric largeop movablelimits fence separator form " +
      "lspace rspace minsize maxsize width height depth voffset linethickness mathvariant notation columnalign rowspacing " +
      "columnspacing columnspan rowspan"
    ).split(" "),
  );
  const PLAIN = /^[\w .,%+-]*$/;
  const ALIGN = /text-align:\s*(left|right|center)/;

  /** Return the formula as elements, null if the text is no MathML of ours. */
  function formula(text) {
    const read = new DOMParser().parseFromString(text, "application/xml");
    const root = read.documentElement;
    if (root.localName !== "math" || read.querySelector("parsererror")) return null;
    return built(root);
  }

  /** Return a copy of an element; an element that is not allowed is replaced by its text. */
  function built(source) {
    if (!ELEMENTS.has(source.localName)) return document.createTextNode(source.textContent);
    const copy = document.createElementNS(MATHML, source.localName);
    for (const { name, value } of source.attributes) {
      if (ATTRIBUTES.has(name) && PLAIN.test(value)) copy.setAttribute(name, value);
    }
    const align = ALIGN.exec(source.getAttribute("style") ?? "");
    if (align) copy.style.textAlign = align[1];
    for (const child of source.childNodes) {
      if (child.nodeType === Node.ELEMENT_NODE) copy.append(built(child));
      else if (child.nodeType === Node.TEXT_NODE) copy.append(...seedbed.elements.written(child.data));
    }
    return copy;
  }

  return { formula };
};
