// The fields of a wrapper by name: each has a number, which gives its colour everywhere it is seen.

import { COLOURS, firstPicks, project } from "./columns.js";

export class FieldColours {
  #numbers = new Map();

  constructor(names) {
    for (const name of names) this.numberOf(name);
  }

  /** A name that is new gets the next number. */
  numberOf(name) {
    if (!this.#numbers.has(name)) this.#numbers.set(name, this.#numbers.size);
    return this.#numbers.get(name);
  }

  nameOf(number) {
    return [...this.#numbers.keys()][number];
  }

  colourOf(name) {
    return this.numberOf(name) % COLOURS.length;
  }

  /** The texts of each field, by the number of the field. */
  marks({ template, data }) {
    const places = [];
    for (const [name, chunks] of Object.entries(data)) places[this.numberOf(name)] = chunks;
    return { template, data: Array.from(places, (chunks) => chunks ?? []) };
  }

  /** A table as the grid and the page take it, in these colours. */
  table(table) {
    const picks = firstPicks(table);
    for (const pick of picks) pick.colour = this.colourOf(pick.column);
    return project({ base: table, answer: null }, picks);
  }
}
