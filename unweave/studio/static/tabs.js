// Tabs: one of several panels is shown; arrow keys walk, as everywhere.

import { make } from "./dom.js";

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

export class Tabs extends EventTarget {
  #tabs;

  /** `parts` are {key, text, panel}; a part without a panel only tells that it is chosen. */
  constructor(label, parts) {
    super();
    this.#tabs = parts.map(({ key, text, panel }) => {
      const tab = make("button", { type: "button", role: "tab", id: `tab-${key}`, "data-key": key, "aria-controls": panel?.id, onclick: () => this.choose(key) }, text);
      panel?.setAttribute("role", "tabpanel");
      panel?.setAttribute("aria-labelledby", tab.id);
      return { key, tab, panel };
    });
    this.element = make("div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: (event) => this.#walk(event) }, ...this.#tabs.map(({ tab }) => tab));
  }

  choose(key) {
    for (const one of this.#tabs) {
      const isOn = one.key === key;
      one.tab.setAttribute("aria-selected", String(isOn));
      one.tab.tabIndex = isOn ? 0 : -1;
      if (one.panel) one.panel.hidden = !isOn;
    }
    this.dispatchEvent(new CustomEvent("choose", { detail: key }));
  }

  /** The chosen tab gets the focus. */
  focus() {
    this.#tabs.find(({ tab }) => tab.tabIndex === 0)?.tab.focus();
  }

  #walk(event) {
    const seen = this.#tabs.filter(({ tab }) => tab.offsetParent !== null);
    const at = seen.findIndex(({ tab }) => tab === document.activeElement);
    if (!(event.key in STEPS) || at < 0) return;
    event.preventDefault();
    const { key, tab } = seen[(at + STEPS[event.key] + seen.length) % seen.length];
    this.choose(key);
    tab.focus();
  }
}
