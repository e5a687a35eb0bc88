// The parts of a table: headers, rows, cells. Made from a view ({columns, rows, values}); they do nothing themselves.

import { icon, make } from "./dom.js";
import { TYPES, isRightAligned, isUrl } from "./columns.js";

const SAMPLE_ROWS = 200; // that the width of a column is computed from
const MAX_CELL_CHARACTERS = 300; // more are never visible
const MAX_TITLE_CHARACTERS = 2000; 

/** How wide a column should be, in px: for most of its texts, but never so wide that it hides the others. */
export function computeWidth({ columns, rows }, column) {
  const lengths = rows.slice(0, SAMPLE_ROWS).map((row) => Math.min(row[column]?.length ?? 0, 60));
  const length = lengths.sort((left, right) => left - right)[Math.floor(lengths.length * 0.9)] || 0;
  const maxWidth = isUrl(columns[column].type) ? 150 : 300; // URLs are not read
  return Math.round(Math.max(96, Math.min(maxWidth, Math.max(length * 7.4 + 24, columns[column].name.length * 7.6 + 52))));
}

export const makeHead = (column, index, button) => make("th", { scope: "col", id: `cell--1-${index}`, "data-column": index, "data-colour": column.colour }, button);

/** What opens the menu of a column, if it has one. Not a stop for the Tab key: the grid is one, and arrows lead here. */
export function headButton({ name, type }, onclick) {
  const typeName = TYPES[type] || type;
  const label = make("span", {}, make("span", { class: "name" }, name), " ", make("span", { class: "type" }, typeName));
  if (!onclick) return make("div", { class: "head", title: name }, label);
  return make("button", { type: "button", tabindex: "-1", class: "head", "aria-haspopup": "menu", title: name, onclick }, label, icon("down"));
}

export function makeRow(view, row) {
  const number = make("th", { scope: "row", id: `cell-${row}--1`, "data-column": "-1", class: "number" }, String(row + 1));
  const cells = view.columns.map((_, column) => makeCell(view, row, column));
  return make("tr", { "data-row": row, "aria-rowindex": row + 2 }, number, ...cells);
}

function makeCell(view, row, column) {
  const { type, colour } = view.columns[column];
  const text = view.rows[row][column];
  const isRight = isRightAligned(type);
  const isInvalid = isRight && text !== null && view.values[column]?.[row] === null;
  const cell = make("td", { id: `cell-${row}-${column}`, "data-column": column, "data-colour": colour });
  cell.classList.toggle("is-right", isRight);
  cell.classList.toggle("is-empty", text === null);
  cell.classList.toggle("is-unread", isInvalid);
  cell.textContent = text === null ? "" : text.slice(0, MAX_CELL_CHARACTERS);
  if (isInvalid) cell.title = `Cannot be converted to ${TYPES[type].toLowerCase()}: ${text.slice(0, MAX_TITLE_CHARACTERS)}`;
  else if (text !== null && text.length > 12) cell.title = text.slice(0, MAX_TITLE_CHARACTERS);
  return cell;
}

/** Returns a row as high as the rows that are not drawn. */
export function makeSpacer({ columns }, height) {
  const line = make("tr", { class: "space", "aria-hidden": "true", role: "presentation" }, make("td", { colspan: columns.length + 1 }));
  line.style.height = `${height}px`;
  line.hidden = height === 0;
  return line;
}
