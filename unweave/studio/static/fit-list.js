// How well every page of a group fits its wrapper, the worst first; pages that the wrapper was tried on stand above them.
//
// Events: choose {id}

import { count, make } from "./dom.js";
import { FITS, fitBar, listed, percent, shortName } from "./set-words.js";

const REST = 140; // ms that an arrow key has to rest on a page before it is shown

export class FitList extends EventTarget {
  #all = [];
  #shown = null;
  #resting = 0;
  #only = make("input", { type: "checkbox", onchange: () => this.#draw() });
  #onlySays = make("span");
  #list = make("ul", { role: "listbox", class: "fits", "aria-label": "Pages, the worst first" });

  constructor(id, tryButton) {
    super();
    this.element = make("section", { id, class: "set-panel" }, make("div", { class: "fits-head" }, make("label", { class: "check" }, this.#only, this.#onlySays), tryButton), this.#list);
    this.#list.addEventListener("click", (event) => this.#choose(event.target.closest("[role=option]"), 0));
    this.#list.addEventListener("keydown", (event) => this.#key(event));
  }

  /** `tried` are new pages that the wrapper was tried on, in the same form as the others. */
  set(pages, tried) {
    this.#all = [...tried.map((page) => ({ ...page, isTried: true })), ...pages];
    const unfit = pages.filter(({ fit }) => fit < FITS).length;
    this.#only.disabled = unfit === 0;
    if (!unfit) this.#only.checked = false;
    this.#onlySays.textContent = unfit ? `Only the ${count(unfit, "page")} that ${unfit === 1 ? "does" : "do"} not fit` : `All ${count(pages.length, "page")} fit`;
    this.#draw();
  }

  /** Which of them is shown beside the list. */
  show(id) {
    this.#shown = id;
    for (const option of this.#list.children) this.#mark(option);
    this.#list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  #draw() {
    const seen = this.#all.filter(({ fit, isTried }) => !this.#only.checked || isTried || fit < FITS);
    this.#list.replaceChildren(...seen.map(option));
    for (const one of this.#list.children) this.#mark(one);
    if (!this.#list.querySelector("[tabindex='0']")) this.#list.firstElementChild?.setAttribute("tabindex", "0");
  }

  #mark(one) {
    const isShown = one.dataset.id === this.#shown;
    one.setAttribute("aria-selected", String(isShown));
    one.tabIndex = isShown ? 0 : -1;
  }

  #choose(one, delay) {
    if (!one) return;
    for (const other of this.#list.children) other.tabIndex = other === one ? 0 : -1;
    one.focus({ preventScroll: true });
    one.scrollIntoView({ block: "nearest" });
    clearTimeout(this.#resting);
    const tell = () => this.dispatchEvent(new CustomEvent("choose", { detail: { id: one.dataset.id, isByHand: delay === 0 } }));
    if (delay) this.#resting = setTimeout(tell, delay);
    else tell();
  }

  #key(event) {
    const all = [...this.#list.children];
    const at = all.indexOf(document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1, PageDown: Math.min(at + 10, all.length - 1), PageUp: Math.max(at - 10, 0) }[event.key];
    const isTaken = event.key === "Enter" || event.key === " ";
    if (next === undefined && !isTaken) return;
    event.preventDefault();
    this.#choose(isTaken ? all[at] : all[next], isTaken ? 0 : REST);
  }
}

function option({ id, name, fit, missing, isTried }) {
  const says = missing.length ? make("span", { class: "missing" }, `missing: ${listed(missing)}`) : null;
  const title = make("span", { class: "fit-name" }, isTried ? make("span", { class: "badge" }, "New page") : null, shortName(name));
  return make("li", { role: "option", "data-id": id, title: name, class: fit < FITS ? "is-low" : "" }, title, make("span", { class: "figure" }, percent(fit)), fitBar(fit), says);
}
