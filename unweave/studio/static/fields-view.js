// What the wrapper extracts from the page: fields with their values, or the table of a list.
//
// Events: point {name} (null when the pointer leaves), choose {name}, cell {row, column, isChosen}

import { count, icon, make } from "./dom.js";
import { FITS, fitBar, joinNames, percent, shortName } from "./set-format.js";
import { TableView } from "./table-view.js";

const SHOWN = 3; // values of a list that are seen at once

export class FieldsView extends EventTarget {
  #head = make("div", { class: "read-head" });
  #list = make("div", { class: "fields" });
  #scroller = make("div", { class: "scroller" });
  #grid = new TableView(this.#scroller, { isFixed: true });
  #rows = new Map(); // name -> the element of the field

  constructor(id) {
    super();
    this.element = make("section", { id, class: "set-panel" }, this.#head, this.#list, this.#scroller);
    this.#grid.addEventListener("point", ({ detail }) => this.#emit("cell", { ...detail, isChosen: false }));
    this.#grid.addEventListener("active", ({ detail: { row, column } }) => row >= 0 && this.#emit("cell", { row, column: column < 0 ? null : column, isChosen: true }));
  }

  /** Shows what was read of a page; `table` is its table in colours, or null. */
  set(read, learned, colours, table, { isTried }) {
    this.#head.replaceChildren(...head(read, isTried));
    this.#rows = new Map();
    this.#scroller.hidden = !table;
    this.#list.hidden = Boolean(table);
    if (table) this.#grid.set(table, { label: `Table: ${count(table.rows.length, "row")}` });
    else this.#list.replaceChildren(...this.#parts({ ...read.fields, ...read.others }, learned.fields, colours));
  }

  /** Shows that there is no wrapper. */
  clear() {
    this.#rows = new Map();
    this.#head.replaceChildren();
    this.#scroller.hidden = true;
    this.#list.hidden = false;
    this.#list.replaceChildren(make("p", { class: "absent soft" }, "No wrapper was learned. Another method may work."));
  }

  /** Highlights a field that is under the pointer in the page. */
  light(name, { isChosen = false } = {}) {
    for (const [rowName, row] of this.#rows) row.classList.toggle("is-lit", rowName === name);
    const row = this.#rows.get(name);
    row?.scrollIntoView({ block: "nearest" });
    if (isChosen) row?.focus({ preventScroll: true });
  }

  /** Highlights a cell. */
  point(row, column, { isChosen = false } = {}) {
    if (isChosen) this.#grid.activate(row, column ?? -1);
    else this.#grid.point(row, column, { scroll: true });
  }

  #emit(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  #parts(values, fields, colours) {
    const known = new Map(fields.map((field) => [field.name, field]));
    const all = [...new Set([...known.keys(), ...Object.keys(values)])].map((name) => ({ name, value: Object.hasOwn(values, name) ? values[name] : undefined, field: known.get(name) }));
    const isThere = ({ value }) => value !== undefined && value !== null && value.length > 0;
    const single = all.filter((entry) => isThere(entry) && !entry.field?.table);
    const tables = Map.groupBy(all.filter((entry) => isThere(entry) && entry.field?.table), ({ field }) => field.table);
    const absent = all.filter((entry) => !isThere(entry));
    return [
      single.length ? make("ul", { class: "field-list" }, ...single.map((entry) => this.#entry(entry, colours))) : null,
      ...[...tables].map(([name, columns]) => this.#makeTable(name, columns, colours)),
      absent.length ? make("p", { class: "absent soft" }, `Not on this page: ${joinNames(absent.map(({ name }) => name), 30)}.`) : null,
      all.length === 0 ? make("p", { class: "absent soft" }, "The wrapper finds nothing on this page.") : null,
    ].filter(Boolean);
  }

  #entry({ name, value, field }, colours) {
    const description = field ? make("span", { class: "located-by" }, field.told_by) : null;
    const row = make("button", { type: "button", class: "field", "data-colour": colours.getColour(name) }, make("span", { class: "field-name" }, make("span", { class: "dot" }), name), make("span", { class: "field-value" }, ...values(value)), description);
    this.#listen(row, name);
    return make("li", {}, row);
  }

  /** A table inside the page, as one. */
  #makeTable(name, columns, colours) {
    const rows = Math.max(...columns.map(({ value }) => [value].flat().length));
    const heads = columns.map((column) => {
      const head = make("button", { type: "button", class: "quiet" }, column.name.replace(`${name}_`, ""));
      this.#listen(head, column.name);
      return make("th", { scope: "col", "data-colour": colours.getColour(column.name) }, head);
    });
    const cells = (row) => columns.map(({ value }) => make("td", {}, [value].flat()[row] ?? "–"));
    const body = Array.from({ length: rows }, (_, row) => make("tr", {}, ...cells(row)));
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...body));
    return make("section", { class: "inner-table", "aria-label": `Table ${name}` }, make("h3", {}, name, make("span", { class: "soft" }, count(rows, "row"))), make("div", { class: "inner-scroller", tabindex: "0", role: "group", "aria-label": `Rows of ${name}` }, table));
  }

  #listen(row, name) {
    this.#rows.set(name, row);
    row.addEventListener("mouseenter", () => this.#emit("point", { name }));
    row.addEventListener("mouseleave", () => this.#emit("point", { name: null }));
    row.addEventListener("focus", () => row.matches(":focus-visible") && this.#emit("point", { name }));
    row.addEventListener("click", () => this.#emit("choose", { name }));
  }
}

function head({ page, fit, missing }, isTried) {
  const title = make("p", { class: "read-name", title: page.name }, isTried ? make("span", { class: "badge" }, "New page") : null, make("strong", {}, page.title || shortName(page.name)));
  const description = fit < FITS ? "does not fit" : fit < 0.9 ? "fits in part" : "fits";
  const line = make("p", { class: "fit-line" }, fitBar(fit), make("span", { class: "figure" }, percent(fit)), make("span", { class: fit < FITS ? "unfit" : "soft" }, description));
  const lacks = missing.length ? make("p", { class: "missing" }, `Missing: ${joinNames(missing, 6)}`) : null;
  const open = make("a", { class: "find-tables", href: `#/page/${encodeURIComponent(page.id)}` }, icon("columns"), "Find tables on this page");
  return [title, line, lacks, open].filter(Boolean);
}

function values(value) {
  const all = [value].flat().filter((text) => text !== null);
  const shown = all.slice(0, SHOWN).map((text) => make("span", { class: "text" }, text));
  return all.length > SHOWN ? [...shown, make("span", { class: "soft" }, `and ${all.length - SHOWN} more`)] : shown;
}
