// What the user did to the columns of one table, with undo and redo. States are never changed, only followed by others.

export class Edits extends EventTarget {
  #past = [];
  #now;
  #future = [];
  #wasUndone = false; // was the last step one back?

  constructor(first) {
    super();
    this.#now = first;
  }

  get now() {
    return this.#now;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  /** Applies an edit. What was undone cannot be redone then. */
  do(next, words) {
    this.#past.push({ state: this.#now, words });
    this.#future = [];
    this.#changeTo(next, words);
  }

  undo() {
    if (!this.canUndo) return;
    const { state, words } = this.#past.pop();
    this.#future.push({ state: this.#now, words });
    this.#changeTo(state, `Undone: ${words}`, true);
  }

  redo() {
    if (!this.canRedo) return;
    const { state, words } = this.#future.pop();
    this.#past.push({ state: this.#now, words });
    this.#changeTo(state, `Redone: ${words}`);
  }

  /** Removes the last edit, which the server refused, from the history. */
  refuse(state) {
    const from = this.#wasUndone ? this.#future : this.#past;
    if (this.#now !== state || !from.length) return;
    this.#now = from.pop().state;
    this.dispatchEvent(new CustomEvent("refused"));
  }

  #changeTo(state, words, wasUndone = false) {
    this.#now = state;
    this.#wasUndone = wasUndone;
    this.dispatchEvent(new CustomEvent("change", { detail: { words } }));
  }
}
