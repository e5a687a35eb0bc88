// One group: a page of it with template and data coloured, and beside it what the wrapper finds, the wrapper, and the pages.

import { byId, count, make } from "./dom.js";
import { exportButton } from "./export-group.js";
import { FieldColours } from "./field-colours.js";
import { FieldsView } from "./fields-view.js";
import { FitList } from "./fit-list.js";
import { MarkedPage } from "./marked-page.js";
import { attempt, announce } from "./messages.js";
import { busy } from "./open.js";
import * as api from "./sets-api.js";
import { pause } from "./set-progress.js";
import { KINDS, percent, makeSetHash, wrapperFile } from "./set-format.js";
import { startSplitter } from "./splitter.js";
import { Tabs } from "./tabs.js";
import { TryPage } from "./try-page.js";
import { takeWaitingWrapper } from "./wrapper-file.js";
import { WrapperView } from "./wrapper-view.js";

const NARROW = matchMedia("(max-width: 719.9px)");
const MAX_TRIED = 5;
const POLL_MS = 500; // ms between two questions how far the learning is
const viewStates = new Map(); // set and group -> method and tab, for when the user comes back

export class GroupView {
  #set;
  #group;
  #notes;
  #viewState; // {method, tab, tried: [page with its fit…]}
  #learned = null;
  #colours = new FieldColours([]);
  #shown = null; // id of the page
  #drawn = null; // the same, once it is drawn
  #leaving = new AbortController();
  #learning = null; // {method, stop} of what is being learned
  #showing = new AbortController();
  #page = new MarkedPage();
  #fields = new FieldsView("panel-fields");
  #wrapper;
  #export;
  #pages;
  #tabs;
  #trying;

  constructor(container, notes, set, group) {
    this.#set = set;
    this.#group = group;
    this.#notes = notes;
    const key = `${set.id}/${group.number}`;
    if (!viewStates.has(key)) viewStates.set(key, { method: "auto", tab: "fields", tried: [] });
    this.#viewState = viewStates.get(key);
    this.#wrapper = new WrapperView("panel-wrapper", wrapperFile(group.name), () => busy(api.wrapper(set.id, group.number, this.#viewState.method)));
    this.#trying = new TryPage(notes, (page) => busy(this.#try(page)));
    this.#pages = new FitList("panel-pages", this.#trying.button);
    this.#build(container);
    this.#listen();
  }

