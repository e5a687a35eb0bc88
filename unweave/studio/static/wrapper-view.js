// The wrapper of a group: its method, its fields, and how to save it.
//
// Events: method {method}, cancel, point {name} (null when the pointer leaves), choose {name}

import { button, count, make } from "./dom.js";
import { save } from "./export.js";
import { LandmarkTree } from "./landmark-tree.js";
import { attempt, announce } from "./messages.js";
import { percent } from "./set-format.js";

const METHODS = {
  auto: ["Automatic", "Lists of records for list pages, fields for all others."],
  fields: ["Fields", "Finds the texts that differ from page to page, each by its label or its position in the template."],
  records: ["Records", "Finds the list that all pages have, and the columns of its records."],
  pattern: ["Pattern", "Merges the trees of the pages into a pattern. What differs is data."],
  landmark: ["Landmarks", "Finds landmarks, which every page has once, and extracts what is before, inside and after them."],
  given: ["From a file", "The wrapper file that was opened; it was not learned from these pages."],
};

export class WrapperView extends EventTarget {
  #messages = make("div", { class: "notes" });
  #about = make("p", { class: "about soft", "aria-live": "polite" });
  #body = make("div", { class: "wrapper-body" });
  #keep;
  #radios = Object.entries(METHODS).map(([method, [text]]) => {
    const radio = make("input", { type: "radio", name: "method", value: method, onchange: () => this.#emit("method", { method }) });
    return { method, radio, label: make("label", { hidden: method === "given" }, radio, make("span", {}, text)) };
  });

  /** `file` fetches the wrapper as a file. */
  constructor(id, fileName, file) {
    super();
    const choice = make("fieldset", { class: "segments" }, make("legend", { class: "unseen" }, "How the wrapper is learned"), ...this.#radios.map(({ label }) => label));
    this.#keep = button({ icon: "export", text: "Save wrapper", class: "primary", onclick: () => attempt(this.#messages, async () => save(await file())) });
    this.element = make("section", { id, class: "set-panel" }, make("div", { class: "wrapper-head" }, choice, this.#about, make("div", { class: "take" }, this.#keep, command(`unweave apply ${fileName} PAGE...`, this.#messages))), this.#messages, this.#body);
  }

  /** The container of errors. */
  get messages() {
    return this.#messages;
  }

  /** Hides the old wrapper while a new one is learned. Returns the view of its progress. */
  wait(method) {
    const [text, about] = METHODS[method];
    this.#check(method);
    this.#about.textContent = about;
    this.#keep.disabled = true;
    this.element.classList.add("is-learning");
    const progress = new LearningProgress(text, () => this.#emit("cancel", {}));
    this.#body.replaceChildren(progress.element);
    return progress;
  }

  /** Shows that there is no wrapper. */
  clear() {
    this.#keep.disabled = false;
    this.element.classList.remove("is-learning");
    this.#body.replaceChildren();
  }

  set(learned, colours) {
    this.clear();
    this.#check(learned.method);
    const isGiven = learned.method === "given";
    if (isGiven) this.#radios.find(({ method }) => method === "given").label.hidden = false;
    const suffix = learned.method === "auto" || isGiven ? ` Here: ${METHODS[learned.learned][0].toLowerCase()}.` : "";
    this.#about.textContent = `${METHODS[learned.method][1]}${suffix}`;
    const emit = (kind, name) => this.#emit(kind, { name });
    const parts = [learned.tree ? treeOf(learned.tree, colours, emit) : null, learned.learned === "pattern" ? linesOf("The pattern", learned, colours, true) : null, fieldsOf(learned, colours, emit)];
    if (learned.tree) parts.push(linesOf("The grammar as text", learned, colours, false));
    this.#body.replaceChildren(...parts.filter(Boolean));
  }

  #check(method) {
    for (const option of this.#radios) option.radio.checked = option.method === method;
  }

  #emit(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }
}

/** The progress of learning, and the button that cancels it. */
class LearningProgress {
  #makeLabel = make("p", { role: "status" });
  #bar = make("progress", { max: "1", "aria-label": "Learning" });

  constructor(method, cancel) {
    this.#makeLabel.textContent = `Learning: ${method}…`;
    this.element = make("div", { class: "learning" }, this.#makeLabel, this.#bar, button({ icon: "close", text: "Cancel", onclick: cancel }));
  }

  /** Shows the response of the server: {state, done, of, seconds}. */
  show({ state, done, of, seconds }) {
    if (state === "trying") {
      this.#makeLabel.textContent = `Applying it to all pages: ${done} of ${of}`;
      this.#bar.value = of ? done / of : 0;
    } else if (state === "learning") {
      this.#makeLabel.textContent = `Learning from the pages: ${Math.round(seconds)} s. This may take a minute.`;
    } else if (state === "waiting") {
      this.#makeLabel.textContent = "Waiting for another wrapper to be learned.";
    }
  }
}

function command(text, place) {
  const copy = () => attempt(place, async () => {
    await navigator.clipboard.writeText(text);
    announce("Copied the command");
  });
  return make("div", { class: "command" }, make("code", {}, text), button({ icon: "copy", label: "Copy the command", class: "quiet", onclick: copy }));
}

function treeOf(tree, colours, emit) {
  const drawn = new LandmarkTree(tree, colours);
  drawn.addEventListener("point", ({ detail }) => emit("point", detail.name));
  drawn.addEventListener("choose", ({ detail }) => emit("choose", detail.name));
  return drawn.element;
}

function linesOf(title, { lines, fields }, colours, isOpen) {
  if (!lines.length) return null;
  const names = new Set(fields.map(({ name }) => name));
  const line = (text) => make("span", { class: "line" }, ...text.split(/(\b[\p{L}\p{N}_]+\b)/u).map((part) => (names.has(part) ? make("span", { class: "in-field", "data-colour": colours.getColour(part) }, part) : part)), "\n");
  return make("details", { class: "lines", open: isOpen }, make("summary", {}, title, make("span", { class: "soft" }, count(lines.length, "line"))), make("pre", { tabindex: "0" }, make("code", {}, ...lines.map(line))));
}

function fieldsOf({ fields }, colours, emit) {
  if (!fields.length) return make("p", { class: "absent soft" }, "It has no fields.");
  return make("section", { "aria-label": "Fields of the wrapper" }, make("h3", {}, count(fields.length, "field")), make("ul", { class: "field-list" }, ...fields.map((field) => entry(field, colours, emit))));
}

function entry(field, colours, emit) {
  const facts = make("span", { class: "located-by" }, field.told_by, field.is_list ? " · several" : "");
  const share = make("span", { class: "share", title: "Share of the pages that have it" }, make("span", { class: "unseen" }, "on "), percent(field.share), make("span", { class: "unseen" }, " of the pages"));
  const examples = make("span", { class: "field-value" }, ...field.examples.slice(0, 2).map((text) => make("span", { class: "text" }, text)));
  const name = make("span", { class: "field-name" }, make("span", { class: "dot" }), field.name, share);
  const on = { onmouseenter: () => emit("point", field.name), onmouseleave: () => emit("point", null), onclick: () => emit("choose", field.name) };
  return make("li", {}, make("button", { type: "button", class: "field", "data-colour": colours.getColour(field.name), ...on }, name, examples, facts));
}
