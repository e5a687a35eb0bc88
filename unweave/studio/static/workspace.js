// One page and its tables, side by side. Ties the frame, the grid, the tabs and the tools together.

import * as api from "./api.js";
import { AppliedView } from "./applied-view.js";
import { drawTableTabs } from "./table-tabs.js";
import { COLOURS, TYPES, makeInitialPicks, project, request, getShown } from "./columns.js";
import { button, byId, count, isWriting, make } from "./dom.js";
import { startExports } from "./export.js";
import { openColumnList, openColumnMenu, renameColumn } from "./header-menu.js";
import { drawNotes, addHiddenNote } from "./notes.js";
import { attempt, clearErrors, showError, announce } from "./messages.js";
import { busy } from "./open.js";
import { PageView } from "./page-view.js";
import { Picking } from "./picking.js";
import { percent } from "./set-format.js";
import { showSide, startSides } from "./sides.js";
import { Edits } from "./state.js";
import { TableView } from "./table-view.js";
import { drawHint, drawCellText } from "./cell-text.js";
import { takeWaitingWrapper } from "./wrapper-file.js";

const HOVER_DELAY_MS = 150; // ms that the pointer has to rest on a cell before the page scrolls

const kept = new Map(); // page id -> its tables with their edits: leaving a page loses nothing

export class Workspace {
  #page = null;
  #entries = [];
  #getCell = 0;
  #view = null;
  #pageView = new PageView(byId("frame-container"));
  #tableView = new TableView(byId("scroller"));
  #picking = new Picking(this.#pageView, (pair) => this.#findLike(pair));
  #applied = new AppliedView(this.#pageView, () => this.#leaveApplied());
  #marks = null; // of the wrapper that is applied
  #leaving = new AbortController();
  #resting = 0;

