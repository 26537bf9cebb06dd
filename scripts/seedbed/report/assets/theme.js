"use strict";
globalThis.seedbedParts ??= {};

/** Light or dark: as the system says until the button is pressed; then kept where the browser allows it. */
seedbedParts.theme = (seedbed) => {
  const KEY = "seedbed-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");

  /** Return the choice that was kept, null where there is none or none may be kept. */
  function kept() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  }

  function keep(name) {
    try {
      localStorage.setItem(KEY, name);
    } catch {
      // a page opened from disk may be refused a store: the choice holds until it is closed
    }
  }

  const dark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";

  /** Let a button change the theme. */
  function start(button) {
    if (["light", "dark"].includes(kept())) document.documentElement.dataset.theme = kept();
    button.hidden = false;
    button.addEventListener("click", () => {
      const name = dark() ? "light" : "dark";
      document.documentElement.dataset.theme = name;
      keep(name);
      changed(button);
    });
    system.addEventListener("change", () => changed(button));
    addEventListener("beforeprint", printed);
    changed(button);
  }

  /** Draw what was never near the window, and unfold what paper cannot. */
  function printed() {
    for (const gate of document.querySelectorAll("details.gate")) gate.open = true;
    seedbed.figure.redraw(true);
  }

  function changed(button) {
    button.textContent = dark() ? "Light" : "Dark";
    seedbed.figure.redraw();
  }

  return { start };
};
