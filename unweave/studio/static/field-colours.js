// The fields of a wrapper by name: each has a number, which gives its colour wherever it is shown.

import { COLOURS, makeInitialPicks, project } from "./columns.js";

export class FieldColours {
  #numbers = new Map();

  constructor(names) {
    for (const name of names) this.getNumber(name);
  }

  /** A name that is new gets the next number. */
  getNumber(name) {
    if (!this.#numbers.has(name)) this.#numbers.set(name, this.#numbers.size);
    return this.#numbers.get(name);
  }

  getName(number) {
    return [...this.#numbers.keys()][number];
  }

  getColour(name) {
    return this.getNumber(name) % COLOURS.length;
  }

  /** The texts of each field, by the number of the field. */
  marks({ template, data }) {
    const texts = [];
    for (const [name, chunks] of Object.entries(data)) texts[this.getNumber(name)] = chunks;
    return { template, data: Array.from(texts, (chunks) => chunks ?? []) };
  }

  /** A table as the grid and the page take it, in these colours. */
  table(table) {
    const picks = makeInitialPicks(table);
    for (const pick of picks) pick.colour = this.getColour(pick.column);
    return project({ base: table, answer: null }, picks);
  }
}
