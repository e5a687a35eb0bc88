// The whole text of the selected cell, below the table: cells are one line high and cut long texts.

import { button, make } from "./dom.js";

export function drawCellText(container, view, row, column, showPage) {
  const selected = view?.columns[column];
  if (!selected || row < 0) return drawHint(container);
  const text = view.rows[row][column];
  const value = valueOf(view.values[column]?.[row]);
  const head = make("p", { class: "whole-head" }, make("span", { class: "dot", "data-colour": selected.colour }), make("strong", {}, selected.name), make("span", { class: "soft" }, `row ${row + 1}`));
  if (value !== null && value !== text) head.append(make("span", { class: "value", title: "The value of the text" }, value));
  head.append(button({ text: "Show in the page", class: "small only-narrow", onclick: showPage }));
  container.replaceChildren(head, make("p", { class: text === null ? "soft" : "" }, text ?? "Empty cell."));
}

/** Draws the hint that is shown while no cell is selected. */
export function drawHint(container) {
  container.replaceChildren(make("p", { class: "soft" }, "Point at a cell to see where it is in the page. Click it to read all of it."));
}

function valueOf(value) {
  if (value === null || value === undefined) return null;
  if (typeof value === "object" && "amount" in value) return `${value.amount} ${value.currency ?? ""}`.trim();
  return Array.isArray(value) ? value.join(" | ") : String(value);
}
