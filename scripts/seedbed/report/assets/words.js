"use strict";
globalThis.seedbedParts ??= {};

/** Numbers, times and names as the page writes them. */
seedbedParts.words = () => {
  const WHOLE = new Intl.NumberFormat("en-GB");
  const VERDICTS = {
    COMPLETE: ["good", "✓", "Complete"],
    PARTIAL: ["odd", "◐", "Partial"],
    INVALID: ["bad", "✕", "Invalid"],
    FAILED: ["bad", "✕", "Failed"],
    RUNNING: ["calm", "…", "Running"],
    NONE: ["calm", "–", "Nothing yet"],
  };

  /** Return a whole number with its thousands apart. */
  const whole = (number) => (known(number) ? WHOLE.format(number) : "unknown");

  /** Return a number with one decimal as the printed table has it: of x.25, halfway, the even digit, which toFixed passes. */
  const decimal = (value) => ((Math.abs(value) * 4) % 4 === 1 ? value - Math.sign(value) * 0.05 : value).toFixed(1);

  /** Return a percentage with one decimal. */
  const percent = (value) => (known(value) ? `${decimal(value)} %` : "unknown");

  /** Return a difference with its sign. */
  const signed = (value) => (known(value) ? `${value < 0 ? "−" : "+"}${decimal(Math.abs(value))}` : "unknown");

  /** Return an interval of percentages. */
  const interval = (bounds) => (bounds ? `${decimal(bounds[0])} to ${decimal(bounds[1])}` : "unknown");

  /** Return an interval of differences. */
  const span = (bounds) => (bounds ? `${signed(bounds[0])} to ${signed(bounds[1])}` : "unknown");

  /** Return what a record holds under a name that a run may have chosen, undefined if it holds nothing there. */
  const own = (record, name) => (record && Object.hasOwn(record, name) ? record[name] : undefined);

  const known = (value) => value !== null && value !== undefined && !Number.isNaN(value);

  /** Return a number with the word for so many. */
  const some = (number, one, many = `${one}s`) => `${whole(number)} ${number === 1 ? one : many}`;

  /** Return a time in UTC. */
  function time(epoch) {
    if (!known(epoch)) return "unknown";
    const date = typeof epoch === "number" ? new Date(epoch * 1000) : new Date(epoch);
    if (Number.isNaN(date.getTime())) return String(epoch);
    return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  }

  /** Return a duration. */
  function duration(seconds) {
    if (!known(seconds)) return "unknown";
    if (seconds < 90) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
    if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
    return `${(seconds / 3600).toFixed(1)} h`;
  }

  /** Return how much text there is. */
  function size(characters) {
    if (characters < 1000) return some(characters, "character");
    if (characters < 1e6) return `${(characters / 1000).toFixed(1)} thousand characters`;
    return `${(characters / 1e6).toFixed(1)} million characters`;
  }

  /** Return the tone, the sign and the word of a verdict. */
  function verdict(name) {
    return own(VERDICTS, name) ?? ["calm", "?", String(name)];
  }

  return { whole, decimal, percent, signed, interval, span, some, time, duration, size, verdict, known, own };
};
