// The parts of a table: headers, rows, cells. Made from a view ({columns, rows, values}); they do nothing themselves.

import { icon, make } from "./dom.js";
import { TYPES, isRightAligned, isAddress } from "./columns.js";

const SAMPLE = 200; // rows that tell how wide a column should be
const MOST_SHOWN = 300; // letters of a text that are put into a cell: it is cut long before
const MOST_TOLD = 2000; // letters of the text that appears beside the pointer

/** How wide a column should be, in px: for most of its texts, but never so wide that it hides the others. */
export function widthOf({ columns, rows }, column) {
  const lengths = rows.slice(0, SAMPLE).map((row) => Math.min(row[column]?.length ?? 0, 60));
  const usual = lengths.sort((one, other) => one - other)[Math.floor(lengths.length * 0.9)] || 0;
  const most = isAddress(columns[column].type) ? 150 : 300; // nobody reads addresses
  return Math.round(Math.max(96, Math.min(most, Math.max(usual * 7.4 + 24, columns[column].name.length * 7.6 + 52))));
}

export const headOf = (column, at, button) => make("th", { scope: "col", id: `cell--1-${at}`, "data-column": at, "data-colour": column.colour }, button);

/** What opens the menu of a column, if it has one. Not a stop for the Tab key: the grid is one, and arrows lead here. */
export function headButton({ name, type }, onclick) {
  const kind = TYPES[type] || type;
  const words = make("span", {}, make("span", { class: "name" }, name), " ", make("span", { class: "type" }, kind));
  if (!onclick) return make("div", { class: "head", title: name }, words);
  return make("button", { type: "button", tabindex: "-1", class: "head", "aria-haspopup": "menu", title: name, onclick }, words, icon("down"));
}

export function rowOf(view, row) {
  const number = make("th", { scope: "row", id: `cell-${row}--1`, "data-column": "-1", class: "number" }, String(row + 1));
  const cells = view.columns.map((_, column) => cellOf(view, row, column));
  return make("tr", { "data-row": row, "aria-rowindex": row + 2 }, number, ...cells);
}

function cellOf(view, row, column) {
  const { type, colour } = view.columns[column];
  const text = view.rows[row][column];
  const isRight = isRightAligned(type);
  const isUnread = isRight && text !== null && view.values[column]?.[row] === null;
  const cell = make("td", { id: `cell-${row}-${column}`, "data-column": column, "data-colour": colour });
  cell.classList.toggle("is-right", isRight);
  cell.classList.toggle("is-empty", text === null);
  cell.classList.toggle("is-unread", isUnread);
  cell.textContent = text === null ? "" : text.slice(0, MOST_SHOWN);
  if (isUnread) cell.title = `Not read as ${TYPES[type].toLowerCase()}: ${text.slice(0, MOST_TOLD)}`;
  else if (text !== null && text.length > 12) cell.title = text.slice(0, MOST_TOLD);
  return cell;
}

/** The room of rows that are not there. */
export function spaceOf({ columns }, height) {
  const line = make("tr", { class: "space", "aria-hidden": "true", role: "presentation" }, make("td", { colspan: columns.length + 1 }));
  line.style.height = `${height}px`;
  line.hidden = height === 0;
  return line;
}
