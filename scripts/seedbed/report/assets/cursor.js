"use strict";
globalThis.seedbedParts ??= {};

/** The cursor of a grid of cells: one of them is in the order of the tab key, the arrow keys lead to the others. */
seedbedParts.cursor = () => {
  /** Put the cursor on a cell. */
  function put(grid, cell) {
    for (const other of grid.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus();
  }

  /** Move the cursor as a key says; returns whether the key was one of its own. */
  function move(grid, event) {
    const cell = event.target.closest(".cell");
    if (!cell || event.altKey || event.metaKey) return false;
    const next = neighbour(grid, cell, event);
    if (!next) return false;
    event.preventDefault();
    put(grid, next);
    return true;
  }

  function neighbour(grid, cell, { key, ctrlKey }) {
    const rows = [...grid.querySelectorAll(".row:not(.head)")];
    const cells = (row) => [...row.querySelectorAll(".cell")];
    const y = rows.indexOf(cell.parentNode);
    const own = cells(cell.parentNode);
    const x = own.indexOf(cell);
    const last = rows.length - 1;
    const places = {
      ArrowRight: [y, x + 1],
      ArrowLeft: [y, x - 1],
      ArrowDown: [y + 1, x],
      ArrowUp: [y - 1, x],
      PageDown: [Math.min(last, y + 10), x],
      PageUp: [Math.max(0, y - 10), x],
      Home: [ctrlKey ? 0 : y, 0],
      End: [ctrlKey ? last : y, own.length - 1],
    };
    const [row, column] = places[key] ?? [];
    return row === undefined || !rows[row] ? null : cells(rows[row])[column];
  }

  return { put, move };
};
