// Helpers to create elements. Texts are always set as text: no text of an untrusted page is parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes, listeners (`onclick` and the like, as functions) and children (texts or elements). */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Returns an icon of index.html. Icons are never read aloud: the button around them has a name. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#icon-${name}`);
  svg.append(use);
  return svg;
}

/** A button with an icon, a text, or both. Without a text it needs a label. */
export function button({ icon: name, text, label, title, onclick, ...rest }) {
  const caption = text ? make("span", {}, text) : null;
  const known = { type: "button", "aria-label": label, title: title || (text ? undefined : label), onclick };
  return make("button", { ...known, ...rest }, name ? icon(name) : null, caption);
}

export const byId = (id) => document.getElementById(id);

/** "1 row", "2 rows", "12,000 rows". */
export const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** Tells whether the user is writing, so that keys belong to the text. */
export const isWriting = (target) => target instanceof Element && target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") !== null;
