// The columns of a table as the user wants them: which, in which order, called what, of which type. Nothing here is drawn.

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
  url: "Address",
  image: "Picture",
  list: "List",
};

const RIGHT = new Set(["integer", "number", "percentage", "price", "date", "time", "datetime"]);
export const isAddress = (type) => type === "url" || type === "image";
export const isRightAligned = (type) => RIGHT.has(type);

// Column by column around the wheel, so that neighbours differ. Each is readable on white; the style sheet has its own
// set for the dark theme, by the same numbers.
export const COLOURS = ["#1f6feb", "#b35900", "#1a7f37", "#a626a4", "#c2255c", "#0b7285", "#7a5c00", "#5f3dc4", "#c92a2a", "#3d6b00"];

const MOST_FIRST = 60; // columns that are shown at first: nobody looks at a thousand, and each costs time

/** The first state of a table's columns: all of them, those hidden that say the same in every row, and of very many the
    emptiest. */
export function firstPicks(table) {
  const isTelling = table.columns.some((column) => !column.constant);
  const few = isTelling ? fullest(table) : null;
  const picks = table.columns.map((column) => ({
    key: column.name,
    column: column.name,
    name: column.name,
    type: column.type,
    foundType: column.type,
    hasLinks: column.links === true,
    isLink: false,
    isHidden: isTelling && !few.has(column.name),
  }));
  // Those that are shown get the colours first: hidden ones should not use them up.
  [...picks.filter((pick) => !pick.isHidden), ...picks.filter((pick) => pick.isHidden)].forEach((pick, at) => (pick.colour = at % COLOURS.length));
  return picks;
}

/** The names of the columns that tell something; of too many, of those that say it in most rows. */
function fullest({ columns, rows }) {
  const telling = columns.map((column, at) => ({ ...column, at })).filter((column) => !column.constant);
  if (telling.length > MOST_FIRST) {
    const filled = (at) => rows.reduce((sum, row) => sum + (row[at] !== null), 0);
    const counts = new Map(telling.map(({ at }) => [at, filled(at)]));
    telling.sort((one, other) => counts.get(other.at) - counts.get(one.at));
  }
  return new Set(telling.slice(0, MOST_FIRST).map(({ name }) => name));
}

export const shownOf = (picks) => picks.filter((pick) => !pick.isHidden);

/** What the server is asked for. Only what differs from the table as it was found is said: it becomes code, too. */
export const request = (picks) => shownOf(picks).map(wanted);

function wanted({ column, name, type, foundType, isLink }) {
  const asked = { column };
  if (name !== (isLink ? `${column}_link` : column)) asked.name = name;
  if (isLink) asked.link = true;
  else if (type !== foundType) asked.type = type;
  return asked;
}

/** The same for a table as a whole: without edits, all columns that tell something are meant, if all of them are shown. */
export function requestOf({ base, edits, first }) {
  const telling = base.columns.filter((column) => !column.constant).length;
  return edits.now === first && telling <= MOST_FIRST ? undefined : request(edits.now);
}

const changed = (picks, key, change) => picks.map((pick) => (pick.key === key ? { ...pick, ...change } : pick));

export const renamed = (picks, key, name) => changed(picks, key, { name });
export const retyped = (picks, key, type) => changed(picks, key, { type });
export const hidden = (picks, key, isHidden) => changed(picks, key, { isHidden });

export const linkKey = (key) => `${key} link`;
export const isSplit = (picks, key) => picks.some((pick) => pick.key === linkKey(key) && !pick.isHidden);

/** With a column of the addresses that a column's cells lead to, right of it. */
export function withLinks(picks, key) {
  if (picks.some((pick) => pick.key === linkKey(key))) return hidden(picks, linkKey(key), false);
  const at = picks.findIndex((pick) => pick.key === key);
  const name = freeName(picks, `${picks[at].name}_link`);
  const colour = picks.length % COLOURS.length;
  const added = { ...picks[at], key: linkKey(key), name, type: "url", hasLinks: false, isLink: true, isHidden: false, colour };
  return picks.toSpliced(at + 1, 0, added);
}

export function freeName(picks, wanted) {
  const taken = new Set(picks.map((pick) => pick.name));
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`;
  return name;
}

/** What is wrong with a new name, or nothing. */
export function faultOf(picks, key, name) {
  if (!name) return "A column needs a name.";
  if (picks.some((pick) => pick.key !== key && pick.name === name)) return `There is a column called ${name} already.`;
  return "";
}

/** The table as its columns are picked, from what the server has said so far: shown until it answers. */
export function project(entry, picks) {
  const shown = shownOf(picks);
  const sources = shown.map((pick) => sourceOf(entry, pick));
  const base = entry.base;
  const take = (from, row, list) => (from.at < 0 ? (list ? [] : null) : from.table[list ? "cells" : "rows"][row]?.[from.at]);
  return {
    columns: shown.map(({ key, name, type, colour, hasLinks }) => ({ key, name, type, colour, hasLinks })),
    rows: base.rows.map((_, row) => sources.map((from) => take(from, row, false) ?? null)),
    values: sources.map((from, at) => valuesOf(from, shown[at])),
    records: base.records,
    cells: base.records.map((_, row) => sources.map((from) => take(from, row, true) ?? [])),
  };
}

function sourceOf({ base, answer }, pick) {
  const at = answer ? answer.picks.findIndex(({ key, type }) => key === pick.key && type === pick.type) : -1;
  if (at >= 0) return { table: answer.table, at };
  return { table: base, at: pick.isLink ? -1 : base.columns.findIndex((column) => column.name === pick.column) };
}

// A column may be called "constructor".
const ownValue = (values, name) => (Object.hasOwn(values, name) ? values[name] : undefined);

/** Typed values, only where they are of the type that the column has now. */
function valuesOf({ table, at }, pick) {
  const column = table.columns[at];
  return column && column.type === pick.type ? (ownValue(table.values ?? {}, column.name) ?? null) : null;
}