  constructor() {
    this.#pageView.prepare();
    startSides();
    startExports(() => ({ id: this.#page.id, entry: this.#entry, view: this.#view }));
    this.#listenToPage();
    this.#listenToTable();
    byId("undo").addEventListener("click", () => this.#entry?.edits.undo());
    byId("redo").addEventListener("click", () => this.#entry?.edits.redo());
    byId("columns").addEventListener("click", (event) => openColumnList(event.currentTarget, this.#entry.edits));
    addEventListener("keydown", (event) => this.#onKey(event));
    addEventListener("unweave-wrapper", (event) => {
      if (byId("work").hidden || !this.#page) return;
      event.preventDefault();
      attempt(byId("notes"), () => busy(this.#apply(event.detail)));
    });
  }

  /** Shows what a wrapper file finds on the page, in place of the tables. */
  async #apply({ name, text }) {
    const page = this.#page;
    const applied = await api.applyWrapper(page.id, text);
    if (page !== this.#page) return; // another page was opened meanwhile
    byId("scroller").replaceChildren(); // ids of cells stand once in the document
    this.#marks = applied.read.marks;
    this.#applied.show(name, applied);
    showSide("table");
    this.#picking.idle("");
    byId("status").textContent = `${name}: fit ${percent(applied.read.fit)}`;
  }

  #leaveApplied() {
    this.#applied.close();
    this.#show({ isSame: false });
  }

  get #entry() {
    return this.#entries[this.#getCell];
  }

  /** Shows a page and its tables, which are requested at the same time. */
  async open(page) {
    this.leave();
    this.#page = page;
    this.#leaving = new AbortController();
    byId("table-pane").classList.add("is-waiting");
    const { signal } = this.#leaving;
    const pageDrawn = attempt(byId("notes"), () => this.#draw({ signal }));
    const tablesLoaded = attempt(byId("table-messages"), () => this.#find(page, signal));
    await busy(Promise.all([pageDrawn, tablesLoaded]));
    const wrapper = signal.aborted ? null : takeWaitingWrapper();
    if (wrapper) await attempt(byId("notes"), () => busy(this.#apply(wrapper)));
  }

  /** Closes the page. */
  leave() {
    this.#leaving.abort();
    this.#applied.close();
    this.#picking.stop();
    this.#pageView.prepare();
    this.#entries = [];
    this.#view = null;
    for (const place of ["chips", "notes", "scroller", "table-messages"]) byId(place).replaceChildren();
    byId("whole").hidden = true;
    byId("status").textContent = "";
    this.#picking.idle("");
  }

  async #draw({ signal, outside = false }) {
    const drawing = await api.drawing(this.#page.id, { outside, signal });
    const load = () => attempt(byId("notes"), () => busy(this.#draw({ signal: this.#leaving.signal, outside: true })));
    drawNotes(byId("notes"), this.#page, drawing, outside ? null : load);
    const pageDrawn = this.#pageView.draw(drawing);
    this.#outline();
    this.#scrollIntoView();
    if ((await pageDrawn)?.isHidden) addHiddenNote(byId("notes"), this.#page);
  }

  async #find(page, signal) {
    const entries = kept.get(page.id) || (await api.tables(page.id, { signal })).map((table, index) => makeEntry(table, { method: "auto", number: table.number ?? index + 1 }));
    kept.set(page.id, entries);
    byId("table-pane").classList.remove("is-waiting");
    this.#entries = entries;
    this.#getCell = 0;
    for (const entry of entries) this.#follow(entry);
    this.#choose(0);
  }

  #choose(index) {
    this.#getCell = index;
    clearErrors(byId("table-messages"));
    this.#show({ isSame: false });
    this.#scrollIntoView();
  }

  /** Scrolls the page to the list, if it is not visible. */
  #scrollIntoView() {
    if (!this.#view || !this.#pageView.element) return;
    this.#pageView.show(0, null, { scroll: true });
    this.#pageView.show(null);
  }

  /** Draws the chosen table everywhere. */
  #show({ isSame }) {
    const entry = this.#entry;
    byId("table-pane").classList.toggle("is-empty", !entry);
    drawTableTabs(byId("chips"), this.#entries, this.#getCell, (index) => this.#choose(index));
    if (!entry) return this.#showNoList();
    this.#view = project(entry, entry.edits.now);
    const rows = count(this.#view.rows.length, "row");
    this.#tableView.set(this.#view, { label: `Table ${this.#getCell + 1}: ${rows}`, isSame });
    byId("undo").disabled = !entry.edits.canUndo;
    byId("redo").disabled = !entry.edits.canRedo;
    const [shown, all] = [getShown(entry.edits.now).length, entry.edits.now.length];
    const columnsSay = shown === all ? "Columns" : `Columns: ${shown} of ${all}`;
    byId("columns-label").textContent = columnsSay;
    byId("columns").setAttribute("aria-label", columnsSay); // where there is no room for the text
    byId("status").textContent = `${rows}, ${count(shown, "column")}; ${count(this.#entries.length, "table")} found`;
    this.#picking.idle(`${count(this.#view.records.length, "record")} outlined`);
    byId("whole").hidden = false;
    if (!isSame) drawHint(byId("whole"));
    this.#outline();
  }

  #showNoList() {
    const show = button({ icon: "target", text: "Click two records", onclick: () => this.#pick() });
    const message = make("p", {}, "If the page has a list, click two of its records.");
    byId("scroller").replaceChildren(make("div", { class: "nothing" }, make("h2", {}, "No list was found"), message, show));
    byId("whole").hidden = true;
    byId("status").textContent = "No table found";
    this.#picking.idle("");
    this.#pageView.table({});
  }

  #pick() {
    showSide("page");
    this.#picking.start();
  }

  #outline() {
    if (this.#applied.isShown) return this.#applied.mark(this.#marks);
    if (!this.#view || !this.#pageView.element) return;
    const { columns, records, cells } = this.#view;
    this.#pageView.table({ columns: columns.map(({ colour }) => COLOURS[colour]), quiet: columns.map(({ type }) => type === "url"), records, cells });
  }

  /** Shows the table after an edit at once as far as it is known, and then as the server returns it. */
  #follow(entry) {
    entry.stop?.abort();
    entry.stop = new AbortController();
    const { signal } = entry.stop;
    entry.edits.addEventListener("change", ({ detail }) => this.#edited(entry, detail.words), { signal });
    entry.edits.addEventListener("refused", () => entry === this.#entry && this.#show({ isSame: true }), { signal });
  }

  async #edited(entry, message) {
    const page = this.#page;
    const picks = entry.edits.now;
    clearErrors(byId("table-messages"));
    if (entry === this.#entry) this.#show({ isSame: true });
    announce(message.charAt(0).toUpperCase() + message.slice(1));
    if (picks === entry.first) return;
    try {
      const table = await api.table(page.id, entry.choice, request(picks));
      if (entry.edits.now !== picks) return; // a response to an outdated request
      entry.answer = { table, picks: getShown(picks) };
      if (entry === this.#entry) this.#show({ isSame: true });
      const unread = describeInvalidCells(table, picks);
      if (unread) showError(byId("table-messages"), new Error(unread));
    } catch (error) {
      if (error.status) entry.edits.refuse(picks); // else there was no response, and the edit may be valid
      showError(byId("table-messages"), error);
    }
  }

  async #findLike(pair) {
    this.#applied.close();
    const choice = { method: "auto", number: 1, like: pair };
    await attempt(byId("notes"), async () => {
      const table = await busy(api.table(this.#page.id, choice));
      this.#entries.push(makeEntry(table, choice, true));
      this.#follow(this.#entries.at(-1));
      this.#choose(this.#entries.length - 1);
      showSide("table");
    });
  }

  #listenToPage() {
    this.#pageView.addEventListener("point", ({ detail: { row, column } }) => {
      if (this.#applied.isShown) this.#applied.point(row, column);
      else this.#tableView.point(row, column, { scroll: true });
    });
    this.#pageView.addEventListener("choose", ({ detail }) => {
      showSide("table");
      if (this.#applied.isShown) return this.#applied.point(detail.row, detail.column, { isChosen: true });
      this.#tableView.activate(detail.row, detail.column ?? -1);
    });
    const keys = {
      undo: () => this.#entry?.edits.undo(),
      redo: () => this.#entry?.edits.redo(),
      F6: () => this.#tableView.focus(),
      dragenter: () => (byId("veil").hidden = false),
    };
    this.#pageView.addEventListener("key", ({ detail }) => Object.hasOwn(keys, detail.key) && keys[detail.key]());
  }

  #listenToTable() {
    this.#tableView.addEventListener("point", ({ detail: { row, column } }) => {
      this.#pageView.show(row, column);
      clearTimeout(this.#resting);
      if (row !== null) this.#resting = setTimeout(() => this.#pageView.show(row, column, { scroll: true }), HOVER_DELAY_MS);
    });
    this.#tableView.addEventListener("active", ({ detail: { row, column } }) => {
      if (row >= 0) this.#pageView.show(row, column < 0 ? null : column, { scroll: true });
      drawCellText(byId("whole"), this.#view, row, column, () => showSide("page"));
    });
    this.#tableView.addEventListener("menu", ({ detail: { column, anchor } }) => {
      openColumnMenu(anchor, this.#view.columns[column], this.#entry.edits, () => this.#tableView.rename(column));
    });
    this.#tableView.addEventListener("renamed", ({ detail: { key, name } }) => renameColumn(this.#entry.edits, key, name));
  }

  #onKey(event) {
    if (byId("work").hidden || isWriting(event.target) || document.querySelector("dialog[open]")) return;
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    const isRedo = (isUndo && event.shiftKey) || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "y");
    if (isRedo) this.#entry?.edits.redo();
    else if (isUndo) this.#entry?.edits.undo();
    else if (event.key === "F6") this.#pageView.focus();
    else return;
    event.preventDefault();
  }
}

/** Returns a message on cells that cannot be converted to the new type of their column; they are empty in files of values. */
function describeInvalidCells(table, picks) {
  const message = getShown(picks).map(({ type, foundType }, index) => {
    const { name } = table.columns[index];
    const values = type !== foundType && Object.hasOwn(table.values, name) ? table.values[name] : undefined;
    const filled = values?.filter((_, row) => table.rows[row][index] !== null) ?? [];
    const unread = filled.filter((value) => value === null).length;
    return unread ? `${unread} of ${count(filled.length, "cell")} in ${name} cannot be converted to ${TYPES[type].toLowerCase()} and will be empty in Excel and Parquet.` : "";
  });
  return message.filter(Boolean).join(" ");
}

function makeEntry(table, choice, isPicked = false) {
  const first = makeInitialPicks(table);
  return { choice, base: table, first, edits: new Edits(first), answer: null, isPicked };
}
