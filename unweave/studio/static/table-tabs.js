// The tables found, as a row of tabs: the best first, each with its size, what its columns are, and the score.

import { count, make } from "./dom.js";
import { getShown } from "./columns.js";

const MAX_NAMES = 4;

/** Draws the tabs anew; the chosen one is the only stop for the Tab key, arrows go from one to the next. */
export function drawTableTabs(container, entries, chosen, choose) {
  container.replaceChildren(...entries.map((entry, index) => chip(entry, index, index === chosen, choose)));
  container.onkeydown = (event) => {
    const steps = { ArrowRight: chosen + 1, ArrowLeft: chosen - 1, Home: 0, End: entries.length - 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    choose((steps[event.key] + entries.length) % entries.length);
    container.querySelector("[aria-selected=true]")?.focus();
  };
  const tab = container.children[chosen];
  if (tab) container.scrollTo({ left: tab.offsetLeft - container.offsetLeft - 16 });
}

function chip(entry, index, isChosen, choose) {
  const names = getShown(entry.edits.now).map((pick) => pick.name);
  const hint = names.slice(0, MAX_NAMES).join(", ") + (names.length > MAX_NAMES ? "…" : "");
  const rows = count(entry.base.rows.length, "row");
  const score = Math.max(0, Math.min(1, entry.base.score ?? 0));
  const bar = make("span", { class: "score" }, make("span"));
  bar.firstChild.style.width = `${Math.max(4, score * 100)}%`;
  const attributes = { type: "button", role: "tab", "aria-selected": String(isChosen), "aria-controls": "table-panel", tabindex: isChosen ? "0" : "-1" };
  // The name of the tab is its text, so that it is called what it shows; the words before it are for screen readers.
  const which = make("span", { class: "unseen" }, entry.isPicked ? "The list you picked: " : `Table ${index + 1}: `);
  const body = [which, make("strong", {}, entry.isPicked ? `${rows}, picked` : rows), " ", make("span", { class: "hint" }, hint), bar];
  return make("button", { ...attributes, class: "chip", title: `Score ${score.toFixed(2)}: the confidence that this is one of the page's lists`, onclick: () => choose(index) }, ...body);
}
