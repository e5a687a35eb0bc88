// The fit of every page of a group, the worst first; new pages that the wrapper was applied to are above them.
//
// Events: choose {id}

import { count, make } from "./dom.js";
import { FITS, fitBar, joinNames, percent, shortName } from "./set-format.js";

const KEY_DELAY_MS = 140; // ms that an arrow key has to rest on a page before it is shown

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
    this.#list.addEventListener("keydown", (event) => this.#onKey(event));
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

  /** Marks the page that is shown beside the list. */
  show(id) {
    this.#shown = id;
    for (const option of this.#list.children) this.#mark(option);
    this.#list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  #draw() {
    const seen = this.#all.filter(({ fit, isTried }) => !this.#only.checked || isTried || fit < FITS);
    this.#list.replaceChildren(...seen.map(option));
    for (const option of this.#list.children) this.#mark(option);
    if (!this.#list.querySelector("[tabindex='0']")) this.#list.firstElementChild?.setAttribute("tabindex", "0");
  }

  #mark(option) {
    const isShown = option.dataset.id === this.#shown;
    option.setAttribute("aria-selected", String(isShown));
    option.tabIndex = isShown ? 0 : -1;
  }

  #choose(option, delay) {
    if (!option) return;
    for (const sibling of this.#list.children) sibling.tabIndex = sibling === option ? 0 : -1;
    option.focus({ preventScroll: true });
    option.scrollIntoView({ block: "nearest" });
    clearTimeout(this.#resting);
    const emit = () => this.dispatchEvent(new CustomEvent("choose", { detail: { id: option.dataset.id, isByHand: delay === 0 } }));
    if (delay) this.#resting = setTimeout(emit, delay);
    else emit();
  }

  #onKey(event) {
    const all = [...this.#list.children];
    const index = all.indexOf(document.activeElement);
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: all.length - 1, PageDown: Math.min(index + 10, all.length - 1), PageUp: Math.max(index - 10, 0) }[event.key];
    const isTaken = event.key === "Enter" || event.key === " ";
    if (next === undefined && !isTaken) return;
    event.preventDefault();
    this.#choose(isTaken ? all[index] : all[next], isTaken ? 0 : KEY_DELAY_MS);
  }
}

function option({ id, name, fit, missing, isTried }) {
  const missingNames = missing.length ? make("span", { class: "missing" }, `missing: ${joinNames(missing)}`) : null;
  const title = make("span", { class: "fit-name" }, isTried ? make("span", { class: "badge" }, "New page") : null, shortName(name));
  return make("li", { role: "option", "data-id": id, title: name, class: fit < FITS ? "is-low" : "" }, title, make("span", { class: "figure" }, percent(fit)), fitBar(fit), missingNames);
}
