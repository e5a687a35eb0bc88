// "Pick a list": two clicks on two records in the page, and the list that holds both becomes a table.

import { byId } from "./dom.js";

const hasKeys = matchMedia("(hover: hover)").matches;
const WORDS = [`Click a record of the list${hasKeys ? ", or select one with the arrow keys and Enter" : ""}.`, "Now click another record of the same list.", "Looking for the list…"];

export class Picking {
  #view;
  #onPair;
  #nodes = [];
  #isOn = false;
  #idle = "";

  constructor(view, onPair) {
    this.#view = view;
    this.#onPair = onPair;
    byId("pick").addEventListener("click", () => (this.#isOn ? this.stop() : this.start()));
    view.addEventListener("picked", ({ detail }) => this.#take(detail.node));
    view.addEventListener("key", ({ detail }) => detail.key === "Escape" && this.stop());
    addEventListener("keydown", (event) => event.key === "Escape" && this.#isOn && this.stop());
  }

  /** Shows a hint in the bar while nothing is picked. */
  idle(words) {
    this.#idle = words;
    this.#updateHint();
  }

  start() {
    this.#set(true);
    this.#view.focus(); // so that keys work at once
  }

  stop() {
    if (!this.#isOn) return;
    this.#set(false);
    byId("pick").focus();
  }

  #set(isOn) {
    this.#isOn = isOn;
    this.#nodes = [];
    this.#view.pick(isOn);
    this.#updateHint();
  }

  #updateHint() {
    const toggle = byId("pick");
    toggle.setAttribute("aria-pressed", String(this.#isOn));
    toggle.querySelector("span").textContent = this.#isOn ? "Cancel" : "Pick a list";
    byId("pick-bar").classList.toggle("is-on", this.#isOn);
    byId("pick-hint").textContent = this.#isOn ? WORDS[this.#nodes.length] : this.#idle;
  }

  async #take(node) {
    // The same element twice is one record: the other one is still to come.
    if (!this.#isOn || !Number.isInteger(node) || this.#nodes.length === 2 || this.#nodes.includes(node)) return;
    this.#nodes.push(node);
    this.#updateHint();
    if (this.#nodes.length < 2) return;
    const pair = this.#nodes;
    await this.#onPair(pair);
    this.#set(false);
  }
}
