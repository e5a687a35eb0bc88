// The whole text of the cell that was chosen, below the table: cells are one line high and long texts are cut there.

import { button, make } from "./dom.js";

export function drawWhole(place, view, row, column, showPage) {
  const chosen = view?.columns[column];
  if (!chosen || row < 0) return drawHint(place);
  const text = view.rows[row][column];
  const value = valueOf(view.values[column]?.[row]);
  const head = make("p", { class: "whole-head" }, make("span", { class: "dot", "data-colour": chosen.colour }), make("strong", {}, chosen.name), make("span", { class: "soft" }, `row ${row + 1}`));
  if (value !== null && value !== text) head.append(make("span", { class: "value", title: "What the text is read as" }, value));
  head.append(button({ text: "Show in the page", class: "small only-narrow", onclick: showPage }));
  place.replaceChildren(head, make("p", { class: text === null ? "soft" : "" }, text ?? "Nothing there."));
}

/** What stands there while no cell is chosen. */
export function drawHint(place) {
  place.replaceChildren(make("p", { class: "soft" }, "Point at a cell to see where it stands in the page. Click it to read it in full."));
}

function valueOf(value) {
  if (value === null || value === undefined) return null;
  if (typeof value === "object" && "amount" in value) return `${value.amount} ${value.currency ?? ""}`.trim();
  return Array.isArray(value) ? value.join(" | ") : String(value);
}
