// The tree of a landmark grammar, drawn. A landmark splits a part of a page into what is before it, inside it and after
// it. What is before or inside hangs below it; what comes after follows it, so that the tree reads from top to bottom as the
// pages do. Walked with the arrow keys, as trees are. A line is an item of the tree, called what it shows; the list of the
// lines below it is beside it and belongs to it.
//
// Events: point {name} (null when the pointer leaves), choose {name}

import { button, count, icon, make } from "./dom.js";
import { percent } from "./set-format.js";

const OPEN_AT_FIRST = 60; // rows; deeper ones are closed if there would be more

let groups = 0; // that were ever made: their ids are unique in the page

/** The tree as rows with rows below them. A row is a landmark, or a field. */
export function rowsOf(tree, branch = "") {
  const rows = [];
  // What comes after is a chain that can be long: a loop, not calls.
  for (let node = tree, label = branch; node; node = node.after, label = "after") {
    if (node.landmark === null) {
      if (node.field !== null) rows.push({ field: node.field, example: node.example, branch: label, below: [], fields: 1, landmarks: 0 });
      break;
    }
    const missing = node.field === null ? [] : [{ field: node.field, example: node.example, branch: "if missing", below: [], fields: 1, landmarks: 0 }];
    const below = [...rowsOf(node.before, "before"), ...rowsOf(node.inside, "inside"), ...missing];
    const sum = (key) => below.reduce((total, row) => total + row[key], 0);
    rows.push({ landmark: node.landmark, share: node.share, isCut: node.cut, branch: label, below, fields: sum("fields"), landmarks: 1 + sum("landmarks") });
  }
  return rows;
}

/** Which rows are open at first: those that lead to data, level by level, as long as there are not too many. */
export function listInitiallyOpen(rows) {
  const open = new Set();
  let seen = rows.length;
  let level = rows;
  while (level.length) {
    const next = [];
    for (const row of level.filter(({ fields, below }) => fields && below.length)) {
      if (seen + row.below.length > OPEN_AT_FIRST) continue;
      open.add(row);
      seen += row.below.length;
      next.push(...row.below);
    }
    level = next;
  }
  return open;
}

export class LandmarkTree extends EventTarget {
  #rows;
  #colours;
  #items = new Map(); // line -> row
  #tree = make("ul", { role: "tree", "aria-label": "Landmarks", class: "landmarks" });

  constructor(tree, colours) {
    super();
    this.#rows = rowsOf(tree);
    this.#colours = colours;
    const open = listInitiallyOpen(this.#rows);
    this.#tree.append(...this.#rows.map((row, index) => this.#item(row, 1, open, index, this.#rows.length)));
    this.#tree.querySelector("[role=treeitem]")?.setAttribute("tabindex", "0");
    this.#listen();
    const total = this.#rows.reduce((sum, row) => sum + row.landmarks, 0);
    const tools = make("div", { class: "tree-tools" }, make("h3", {}, "Landmarks", make("span", { class: "soft" }, String(total))), this.#tool("Open all", () => this.#openAll(true)), this.#tool("Close all", () => this.#openAll(false)));
    this.element = make("section", { class: "tree", "aria-label": "The tree of landmarks" }, tools, make("div", { class: "tree-scroller" }, this.#tree));
  }

  #tool(text, onclick) {
    return button({ text, class: "quiet small", onclick });
  }

  #item(row, level, open, index, all) {
    const isOpen = open.has(row);
    const group = row.below.length ? make("ul", { role: "group", id: `landmarks-${(groups += 1)}` }) : null;
    const place = { "aria-level": level, "aria-posinset": index + 1, "aria-setsize": all };
    const below = group ? { "aria-expanded": String(isOpen), "aria-owns": group.id } : {};
    const item = make("div", { class: "line", role: "treeitem", tabindex: "-1", ...place, ...below }, ...this.#makeLabel(row));
    this.#items.set(item, row);
    if (isOpen) this.#fill(item, group, open);
    return make("li", { role: "none" }, item, group);
  }

  /** Rows below are made when they are first seen: big trees cost nothing before. */
  #fill(item, group, open = new Set()) {
    const { below } = this.#items.get(item);
    const level = Number(item.getAttribute("aria-level")) + 1;
    group.append(...below.map((row, index) => this.#item(row, level, open, index, below.length)));
  }

  #makeLabel(row) {
    const branch = row.branch ? make("span", { class: "branch", "data-branch": row.branch }, row.branch) : null;
    const kind = row.field === undefined ? null : make("span", { class: "unseen" }, "field ");
    const chip = row.field === undefined ? landmark(row) : make("span", { class: "leaf", "data-colour": this.#colours.getColour(row.field) }, make("span", { class: "dot" }), row.field);
    const rest = row.field === undefined ? hint(row) : make("span", { class: "example" }, row.example ?? "");
    return [row.below.length ? icon("down") : make("span", { class: "no-twist" }), branch, " ", kind, chip, " ", rest];
  }

  #listen() {
    this.#tree.addEventListener("click", (event) => {
      const item = event.target.closest("[role=treeitem]");
      if (!item) return;
      this.#focus(item);
      this.#act(item);
    });
    this.#tree.addEventListener("keydown", (event) => this.#onKey(event));
    const point = (event) => this.#emit("point", this.#items.get(event.target.closest?.("[role=treeitem]"))?.field ?? null);
    this.#tree.addEventListener("mouseover", point);
    this.#tree.addEventListener("focusin", point);
    this.#tree.addEventListener("mouseleave", () => this.#emit("point", null));
  }

  #emit(kind, name) {
    this.dispatchEvent(new CustomEvent(kind, { detail: { name } }));
  }

  /** A field is shown in the page; a landmark opens or closes. */
  #act(item) {
    const { field } = this.#items.get(item);
    if (field === undefined) this.#open(item, item.getAttribute("aria-expanded") !== "true");
    else this.#emit("choose", field);
  }

