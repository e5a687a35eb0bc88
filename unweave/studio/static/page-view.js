// An untrusted page in a sandboxed frame with an opaque origin, in which only our script (frame.js) runs.
//
//   const view = new PageView(parent);
//   await view.draw(drawing);
//   view.table({ columns, quiet, records, cells });
//   view.addEventListener("point", ({ detail }) => …);     also: choose, picked, key, mark
//
// The frame is untrusted: only messages of known kinds are accepted, and only from this frame.

const MESSAGE_KINDS = new Set(["ready", "drawn", "failed", "point", "choose", "picked", "key", "mark"]);

const isPosition = (value) => value === null || Number.isInteger(value);

export class PageView extends EventTarget {
  #parent;
  #title;
  #frame = null;
  #isFresh = false; // nothing was drawn in it so far
  #isReady = false;
  #waiting = []; // messages that were sent before the frame was ready
  #onDrawn = null;

  constructor(parent, { title = "The page" } = {}) {
    super();
    this.#parent = parent;
    this.#title = title;
    addEventListener("message", this.#onMessage);
  }

  get element() {
    return this.#frame;
  }

  /** Shows a page, in a fresh frame: nothing of the page before is left. Resolves when it is drawn, to {ms, isHidden}; to
      nothing if another page took its place. */
  draw(drawing) {
    if (!this.#isFresh || drawing.quirks) this.prepare(drawing.quirks);
    this.#isFresh = false;
    this.#frame.title = drawing.title ? `${this.#title}: ${drawing.title}` : this.#title;
    this.#send("draw", { drawing });
    return new Promise((resolve, reject) => (this.#onDrawn = { resolve, reject }));
  }

  /** Makes an empty frame, unless there is one. Done before it is needed, it saves the time that a frame needs to start. */
  prepare(quirks = false) {
    if (this.#isFresh && !quirks) return;
    this.clear();
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.setAttribute("referrerpolicy", "no-referrer");
    frame.title = this.#title;
    // Old pages need quirks mode, which a document has only without a doctype.
    frame.src = quirks ? "/frame?quirks=1" : "/frame";
    this.#frame = frame;
    this.#isFresh = true;
    this.#parent.append(frame);
  }

  clear() {
    this.#onDrawn?.resolve(); // whoever waits for it goes on
    this.#onDrawn = null;
    this.#frame?.remove();
    this.#frame = null;
    this.#isFresh = false;
    this.#isReady = false;
    this.#waiting = [];
  }

  /** Removes the frame and the listener. */
  close() {
    this.clear();
    removeEventListener("message", this.#onMessage);
  }

  /** Outlines records and colours cells. `quiet` columns give way to others with the same element. */
  table({ columns = [], quiet = [], records = [], cells = [] }) {
    this.#send("table", { columns, quiet, records, cells });
  }

  /** Shows a record (column null) or a cell, or nothing (row null). With `scroll` it is brought into the middle. */
  show(row, column = null, { scroll = false } = {}) {
    this.#send("show", { row, column, scroll });
  }

  /** Turns picking on or off: while it is on, clicks (and Enter) give `picked` with the number of a node. */
  pick(on) {
    this.#send("pick", { on });
  }

  /** Marks texts by what they are: template, or the data of fields, in the colours of `columns`. Pointing at the latter gives `mark` with the field's number. */
  marks({ template = [], data = [], columns = [] }) {
    this.#send("marks", { template, data, columns });
  }

  /** Highlights the texts of a field, or of none (null). With `scroll` the first is brought into the middle. */
  light(field, { scroll = false } = {}) {
    this.#send("light", { field, scroll });
  }

  focus() {
    this.#frame?.focus();
  }

  #send(kind, fields) {
    const message = { unweave: kind, ...fields };
    if (!this.#isReady) this.#waiting.push(message);
    // Its origin is opaque and cannot be named.
    else this.#frame.contentWindow.postMessage(message, "*");
  }

  #onMessage = (event) => {
    if (!this.#frame || event.source !== this.#frame.contentWindow) return;
    const { unweave: kind, ...detail } = event.data ?? {};
    if (!MESSAGE_KINDS.has(kind)) return;
    if (kind === "ready") return this.#ready();
    if (kind === "drawn") return this.#drawn(detail);
    if (kind === "failed") return this.#onDrawn?.reject(new Error("This page cannot be drawn. Its tables are shown anyway."));
    if ("row" in detail && !(isPosition(detail.row) && isPosition(detail.column))) return;
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  };

  #ready() {
    this.#isReady = true;
    for (const message of this.#waiting.splice(0)) this.#frame.contentWindow.postMessage(message, "*");
  }

  #drawn(detail) {
    this.#onDrawn?.resolve(detail);
    this.dispatchEvent(new CustomEvent("drawn", { detail }));
  }
}
