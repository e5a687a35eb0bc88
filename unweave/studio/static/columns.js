// The columns that the user has chosen (picks): which, their order, names and types. Nothing is drawn here.

export const TYPES = {
  string: "Text",
  integer: "Whole number",
  number: "Number",
  percentage: "Percentage",
  price: "Price",
  date: "Date",
  time: "Time",
  datetime: "Date and time",
  boolean: "Yes or no",
  url: "URL",
  image: "Image",
  list: "List",
};

const RIGHT = new Set(["integer", "number", "percentage", "price", "date", "time", "datetime"]);
export const isUrl = (type) => type === "url" || type === "image";
export const isRightAligned = (type) => RIGHT.has(type);

// Column by column around the wheel, so that neighbours differ. Each is readable on white; the style sheet has its own
// set for the dark theme, by the same numbers.
export const COLOURS = ["#1f6feb", "#b35900", "#1a7f37", "#a626a4", "#c2255c", "#0b7285", "#7a5c00", "#5f3dc4", "#c92a2a", "#3d6b00"];

const MAX_INITIAL_COLUMNS = 60; // more columns take time to draw

/** Returns the initial picks of a table: all columns, with constant ones hidden, and of very many the
    emptiest ones. */
export function makeInitialPicks(table) {
  const hasVariable = table.columns.some((column) => !column.constant);
  const shown = hasVariable ? chooseShown(table) : null;
  const picks = table.columns.map((column) => ({
    key: column.name,
    column: column.name,
    name: column.name,
    type: column.type,
    foundType: column.type,
    hasLinks: column.links === true,
    isLink: false,
    isHidden: hasVariable && !shown.has(column.name),
  }));
  // Those that are shown get the colours first: hidden ones should not use them up.
  [...picks.filter((pick) => !pick.isHidden), ...picks.filter((pick) => pick.isHidden)].forEach((pick, index) => (pick.colour = index % COLOURS.length));
  return picks;
}

/** Returns the names of the columns that are not constant; of too many, of those with the most cells. */
function chooseShown({ columns, rows }) {
  const variable = columns.map((column, index) => ({ ...column, index })).filter((column) => !column.constant);
  if (variable.length > MAX_INITIAL_COLUMNS) {
    const filled = (index) => rows.reduce((sum, row) => sum + (row[index] !== null), 0);
    const counts = new Map(variable.map(({ index }) => [index, filled(index)]));
    variable.sort((left, right) => counts.get(right.index) - counts.get(left.index));
  }
  return new Set(variable.slice(0, MAX_INITIAL_COLUMNS).map(({ name }) => name));
}

export const getShown = (picks) => picks.filter((pick) => !pick.isHidden);

/** Returns the columns of a request, with what differs from the table as it was found: it becomes code, too. */
export const request = (picks) => getShown(picks).map(makeColumnRequest);

function makeColumnRequest({ column, name, type, foundType, isLink }) {
  const request = { column };
  if (name !== (isLink ? `${column}_link` : column)) request.name = name;
  if (isLink) request.link = true;
  else if (type !== foundType) request.type = type;
  return request;
}

/** Returns the columns of a request for a table; undefined, for all that are not constant, without edits. */
export function buildRequest({ base, edits, first }) {
  const variable = base.columns.filter((column) => !column.constant).length;
  return edits.now === first && variable <= MAX_INITIAL_COLUMNS ? undefined : request(edits.now);
}

const changed = (picks, key, change) => picks.map((pick) => (pick.key === key ? { ...pick, ...change } : pick));

export const renamed = (picks, key, name) => changed(picks, key, { name });
export const retyped = (picks, key, type) => changed(picks, key, { type });
export const hidden = (picks, key, isHidden) => changed(picks, key, { isHidden });

export const linkKey = (key) => `${key} link`;
export const isSplit = (picks, key) => picks.some((pick) => pick.key === linkKey(key) && !pick.isHidden);

/** Adds a column of the URLs of a column's links, right of it. */
export function withLinks(picks, key) {
  if (picks.some((pick) => pick.key === linkKey(key))) return hidden(picks, linkKey(key), false);
  const index = picks.findIndex((pick) => pick.key === key);
  const name = makeUniqueName(picks, `${picks[index].name}_link`);
  const colour = picks.length % COLOURS.length;
  const added = { ...picks[index], key: linkKey(key), name, type: "url", hasLinks: false, isLink: true, isHidden: false, colour };
  return picks.toSpliced(index + 1, 0, added);
}

export function makeUniqueName(picks, makeColumnRequest) {
  const taken = new Set(picks.map((pick) => pick.name));
  let name = makeColumnRequest;
  for (let number = 2; taken.has(name); number += 1) name = `${makeColumnRequest}_${number}`;
  return name;
}

/** Returns why a new name is invalid, or an empty text. */
export function findNameError(picks, key, name) {
  if (!name) return "A column needs a name.";
  if (picks.some((pick) => pick.key !== key && pick.name === name)) return `There is already a column named ${name}.`;
  return "";
}

/** Returns the table with the picked columns, from what the server has sent so far. */
export function project(entry, picks) {
  const shown = getShown(picks);
  const sources = shown.map((pick) => sourceOf(entry, pick));
  const base = entry.base;
  const take = (from, row, list) => (from.index < 0 ? (list ? [] : null) : from.table[list ? "cells" : "rows"][row]?.[from.index]);
  return {
    columns: shown.map(({ key, name, type, colour, hasLinks }) => ({ key, name, type, colour, hasLinks })),
    rows: base.rows.map((_, row) => sources.map((from) => take(from, row, false) ?? null)),
    values: sources.map((from, index) => valuesOf(from, shown[index])),
    records: base.records,
    cells: base.records.map((_, row) => sources.map((from) => take(from, row, true) ?? [])),
  };
}

function sourceOf({ base, answer }, pick) {
  const index = answer ? answer.picks.findIndex(({ key, type }) => key === pick.key && type === pick.type) : -1;
  if (index >= 0) return { table: answer.table, index };
  return { table: base, index: pick.isLink ? -1 : base.columns.findIndex((column) => column.name === pick.column) };
}

// A column may be called "constructor".
const ownValue = (values, name) => (Object.hasOwn(values, name) ? values[name] : undefined);

/** Typed values, only where they are of the type that the column has now. */
function valuesOf({ table, index }, pick) {
  const column = table.columns[index];
  return column && column.type === pick.type ? (ownValue(table.values ?? {}, column.name) ?? null) : null;
}
