// Tabs: one of several panels is shown; arrow keys walk, as everywhere.

import { make } from "./dom.js";

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

export class Tabs extends EventTarget {
  #tabs;

  /** `parts` are {key, text, panel}; a part without a panel only causes the event. */
  constructor(label, parts) {
    super();
    this.#tabs = parts.map(({ key, text, panel }) => {
      const tab = make("button", { type: "button", role: "tab", id: `tab-${key}`, "data-key": key, "aria-controls": panel?.id, onclick: () => this.choose(key) }, text);
      panel?.setAttribute("role", "tabpanel");
      panel?.setAttribute("aria-labelledby", tab.id);
      return { key, tab, panel };
    });
    this.element = make("div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: (event) => this.#onKey(event) }, ...this.#tabs.map(({ tab }) => tab));
  }

  choose(key) {
    for (const entry of this.#tabs) {
      const isOn = entry.key === key;
      entry.tab.setAttribute("aria-selected", String(isOn));
      entry.tab.tabIndex = isOn ? 0 : -1;
      if (entry.panel) entry.panel.hidden = !isOn;
    }
    this.dispatchEvent(new CustomEvent("choose", { detail: key }));
  }

  /** The chosen tab gets the focus. */
  focus() {
    this.#tabs.find(({ tab }) => tab.tabIndex === 0)?.tab.focus();
  }

  #onKey(event) {
    const visible = this.#tabs.filter(({ tab }) => tab.offsetParent !== null);
    const index = visible.findIndex(({ tab }) => tab === document.activeElement);
    if (!(event.key in STEPS) || index < 0) return;
    event.preventDefault();
    const { key, tab } = visible[(index + STEPS[event.key] + visible.length) % visible.length];
    this.choose(key);
    tab.focus();
  }
}