  #open(item, isOpen) {
    if (!item.hasAttribute("aria-expanded")) return;
    const group = item.nextElementSibling;
    if (isOpen && !group.childElementCount) this.#fill(item, group);
    item.setAttribute("aria-expanded", String(isOpen));
  }

  #openAll(isOpen) {
    const all = (list) => {
      for (const item of itemsOf(list)) {
        this.#open(item, isOpen);
        if (item.nextElementSibling) all(item.nextElementSibling);
      }
    };
    all(this.#tree);
    this.#focus(itemsOf(this.#tree)[0], { isQuiet: true });
  }

  #focus(item, { isQuiet = false } = {}) {
    if (!item) return;
    this.#tree.querySelectorAll("[tabindex='0']").forEach((element) => element.setAttribute("tabindex", "-1"));
    item.setAttribute("tabindex", "0");
    if (!isQuiet) item.focus({ preventScroll: true });
    if (!isQuiet) this.#scrollIntoView(item);
  }

  /** Up and down only: sideways, the arrows of the rows above would get out of sight. */
  #scrollIntoView(row) {
    const place = row.closest(".wrapper-body, .set-panel") ?? this.element;
    const left = place.scrollLeft;
    row.scrollIntoView({ block: "nearest", inline: "nearest" });
    for (let element = row; element; element = element.parentElement) if (element.scrollLeft) element.scrollLeft = 0;
    place.scrollLeft = left;
  }

  get #seen() {
    return [...this.#tree.querySelectorAll("[role=treeitem]")].filter((item) => item.offsetParent !== null);
  }

  #onKey(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item || event.ctrlKey || event.altKey || event.metaKey) return;
    const expanded = item.getAttribute("aria-expanded");
    const beside = (step) => this.#seen[this.#seen.indexOf(item) + step];
    const keys = {
      ArrowDown: () => this.#focus(beside(1)),
      ArrowUp: () => this.#focus(beside(-1)),
      ArrowRight: () => (expanded === "false" ? this.#open(item, true) : expanded && this.#focus(beside(1))),
      ArrowLeft: () => (expanded === "true" ? this.#open(item, false) : this.#focus(itemAbove(item))),
      Home: () => this.#focus(this.#seen[0]),
      End: () => this.#focus(this.#seen.at(-1)),
      Enter: () => this.#act(item),
      " ": () => this.#act(item),
      "*": () => itemsOf(item.parentElement.parentElement).forEach((element) => this.#open(element, true)),
    };
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  }
}

/** The items of a list, without those below them. */
const itemsOf = (list) => [...list.children].map((entry) => entry.firstElementChild);

/** The item that has a list with this one, if it is not at the top. */
const itemAbove = (item) => item.parentElement.parentElement.closest("li")?.firstElementChild;

/** Landmarks that few pages have are paler. */
function landmark({ landmark: text, share }) {
  const chip = make("span", { class: text.startsWith("<") ? "landmark" : "landmark is-text" }, text);
  chip.style.opacity = String(0.45 + 0.55 * share);
  return chip;
}

function hint({ share, fields, landmarks, below, isCut }) {
  const parts = [share < 0.995 ? percent(share) : null, below.length ? (fields ? count(fields, "field") : landmarks > 1 ? count(landmarks - 1, "landmark") : null) : null, isCut ? "more below" : null];
  return make("span", { class: "hint" }, parts.filter(Boolean).join(" · "));
}
