// The tables found, as a row of tabs: the best first, each with its size, what its columns are, and how sure we are.

import { count, make } from "./dom.js";
import { shownOf } from "./columns.js";

const MOST_NAMES = 4;

/** Draws the tabs anew; the chosen one is the only stop for the Tab key, arrows go from one to the next. */
export function drawChips(place, entries, chosen, choose) {
  place.replaceChildren(...entries.map((entry, at) => chip(entry, at, at === chosen, choose)));
  place.onkeydown = (event) => {
    const steps = { ArrowRight: chosen + 1, ArrowLeft: chosen - 1, Home: 0, End: entries.length - 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    choose((steps[event.key] + entries.length) % entries.length);
    place.querySelector("[aria-selected=true]")?.focus();
  };
  const tab = place.children[chosen];
  if (tab) place.scrollTo({ left: tab.offsetLeft - place.offsetLeft - 16 });
}

function chip(entry, at, isChosen, choose) {
  const names = shownOf(entry.edits.now).map((pick) => pick.name);
  const hint = names.slice(0, MOST_NAMES).join(", ") + (names.length > MOST_NAMES ? "…" : "");
  const rows = count(entry.base.rows.length, "row");
  const score = Math.max(0, Math.min(1, entry.base.score ?? 0));
  const bar = make("span", { class: "score" }, make("span"));
  bar.firstChild.style.width = `${Math.max(4, score * 100)}%`;
  const attributes = { type: "button", role: "tab", "aria-selected": String(isChosen), "aria-controls": "table-panel", tabindex: isChosen ? "0" : "-1" };
  // The name of the tab is its text, so that it is called what it shows; the words before it are for screen readers.
  const which = make("span", { class: "unseen" }, entry.isPicked ? "The list you picked: " : `Table ${at + 1}: `);
  const body = [which, make("strong", {}, entry.isPicked ? `${rows}, picked` : rows), " ", make("span", { class: "hint" }, hint), bar];
  return make("button", { ...attributes, class: "chip", title: `Score ${score.toFixed(2)}: how much this looks like the main list of the page`, onclick: () => choose(at) }, ...body);
}
