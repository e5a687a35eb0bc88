// The notes above a page: warnings of the parser, and what is not loaded.

import { button, count, icon, make } from "./dom.js";

const ADVICE = "The studio runs no scripts. Save the page from your browser once it is shown there, or let unweave run them: ";

/** `load` fetches images and style sheets; null if that was done already. */
export function drawNotes(container, page, drawing, load) {
  const left = drawing.left_out > 0 ? leftOut(drawing, load, container) : null;
  const empty = drawing.is_empty ? needsScripts("This page is empty until its scripts run.", page) : null;
  container.replaceChildren(...page.notes.map((message) => note(container, "alert", message)), ...[empty, left].filter(Boolean));
}

/** Adds the note that the page was drawn, but is invisible. */
export function addHiddenNote(container, page) {
  container.prepend(needsScripts("This page hides its text until its scripts run. Its tables are extracted anyway.", page));
}

function needsScripts(message, page) {
  const line = note(null, "alert", `${message} ${ADVICE}`);
  line.querySelector("p").append(make("code", {}, `unweave records --render --network ${quoteForShell(page.url || page.name)}`));
  return line;
}

/** Quotes a word of a command line; words that would be dangerous to paste are replaced. */
function quoteForShell(word) {
  if (/^[\w@%+=:,./~-]+$/.test(word) && !word.startsWith("-")) return word;
  return /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(word) && !/^-/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : "PAGE";
}

function note(container, name, message, ...more) {
  const line = make("div", { class: "notice" }, icon(name), make("p", {}, message), ...more);
  line.append(button({ icon: "close", label: "Dismiss this note", class: "quiet", onclick: () => line.remove() }));
  return line;
}

function leftOut({ left_out: number, can_load: canLoad }, load, container) {
  if (!canLoad) return note(container, "image", `${count(number, "image or style sheet is", "images and style sheets are")} missing. Open the page by its URL to load them.`);
  if (!load) return note(container, "image", `${count(number, "image or style sheet", "images and style sheets")} could not be loaded.`);
  const message = number === 1 ? "1 image or style sheet is not loaded." : `${count(number, "", "images and style sheets")} are not loaded.`;
  return note(container, "image", message, button({ text: number === 1 ? "Load it" : "Load them", class: "small", title: "Fetch from the servers that the page names", onclick: load }));
}
