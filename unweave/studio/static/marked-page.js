// A page of a group, with what is template and what is data coloured in it.
//
// Events: field {field, isChosen} (a field that is pointed at in the page, by its number, or null), row {row, column, isChosen},
// leave (by F6)

import * as api from "./api.js";
import { COLOURS } from "./columns.js";
import { byId, make } from "./dom.js";
import { drawNotes, noteHidden } from "./notes.js";
import { attempt } from "./notice.js";
import { PageView } from "./page-view.js";

const REST = 150; // ms that the pointer has to rest on a field before the page moves
const KEPT = "unweave-marks";
const MODES = [
  ["both", "Both"],
  ["data", "Data"],
  ["template", "Template"],
  ["off", "Off"],
];

export class MarkedPage extends EventTarget {
  #notes = make("div", { class: "notes" });
  #place = make("div", { class: "frame-place" });
  #view = new PageView(this.#place);
  #mode = localStorage.getItem(KEPT) || "both";
  #marks = { template: [], data: [] };
  #table = null;
  #resting = 0;

  constructor() {
    super();
    this.element = make("section", { class: "page-pane", "aria-label": "Page" }, this.#legend(), this.#notes, this.#place);
    this.#listen();
  }

  /** Draws a page. It is marked as soon as `mark` is called, before or after. */
  async draw(page, { signal, outside = false }) {
    const drawing = await api.drawing(page.id, { outside, signal });
    const load = () => attempt(this.#notes, () => this.draw(page, { signal, outside: true }));
    drawNotes(this.#notes, page, drawing, outside ? null : load);
    const drawn = this.#view.draw(drawing);
    this.#send();
    if ((await drawn)?.isHidden) noteHidden(this.#notes, page);
  }

  /** What is marked: texts of the template, texts of each field, and the table, if the page is a list. */
  mark({ template, data }, table) {
    this.#marks = { template, data };
    this.#table = table;
    this.#send();
  }

  /** Lights up a field; the page moves to it if it is pointed at for a while, or at once. */
  light(field, { isAtOnce = false } = {}) {
    clearTimeout(this.#resting);
    this.#view.light(field, { scroll: isAtOnce });
    if (field !== null && !isAtOnce) this.#resting = setTimeout(() => this.#view.light(field, { scroll: true }), REST);
  }

  /** The same for a cell of the table. */
  show(row, column, { isAtOnce = false } = {}) {
    clearTimeout(this.#resting);
    this.#view.show(row, column, { scroll: isAtOnce });
    if (row !== null && !isAtOnce) this.#resting = setTimeout(() => this.#view.show(row, column, { scroll: true }), REST);
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
    localStorage.setItem(KEPT, mode);
    this.#send();
  }

  #listen() {
    const tell = (kind, detail) => this.dispatchEvent(new CustomEvent(kind, { detail }));
    this.#view.addEventListener("mark", ({ detail: { field, isChosen } }) => (field === null || Number.isInteger(field)) && tell("field", { field, isChosen }));
    this.#view.addEventListener("point", ({ detail }) => tell("row", { ...detail, isChosen: false }));
    this.#view.addEventListener("choose", ({ detail }) => tell("row", { ...detail, isChosen: true }));
    const keys = { dragenter: () => (byId("veil").hidden = false), F6: () => tell("leave") };
    this.#view.addEventListener("key", ({ detail }) => keys[detail.key]?.());
  }
}
