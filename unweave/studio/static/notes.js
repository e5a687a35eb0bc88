// The bar above a page: what its reader should know, and what is not loaded.

import { button, count, icon, make } from "./dom.js";

const ADVICE = "The studio runs no scripts. Save the page from your browser once it is shown there, or let unweave run them: ";

/** `load` fetches pictures and style sheets; null if that was done already. */
export function drawNotes(place, page, drawing, load) {
  const left = drawing.left_out > 0 ? leftOut(drawing, load, place) : null;
  const empty = drawing.is_empty ? needsScripts("This page is empty until its scripts run.", page) : null;
  place.replaceChildren(...page.notes.map((words) => note(place, "alert", words)), ...[empty, left].filter(Boolean));
}

/** Says that a page was drawn, and that nothing of it can be seen. */
export function noteHidden(place, page) {
  place.prepend(needsScripts("This page hides its text until its scripts run. Tables are looked for all the same.", page));
}

function needsScripts(words, page) {
  const line = note(null, "alert", `${words} ${ADVICE}`);
  line.querySelector("p").append(make("code", {}, `unweave records --render --network ${quoted(page.url || page.name)}`));
  return line;
}

/** A word of a command line, as it can be pasted; what could do harm there is not shown. */
function quoted(word) {
  if (/^[\w@%+=:,./~-]+$/.test(word) && !word.startsWith("-")) return word;
  return /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(word) && !/^-/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : "PAGE";
}

function note(place, name, words, ...more) {
  const line = make("div", { class: "notice" }, icon(name), make("p", {}, words), ...more);
  line.append(button({ icon: "close", label: "Put this note away", class: "quiet", onclick: () => line.remove() }));
  return line;
}

function leftOut({ left_out: number, can_load: canLoad }, load, place) {
  if (!canLoad) return note(place, "image", `${count(number, "picture or style sheet is", "pictures and style sheets are")} not here. Open the page by its address, or with unweave studio, to see them.`);
  if (!load) return note(place, "image", `${count(number, "picture or style sheet", "pictures and style sheets")} could not be loaded.`);
  const words = number === 1 ? "1 picture or style sheet is not loaded." : `${count(number, "", "pictures and style sheets")} are not loaded.`;
  return note(place, "image", words, button({ text: number === 1 ? "Load it" : "Load them", class: "small", title: "Asks the servers that the page names", onclick: load }));
}
