// The table as a grid. Only the rows in sight exist, so thousands are no burden. The grid has the focus as a whole and says
// by aria-activedescendant which cell is meant: rows come and go without the focus getting lost.
//
// Events: point {row, column} (null when the pointer leaves), active {row, column}, menu {column, anchor}, renamed {key, name}

import { make } from "./dom.js";
import { headButton, headOf, rowOf, spaceOf, widthOf } from "./table-cells.js";

const ROW = 30; // px, as in studio.css
const AROUND = 30; // rows that are drawn above and below those in sight
const PAGE_STEP = 15;

export class TableView extends EventTarget {
  #scroller;
  #isFixed;
  #view = { columns: [], rows: [], values: [] };
  #grid = null;
  #body = null;
  #range = [0, 0];
  #active = { row: 0, column: 0 };
  #pointed = { row: null, column: null };
  #isRenaming = false;
  #next = null; // what came to be shown while a name was being written

  /** `isFixed` columns have no menus and keep their names. */
  constructor(scroller, { isFixed = false } = {}) {
    super();
    this.#scroller = scroller;
    this.#isFixed = isFixed;
    scroller.addEventListener("scroll", () => this.#drawSoon(), { passive: true });
    new ResizeObserver(() => this.#drawSoon()).observe(scroller);
  }

  get active() {
    return this.#active;
  }

  /** Shows a table, in place of the one before. `isSame` keeps the place that is looked at. */
  set(view, { label, isSame = false }) {
    if (this.#isRenaming && isSame) {
      this.#next = [view, { label, isSame }]; // nobody loses what they are writing
      return;
    }
    this.#isRenaming = false;
    const hadFocus = this.#grid !== null && this.#grid === document.activeElement;
    const [top, left] = isSame ? [this.#scroller.scrollTop, this.#scroller.scrollLeft] : [0, 0];
    this.#view = view;
    if (!isSame) {
      this.#active = { row: 0, column: 0 };
      this.#pointed = { row: null, column: null };
    }
    this.#active.column = Math.min(this.#active.column, view.columns.length - 1);
    this.#range = [0, 0];
    this.#build(label);
    this.#scroller.replaceChildren(this.#grid);
    this.#scroller.scrollTo({ top, left, behavior: "instant" });
    this.#draw();
    if (hadFocus) this.#grid.focus({ preventScroll: true });
  }

  focus() {
    this.#grid?.focus({ preventScroll: true });
  }

  /** Lights up a cell, as it is pointed at in the page. */
  point(row, column, { scroll = false } = {}) {
    this.#pointed = { row, column };
    if (scroll && row !== null) this.#reveal(row, column);
    this.#mark();
  }

  /** Makes a cell the one that the keys start from. */
  activate(row, column) {
    this.#active = { row: Math.max(-1, Math.min(row, this.#view.rows.length - 1)), column: Math.max(-1, Math.min(column, this.#view.columns.length - 1)) };
    this.#reveal(this.#active.row, this.#active.column);
    this.#mark();
    this.#emit("active", this.#active);
  }

  /** Turns a header into a text field. */
  rename(column) {
    const head = this.#headOf(column);
    if (!head || this.#isFixed) return;
    const { key, name } = this.#view.columns[column];
    const field = make("input", { class: "rename", value: name, "aria-label": `New name of the column ${name}`, spellcheck: "false", maxlength: "200" });
    let isOver = false;
    const end = (isTaken, isByKey) => {
      if (isOver) return;
      isOver = true;
      const wanted = field.value.trim();
      this.#isRenaming = false;
      if (this.#next) this.set(...this.#next);
      else if (field.isConnected) field.replaceWith(this.#button(column));
      this.#next = null;
      if (isTaken && wanted !== name) this.#emit("renamed", { key, name: wanted });
      if (isByKey) this.focus();
    };
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter" || event.key === "Escape") end(event.key === "Enter", true);
    });
    field.addEventListener("blur", () => end(true, false));
    head.querySelector("button").replaceWith(field);
    this.#isRenaming = true;
    field.focus();
    field.select();
  }

  #emit(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  #headOf(column) {
    return this.#grid?.tHead.rows[0].cells[column + 1];
  }

  #build(label) {
    const { columns, rows } = this.#view;
    const widths = columns.map((_, column) => widthOf(this.#view, column));
    const cols = ["3.25rem", ...widths.map((width) => `${width}px`)].map((width) => {
      const col = document.createElement("col");
      col.style.width = width;
      return col;
    });
    const heads = columns.map((column, at) => headOf(column, at, this.#button(at)));
    const corner = make("th", { scope: "col", id: "cell--1--1", class: "number" }, make("span", { class: "unseen" }, "Row"));
    const counts = { "aria-rowcount": rows.length + 1, "aria-colcount": columns.length + 1 };
    this.#body = make("tbody");
    this.#grid = make(
      "table",
      { role: "grid", tabindex: "0", "aria-label": label, "aria-readonly": "true", class: "grid", ...counts },
      make("colgroup", {}, ...cols),
      make("thead", {}, make("tr", { "aria-rowindex": "1" }, corner, ...heads)),
      this.#body,
    );
    this.#grid.style.width = `calc(3.25rem + ${widths.reduce((sum, width) => sum + width, 0)}px)`;
    this.#listen();
  }

  #button(at) {
    if (this.#isFixed) return headButton(this.#view.columns[at]);
    // The second click of two is one that renames.
    return headButton(this.#view.columns[at], (event) => event.detail < 2 && this.#emit("menu", { column: at, anchor: event.currentTarget }));
  }

  #pending = 0;
  #drawSoon() {
    this.#pending ||= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#pending = 0;
    if (!this.#grid) return;
    const total = this.#view.rows.length;
    const { scrollTop, clientHeight } = this.#scroller;
    const top = Math.floor(scrollTop / ROW);
    const bottom = Math.ceil((scrollTop + clientHeight) / ROW);
    const isCovered = this.#body.childElementCount > 0 && this.#range[0] <= Math.max(0, top - 5) && this.#range[1] >= Math.min(total, bottom + 5);
    if (isCovered) return;
    this.#range = [Math.max(0, top - AROUND), Math.min(total, bottom + AROUND)];
    const drawn = document.createDocumentFragment();
    drawn.append(spaceOf(this.#view, this.#range[0] * ROW));
    for (let row = this.#range[0]; row < this.#range[1]; row += 1) drawn.append(rowOf(this.#view, row));
    drawn.append(spaceOf(this.#view, (total - this.#range[1]) * ROW));
    this.#body.replaceChildren(drawn);
    this.#mark();
  }

  #listen() {
    const placeOf = (target) => {
      const cell = target.closest("[data-column]");
      const line = target.closest("tr[data-row]");
      return cell ? { row: line ? Number(line.dataset.row) : -1, column: Number(cell.dataset.column) } : null;
    };
    this.#grid.addEventListener("mouseover", (event) => {
      const place = placeOf(event.target);
      if (place && place.row >= 0) this.#hover(place.row, place.column);
    });
    this.#grid.addEventListener("mouseleave", () => this.#leave());
    this.#grid.addEventListener("click", (event) => {
      const place = placeOf(event.target);
      if (place && place.row >= 0) this.activate(place.row, place.column);
    });
    this.#grid.addEventListener("dblclick", (event) => {
      const place = placeOf(event.target);
      if (place && place.row < 0 && place.column >= 0) this.rename(place.column);
    });
    this.#grid.addEventListener("contextmenu", (event) => {
      const place = placeOf(event.target);
      if (place && place.row < 0 && place.column >= 0) this.#openMenu(event, place.column);
    });
    this.#grid.addEventListener("keydown", (event) => event.target === this.#grid && this.#key(event));
    this.#grid.addEventListener("copy", (event) => this.#copy(event));
    this.#grid.addEventListener("focus", () => this.#emit("active", this.#active));
  }

  #hover(row, column) {
    if (row === this.#pointed.row && column === this.#pointed.column) return;
    this.point(row, column);
    this.#emit("point", { row, column: column === -1 ? null : column });
  }

  /** Without the pointer, it is the active cell again that is shown. */
  #leave() {
    const { row, column } = this.#active;
    this.point(null, null);
    const isShown = this.#grid === document.activeElement && row >= 0;
    this.#emit("point", isShown ? { row, column: column < 0 ? null : column } : { row: null, column: null });
  }

  /** Ctrl+C takes the active cell, unless some text is selected. */
  #copy(event) {
    const text = this.#view.rows[this.#active.row]?.[this.#active.column];
    if (!text || !getSelection().isCollapsed) return;
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  }

