// Texts for sets, groups and fits, and the bar of a fit.

import { make } from "./dom.js";

/** Pages with a lower fit do not match the wrapper. */
export const FITS = 0.5;

export const KINDS = { list: "List pages", detail: "Detail pages", article: "Articles", neither: "Other pages" };

export const percent = (share) => `${Math.round(share * 100)} %`;

export const makeSetHash = (id, ...more) => `#/set/${[id, ...more].map(encodeURIComponent).join("/")}`;

/** Returns a fit as a bar. It is not read aloud: there is a text beside it. */
export function fitBar(fit) {
  const filled = make("span");
  filled.style.width = `${Math.round(fit * 100)}%`;
  return make("span", { class: fit < FITS ? "fit-bar is-low" : "fit-bar", "aria-hidden": "true" }, filled);
}

/** Returns the end of a path or URL; the title has all of it. */
export function shortName(name) {
  const parts = name.split("/").filter(Boolean);
  const last = parts.at(-1) ?? name;
  return /^index\.\w+$/.test(last) && parts.length > 1 ? `${parts.at(-2)}/${last}` : last;
}

/** "a, b and c"; of many, the first, and how many more. */
export function joinNames(words, maxWords = 4) {
  const shown = words.length > maxWords + 1 ? [...words.slice(0, maxWords), `${words.length - maxWords} more`] : words;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** Returns the file name of a wrapper, as the server makes it. It is safe in a shell. */
export function wrapperFile(name) {
  const stem = name.split("/").at(-1).replace(/(.)\.[^.]*$/, "$1").replace(/[^\w.-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "");
  return `${stem.slice(0, 60) || "table"}.wrapper.json`;
}