  /** Learns, if it is not learned yet, and shows a page: the one that is named, or the one that fits best. */
  async open(page) {
    this.#shown = page ?? null;
    const wrapper = takeWaitingWrapper();
    await (wrapper ? this.#give(wrapper) : this.#learn(this.#viewState.method));
  }

  close() {
    this.#leaving.abort();
    this.#cancel();
    this.#showing.abort();
    this.#page.close();
    this.#trying.close();
  }

  #build(container) {
    const { name, kind, pages } = this.#group;
    const back = make("a", { href: makeSetHash(this.#set.id), class: "back" }, `‹ ${this.#set.name}`);
    const facts = make("p", { class: "soft" }, `${KINDS[kind]} · ${count(pages, "page")}`);
    const exportAll = exportButton(this.#notes, (format) => api.exportedGroup(this.#set.id, this.#group.number, this.#viewState.method, format));
    this.#export = exportAll;
    const head = make("div", { class: "group-head" }, back, make("h2", {}, name), facts, exportAll);
    const bar = make("div", { class: "splitter", role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": "Width of the page", "aria-valuemin": "20", "aria-valuemax": "80", "aria-valuenow": "52" });
    this.#page.element.id = "panel-page";
    this.#tabs = new Tabs("What is shown of the group", [
      { key: "page", text: "Page" },
      { key: "fields", text: "Fields", panel: this.#fields.element },
      { key: "wrapper", text: "Wrapper", panel: this.#wrapper.element },
      { key: "pages", text: "Pages", panel: this.#pages.element },
    ]);
    const panels = make("div", { class: "set-panels" }, this.#fields.element, this.#wrapper.element, this.#pages.element);
    const panes = make("div", { class: "group-panes" }, this.#page.element, bar, this.#tabs.element, panels);
    this.#tabs.addEventListener("choose", ({ detail }) => {
      panes.dataset.tab = detail;
      if (detail !== "page") this.#viewState.tab = detail;
      if (detail === "pages") this.#pages.show(this.#shown); // in sight, which it cannot be while the list is hidden
    });
    container.replaceChildren(head, panes);
    startSplitter(bar, panes);
    this.#tabs.choose(NARROW.matches ? "page" : this.#viewState.tab);
    NARROW.addEventListener("change", () => this.#tabs.choose(this.#viewState.tab), { signal: this.#leaving.signal });
  }

  #listen() {
    const getNumber = (name) => (name === null ? null : this.#colours.getNumber(name));
    for (const view of [this.#fields, this.#wrapper]) {
      view.addEventListener("point", ({ detail }) => this.#page.light(getNumber(detail.name)));
      view.addEventListener("choose", ({ detail }) => {
        this.#page.light(getNumber(detail.name), { isAtOnce: true });
        if (NARROW.matches) this.#tabs.choose("page");
      });
    }
    this.#fields.addEventListener("cell", ({ detail: { row, column, isChosen } }) => this.#page.show(row, column, { isAtOnce: isChosen }));
    this.#wrapper.addEventListener("method", ({ detail }) => this.#learn(detail.method));
    this.#wrapper.addEventListener("cancel", () => this.#goBack());
    const give = (event) => {
      event.preventDefault();
      this.#give(event.detail);
    };
    addEventListener("unweave-wrapper", give, { signal: this.#leaving.signal });
    this.#page.addEventListener("field", ({ detail: { field, isChosen } }) => {
      if (isChosen) this.#tabs.choose("fields");
      this.#fields.light(field === null ? null : this.#colours.getName(field), { isChosen });
    });
    this.#page.addEventListener("row", ({ detail: { row, column, isChosen } }) => {
      if (isChosen) this.#tabs.choose("fields");
      this.#fields.point(row, column, { isChosen });
    });
    this.#page.addEventListener("leave", () => this.#tabs.focus());
    const toPage = (event) => {
      if (event.key !== "F6" || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      this.#page.focus();
    };
    addEventListener("keydown", toPage, { signal: this.#leaving.signal });
    this.#pages.addEventListener("choose", ({ detail }) => {
      if (detail.isByHand && NARROW.matches) this.#tabs.choose("page");
      if (detail.id !== this.#shown) attempt(this.#notes, () => busy(this.#show(detail.id)));
    });
  }

  /** Tries a wrapper file on all pages of the group. */
  #give(wrapper) {
    return this.#learn("given", (options) => api.give(this.#set.id, this.#group.number, wrapper.text, options), wrapper.name);
  }

  /** Gets a wrapper by a method, from what was learned already or by learning it, and shows what it finds. */
  async #learn(method, get = (options) => api.learned(this.#set.id, this.#group.number, method, options), name = null) {
    this.#cancel();
    const stop = new AbortController();
    this.#learning = { method, stop };
    const { signal } = stop;
    const isOver = () => signal.aborted || this.#leaving.signal.aborted;
    this.#setStale(true);
    this.#follow(method, this.#wrapper.wait(method), signal);
    const isLearned = await attempt(this.#wrapper.messages, async () => {
      const learned = await busy(get({ signal }));
      if (isOver()) return;
      this.#viewState.method = method;
      if (name) {
        this.#tabs.choose("wrapper");
        announce(`Applied ${name}`);
      }
      await this.#tryAgain();
      if (isOver()) return;
      this.#use(learned);
    });
    if (isOver()) return;
    this.#learning = null;
    stop.abort(); // the progress is not requested any more
    if (!isLearned && method === "given" && this.#learned) return this.#goBack();
    this.#setStale(false);
    if (!isLearned) this.#showWithoutWrapper(method);
    await attempt(this.#notes, () => busy(this.#show(this.#first())));
  }

  #use(learned) {
    this.#learned = learned;
    this.#colours = new FieldColours(learned.fields.map(({ name }) => name));
    this.#wrapper.set(learned, this.#colours);
    this.#pages.set(learned.pages, this.#viewState.tried);
  }

  /** Asks how far the learning is, again and again until it is over. */
  async #follow(method, progress, signal) {
    try {
      while (!signal.aborted) {
        await pause(POLL_MS, signal);
        progress.show(await api.learning(this.#set.id, this.#group.number, method, { signal }));
      }
    } catch {
      // The error reaches everything that waits for the wrapper.
    }
  }

  /** Ends what is being learned, here and on the server. */
  #cancel() {
    if (!this.#learning) return;
    const { method, stop } = this.#learning;
    this.#learning = null;
    stop.abort();
    api.cancelLearning(this.#set.id, this.#group.number, method).catch(() => {}); // a set that is closed learns nothing
  }

  /** Cancels, and shows again what was learned before. */
  async #goBack() {
    this.#cancel();
    if (!this.#learned) return this.#learn("auto");
    this.#viewState.method = this.#learned.method;
    this.#setStale(false);
    await attempt(this.#notes, async () => {
      await this.#tryAgain();
      this.#use(this.#learned);
      await busy(this.#show(this.#first()));
    });
  }

  /** What a wrapper found before is neither seen as what another one finds, nor used. */
  #setStale(isStale) {
    this.#export.disabled = isStale;
    for (const { element } of [this.#fields, this.#pages]) {
      element.classList.toggle("is-stale", isStale);
      element.inert = isStale;
      element.setAttribute("aria-busy", String(isStale));
    }
    if (isStale) this.#page.mark({ template: [], data: [] }, null);
  }

  /** The page that is shown, if it is still there, or the one that fits best. */
  #first() {
    if (!this.#learned) return this.#shown ?? this.#group.examples[0];
    const all = [...this.#viewState.tried, ...this.#learned.pages];
    return all.some(({ id }) => id === this.#shown) ? this.#shown : all.at(-1).id;
  }

  /** Without a wrapper there are still pages to look at. */
  #showWithoutWrapper(method) {
    this.#viewState.method = method;
    this.#learned = null;
    this.#wrapper.clear();
    this.#fields.clear();
    this.#page.mark({ template: [], data: [] }, null);
  }

  async #show(id) {
    this.#showing.abort();
    this.#showing = new AbortController();
    const { signal } = this.#showing;
    this.#shown = id;
    this.#pages.show(id);
    const page = this.#learned ? await this.#read(id, signal) : { id, notes: [] };
    if (this.#drawn === id) return;
    this.#drawn = null;
    await this.#page.draw(page, { signal });
    this.#drawn = id;
  }

  async #read(id, signal) {
    const tried = this.#viewState.tried.find((page) => page.id === id);
    const read = tried ? tried.read : await api.read(this.#set.id, this.#group.number, id, this.#viewState.method, { signal });
    this.#showExtraction(read, Boolean(tried));
    return read.page;
  }

  #showExtraction(read, isTried) {
    const table = read.table ? this.#colours.table(read.table) : null;
    this.#page.mark(this.#colours.marks(read.marks), table);
    this.#fields.set(read, this.#learned, this.#colours, table, { isTried });
    history.replaceState(null, "", makeSetHash(this.#set.id, this.#group.number, read.page.id));
    byId("status").textContent = `${read.page.title || read.page.name}: fit ${percent(read.fit)}`;
  }

  async #try(page) {
    if (!this.#learned) throw new Error("There is no wrapper to apply yet.");
    const entry = await this.#tried(page);
    this.#viewState.tried = [entry, ...this.#viewState.tried].slice(0, MAX_TRIED);
    this.#pages.set(this.#learned.pages, this.#viewState.tried);
    await this.#show(entry.id);
    this.#tabs.choose("fields");
  }

  async #tried(given) {
    const { method } = this.#viewState;
    const read = await api.tried(this.#set.id, this.#group.number, method, given);
    return { id: read.page.id, name: read.page.name, fit: read.fit, missing: read.missing, given, method, read };
  }

  /** New pages were tried by the wrapper before: this one finds other things on them. */
  async #tryAgain() {
    const { tried, method } = this.#viewState;
    this.#viewState.tried = await Promise.all(tried.map((page) => (page.method === method ? page : this.#tried(page.given))));
    const index = tried.findIndex(({ id }) => id === this.#shown);
    if (index >= 0) this.#shown = this.#viewState.tried[index].id;
  }
}