  #openMenu(event, column) {
    if (this.#isFixed) return;
    event.preventDefault();
    this.#emit("menu", { column, anchor: this.#headOf(column).querySelector("button") });
  }

  #key(event) {
    const { row, column } = this.#active;
    const [last, right] = [this.#view.rows.length - 1, this.#view.columns.length - 1];
    const isFar = event.ctrlKey || event.metaKey;
    const steps = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [isFar ? 0 : row, -1],
      End: [isFar ? last : row, right],
      PageUp: [Math.max(0, row - PAGE_STEP), column],
      PageDown: [row + PAGE_STEP, column],
    };
    const isMenu = event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey) || (row === -1 && (event.key === "Enter" || event.key === " "));
    if (event.key in steps && !event.altKey) {
      event.preventDefault();
      this.activate(...steps[event.key]);
    } else if (isMenu && column >= 0) {
      this.#openMenu(event, column);
    } else if (event.key === "F2" && column >= 0) {
      event.preventDefault();
      this.rename(column);
    }
  }

  /** Scrolls a cell into the part of the pane that neither the header nor the row numbers cover. A column of -1 or null
      leaves the table where it is sideways: row numbers are always in sight. */
  #reveal(row, column) {
    const scroller = this.#scroller;
    if (row >= 0) {
      const top = row * ROW;
      const room = scroller.clientHeight - this.#grid.tHead.offsetHeight - ROW;
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
    }
    if (column !== null && column >= 0) {
      // Not offsetLeft: headers are sticky, so theirs does not count from the table.
      const head = this.#headOf(column).getBoundingClientRect();
      const start = scroller.getBoundingClientRect().left + scroller.clientLeft;
      const left = head.left - start - this.#headOf(-1).offsetWidth;
      const right = head.right - start - scroller.clientWidth;
      if (left < 0) scroller.scrollLeft += left;
      else if (right > 0) scroller.scrollLeft += Math.min(left, right);
    }
    this.#draw();
  }

  /** Writes onto the rows in sight what is pointed at and what is active. */
  #mark() {
    for (const one of this.#grid?.querySelectorAll(".is-pointed, .is-active") ?? []) one.classList.remove("is-pointed", "is-active");
    if (!this.#grid) return;
    const { row, column } = this.#pointed;
    if (row !== null) this.#at(row, column ?? -1)?.parentElement.classList.add("is-pointed");
    if (row !== null && column !== null) this.#at(row, column)?.classList.add("is-pointed");
    const active = this.#at(this.#active.row, this.#active.column);
    active?.classList.add("is-active");
    if (active) this.#grid.setAttribute("aria-activedescendant", active.id);
    else this.#grid.removeAttribute("aria-activedescendant");
  }

  #at(row, column) {
    return this.#grid.querySelector(`#cell-${row}-${column}`);
  }
}
