// What a wrapper file extracts from the open page, instead of the tables: fields or a table, and the fit.

import { COLOURS } from "./columns.js";
import { button, byId, icon, make } from "./dom.js";
import { FieldColours } from "./field-colours.js";
import { FieldsView } from "./fields-view.js";
import { formatWrapper } from "./wrapper-file.js";

export class AppliedView {
  #pageView;
  #fields = new FieldsView("applied-fields");
  #colours = new FieldColours([]);
  #head = make("div", { class: "applied-head" });
  #element = make("section", { class: "applied", "aria-label": "What the wrapper finds" }, this.#head, this.#fields.element);
  #leave;
  #table = null;

  /** `leave` goes back to the tables. */
  constructor(pageView, leave) {
    this.#pageView = pageView;
    this.#leave = leave;
    const getNumber = (name) => (name === null ? null : this.#colours.getNumber(name));
    this.#fields.addEventListener("point", ({ detail }) => pageView.light(getNumber(detail.name)));
    this.#fields.addEventListener("choose", ({ detail }) => pageView.light(getNumber(detail.name), { scroll: true }));
    this.#fields.addEventListener("cell", ({ detail: { row, column, isChosen } }) => pageView.show(row, column, { scroll: isChosen }));
    pageView.addEventListener("mark", ({ detail: { field, isChosen } }) => this.isShown && this.#fields.light(field === null ? null : this.#colours.getName(field), { isChosen }));
  }

  get isShown() {
    return this.#element.isConnected;
  }

  /** Shows the response {wrapper, read} of the API. */
  show(name, { wrapper, read }) {
    this.#colours = new FieldColours(wrapper.fields.map((field) => field.name));
    this.#table = read.table ? this.#colours.table(read.table) : null;
    const back = button({ icon: "columns", text: "Back to the tables", class: "small", onclick: () => this.#leave() });
    const title = make("p", {}, icon("wrapper"), make("strong", {}, name), back);
    this.#head.replaceChildren(title, make("p", { class: "soft" }, `A wrapper: ${formatWrapper(wrapper)}.`));
    byId("table-pane").append(this.#element);
    byId("table-pane").classList.add("is-applied");
    this.#fields.set(read, wrapper, this.#colours, this.#table, { isTried: false });
    this.mark(read.marks);
  }

  /** Colours in the page what the wrapper extracts. */
  mark(marks) {
    if (this.#table) {
      const { columns, records, cells } = this.#table;
      this.#pageView.table({ columns: columns.map(({ colour }) => COLOURS[colour]), quiet: columns.map(({ type }) => type === "url"), records, cells });
      return;
    }
    const { template, data } = this.#colours.marks(marks);
    this.#pageView.table({});
    this.#pageView.marks({ template, data, columns: data.map((_, field) => COLOURS[field % COLOURS.length]) });
  }

  /** Highlights the cell under the pointer in the page. */
  point(row, column, { isChosen = false } = {}) {
    if (this.#table && row !== null) this.#fields.point(row, column, { isChosen });
  }

  close() {
    if (!this.isShown) return;
    this.#element.remove();
    byId("table-pane").classList.remove("is-applied");
    this.#fields.clear();
    this.#pageView.marks({});
  }
}
