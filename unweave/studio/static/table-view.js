// The table as a grid. Only visible rows exist, so that thousands take no time. The grid itself has the focus, and
// aria-activedescendant names the active cell: rows are added and removed without losing the focus.
//
// Events: point {row, column} (null when the pointer leaves), active {row, column}, menu {column, anchor}, renamed {key, name}

import { make } from "./dom.js";
import { headButton, makeHead, makeRow, makeSpacer, computeWidth } from "./table-cells.js";

const ROW_HEIGHT = 30; // px, as in studio.css
const MARGIN_ROWS = 30; // rows that are drawn above and below those in sight
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
  #next = null; // the table to show once the name is written

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

  /** Shows a table instead of the one before. `isSame` keeps the scroll position. */
  set(view, { label, isSame = false }) {
    if (this.#isRenaming && isSame) {
      this.#next = [view, { label, isSame }]; // or what the user is writing would be lost
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

  /** Highlights a cell that is under the pointer in the page. */
  point(row, column, { scroll = false } = {}) {
    this.#pointed = { row, column };
    if (scroll && row !== null) this.#reveal(row, column);
    this.#mark();
  }

  /** Makes a cell the active one. */
  activate(row, column) {
    this.#active = { row: Math.max(-1, Math.min(row, this.#view.rows.length - 1)), column: Math.max(-1, Math.min(column, this.#view.columns.length - 1)) };
    this.#reveal(this.#active.row, this.#active.column);
    this.#mark();
    this.#emit("active", this.#active);
  }

  /** Turns a header into a text field. */
  rename(column) {
    const head = this.#getHead(column);
    if (!head || this.#isFixed) return;
    const { key, name } = this.#view.columns[column];
    const field = make("input", { class: "rename", value: name, "aria-label": `New name of the column ${name}`, spellcheck: "false", maxlength: "200" });
    let hasEnded = false;
    const end = (isAccepted, isByKey) => {
      if (hasEnded) return;
      hasEnded = true;
      const newName = field.value.trim();
      this.#isRenaming = false;
      if (this.#next) this.set(...this.#next);
      else if (field.isConnected) field.replaceWith(this.#button(column));
      this.#next = null;
      if (isAccepted && newName !== name) this.#emit("renamed", { key, name: newName });
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

  #getHead(column) {
    return this.#grid?.tHead.rows[0].cells[column + 1];
  }

  #build(label) {
    const { columns, rows } = this.#view;
    const widths = columns.map((_, column) => computeWidth(this.#view, column));
    const cols = ["3.25rem", ...widths.map((width) => `${width}px`)].map((width) => {
      const col = document.createElement("col");
      col.style.width = width;
      return col;
    });
    const heads = columns.map((column, index) => makeHead(column, index, this.#button(index)));
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

  #button(index) {
    if (this.#isFixed) return headButton(this.#view.columns[index]);
    // The second click of two is one that renames.
    return headButton(this.#view.columns[index], (event) => event.detail < 2 && this.#emit("menu", { column: index, anchor: event.currentTarget }));
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
    const top = Math.floor(scrollTop / ROW_HEIGHT);
    const bottom = Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT);
    const isCovered = this.#body.childElementCount > 0 && this.#range[0] <= Math.max(0, top - 5) && this.#range[1] >= Math.min(total, bottom + 5);
    if (isCovered) return;
    this.#range = [Math.max(0, top - MARGIN_ROWS), Math.min(total, bottom + MARGIN_ROWS)];
    const drawn = document.createDocumentFragment();
    drawn.append(makeSpacer(this.#view, this.#range[0] * ROW_HEIGHT));
    for (let row = this.#range[0]; row < this.#range[1]; row += 1) drawn.append(makeRow(this.#view, row));
    drawn.append(makeSpacer(this.#view, (total - this.#range[1]) * ROW_HEIGHT));
    this.#body.replaceChildren(drawn);
    this.#mark();
  }

  #listen() {
    const findPosition = (target) => {
      const cell = target.closest("[data-column]");
      const line = target.closest("tr[data-row]");
      return cell ? { row: line ? Number(line.dataset.row) : -1, column: Number(cell.dataset.column) } : null;
    };
    this.#grid.addEventListener("mouseover", (event) => {
      const position = findPosition(event.target);
      if (position && position.row >= 0) this.#hover(position.row, position.column);
    });
    this.#grid.addEventListener("mouseleave", () => this.#leave());
    this.#grid.addEventListener("click", (event) => {
      const position = findPosition(event.target);
      if (position && position.row >= 0) this.activate(position.row, position.column);
    });
    this.#grid.addEventListener("dblclick", (event) => {
      const position = findPosition(event.target);
      if (position && position.row < 0 && position.column >= 0) this.rename(position.column);
    });
    this.#grid.addEventListener("contextmenu", (event) => {
      const position = findPosition(event.target);
      if (position && position.row < 0 && position.column >= 0) this.#openMenu(event, position.column);
    });
    this.#grid.addEventListener("keydown", (event) => event.target === this.#grid && this.#onKey(event));
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
    this.#emit("menu", { column, anchor: this.#getHead(column).querySelector("button") });
  }

  #onKey(event) {
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
      leaves the table where it is sideways: row numbers are always visible. */
  #reveal(row, column) {
    const scroller = this.#scroller;
    if (row >= 0) {
      const top = row * ROW_HEIGHT;
      const height = scroller.clientHeight - this.#grid.tHead.offsetHeight - ROW_HEIGHT;
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (top > scroller.scrollTop + height) scroller.scrollTop = top - height;
    }
    if (column !== null && column >= 0) {
      // Not offsetLeft: headers are sticky, so theirs does not count from the table.
      const head = this.#getHead(column).getBoundingClientRect();
      const start = scroller.getBoundingClientRect().left + scroller.clientLeft;
      const left = head.left - start - this.#getHead(-1).offsetWidth;
      const right = head.right - start - scroller.clientWidth;
      if (left < 0) scroller.scrollLeft += left;
      else if (right > 0) scroller.scrollLeft += Math.min(left, right);
    }
    this.#draw();
  }

  /** Marks the cells that are under the pointer and active. */
  #mark() {
    for (const element of this.#grid?.querySelectorAll(".is-pointed, .is-active") ?? []) element.classList.remove("is-pointed", "is-active");
    if (!this.#grid) return;
    const { row, column } = this.#pointed;
    if (row !== null) this.#getCell(row, column ?? -1)?.parentElement.classList.add("is-pointed");
    if (row !== null && column !== null) this.#getCell(row, column)?.classList.add("is-pointed");
    const active = this.#getCell(this.#active.row, this.#active.column);
    active?.classList.add("is-active");
    if (active) this.#grid.setAttribute("aria-activedescendant", active.id);
    else this.#grid.removeAttribute("aria-activedescendant");
  }

  #getCell(row, column) {
    return this.#grid.querySelector(`#cell-${row}-${column}`);
  }
}
