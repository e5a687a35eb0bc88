// What sets, groups and fits are called, and how a fit is drawn.

import { make } from "./dom.js";

/** A page that fits less does not fit. */
export const FITS = 0.5;

export const KINDS = { list: "List pages", detail: "Detail pages", article: "Articles", neither: "Other pages" };

export const percent = (share) => `${Math.round(share * 100)} %`;

export const setAddress = (id, ...more) => `#/set/${[id, ...more].map(encodeURIComponent).join("/")}`;

/** A fit as a quiet bar. It is told beside it in words, and so not read aloud. */
export function fitBar(fit) {
  const filled = make("span");
  filled.style.width = `${Math.round(fit * 100)}%`;
  return make("span", { class: fit < FITS ? "fit-bar is-low" : "fit-bar", "aria-hidden": "true" }, filled);
}

/** The end of a path or an address, which tells most; the whole stands in the title. */
export function shortName(name) {
  const parts = name.split("/").filter(Boolean);
  const last = parts.at(-1) ?? name;
  return /^index\.\w+$/.test(last) && parts.length > 1 ? `${parts.at(-2)}/${last}` : last;
}

/** "a, b and c"; of many, the first, and how many more. */
export function listed(words, most = 4) {
  const shown = words.length > most + 1 ? [...words.slice(0, most), `${words.length - most} more`] : words;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

/** What the server calls the file of a wrapper. Nothing in it means anything to a shell. */
export function wrapperFile(name) {
  const stem = name.split("/").at(-1).replace(/(.)\.[^.]*$/, "$1").replace(/[^\w.-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "");
  return `${stem.slice(0, 60) || "table"}.wrapper.json`;
}
