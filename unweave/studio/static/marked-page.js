// A page of a group, with what is template and what is data coloured in it.
//
// Events: field {field, isChosen} (a field that is pointed at in the page, by its number, or null), row {row, column, isChosen},
// leave (by F6)

import * as api from "./api.js";
import { COLOURS } from "./columns.js";
import { byId, make } from "./dom.js";
import { drawNotes, addHiddenNote } from "./notes.js";
import { attempt } from "./messages.js";
import { PageView } from "./page-view.js";

const HOVER_DELAY_MS = 150; // ms that the pointer has to rest on a field before the page scrolls
const STORAGE_KEY = "unweave-marks";
const MODES = [
  ["both", "Both"],
  ["data", "Data"],
  ["template", "Template"],
  ["off", "Off"],
];

export class MarkedPage extends EventTarget {
  #notes = make("div", { class: "notes" });
  #container = make("div", { class: "frame-container" });
  #view = new PageView(this.#container);
  #mode = localStorage.getItem(STORAGE_KEY) || "both";
  #marks = { template: [], data: [] };
  #table = null;
  #resting = 0;

  constructor() {
    super();
    this.element = make("section", { class: "page-pane", "aria-label": "Page" }, this.#legend(), this.#notes, this.#container);
    this.#listen();
  }

  /** Draws a page. It is marked as soon as `mark` is called, before or after. */
  async draw(page, { signal, outside = false }) {
    const drawing = await api.drawing(page.id, { outside, signal });
    const load = () => attempt(this.#notes, () => this.draw(page, { signal, outside: true }));
    drawNotes(this.#notes, page, drawing, outside ? null : load);
    const drawn = this.#view.draw(drawing);
    this.#send();
    if ((await drawn)?.isHidden) addHiddenNote(this.#notes, page);
  }

  /** What is marked: texts of the template, texts of each field, and the table, if the page is a list. */
  mark({ template, data }, table) {
    this.#marks = { template, data };
    this.#table = table;
    this.#send();
  }

  /** Highlights a field; the page scrolls to it after a delay, or at once. */
  light(field, { isAtOnce = false } = {}) {
    clearTimeout(this.#resting);
    this.#view.light(field, { scroll: isAtOnce });
    if (field !== null && !isAtOnce) this.#resting = setTimeout(() => this.#view.light(field, { scroll: true }), HOVER_DELAY_MS);
  }

  /** The same for a cell of the table. */
  show(row, column, { isAtOnce = false } = {}) {
    clearTimeout(this.#resting);
    this.#view.show(row, column, { scroll: isAtOnce });
    if (row !== null && !isAtOnce) this.#resting = setTimeout(() => this.#view.show(row, column, { scroll: true }), HOVER_DELAY_MS);
  }

  focus() {
    this.#view.focus();
  }

  close() {
    clearTimeout(this.#resting);
    this.#view.close();
  }

  #send() {
    if (!this.#view.element) return;
    const [hasTemplate, hasData] = [this.#mode === "both" || this.#mode === "template", this.#mode === "both" || this.#mode === "data"];
    // The cells of a table have boxes: marks below them would only make them darker.
    const data = this.#table ? [] : this.#marks.data;
    this.#view.marks({ template: hasTemplate ? this.#marks.template : [], data: hasData ? data : [], columns: data.map((_, field) => COLOURS[field % COLOURS.length]) });
    const { columns = [], records = [], cells = [] } = (hasData && this.#table) || {};
    this.#view.table({ columns: columns.map(({ colour }) => COLOURS[colour]), quiet: columns.map(({ type }) => type === "url"), records, cells });
  }

  #legend() {
    const choices = MODES.map(([mode, text]) => {
      const radio = make("input", { type: "radio", name: "marks", value: mode, checked: mode === this.#mode, onchange: () => this.#choose(mode) });
      return make("label", {}, radio, make("span", {}, text));
    });
    const key = make("p", { class: "key" }, make("span", { class: "is-template" }, "template"), make("span", { class: "is-data" }, "data"));
    return make("div", { class: "marks-bar" }, key, make("fieldset", { class: "segments" }, make("legend", { class: "unseen" }, "What is coloured"), ...choices));
  }

  #choose(mode) {
    this.#mode = mode;
    localStorage.setItem(STORAGE_KEY, mode);
    this.#send();
  }

  #listen() {
    const emit = (kind, detail) => this.dispatchEvent(new CustomEvent(kind, { detail }));
    this.#view.addEventListener("mark", ({ detail: { field, isChosen } }) => (field === null || Number.isInteger(field)) && emit("field", { field, isChosen }));
    this.#view.addEventListener("point", ({ detail }) => emit("row", { ...detail, isChosen: false }));
    this.#view.addEventListener("choose", ({ detail }) => emit("row", { ...detail, isChosen: true }));
    const keys = { dragenter: () => (byId("veil").hidden = false), F6: () => emit("leave") };
    this.#view.addEventListener("key", ({ detail }) => keys[detail.key]?.());
  }
}
