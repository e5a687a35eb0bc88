// The progress of a set: polled until it is ready, failed, or no longer shown.

import { make } from "./dom.js";
import { getSet } from "./sets-api.js";

const POLL_MS = 350; // between two requests

const STEPS = [
  ["reading", "Reading the pages"],
  ["sorting", "Sorting them by template"],
  ["learning", "Learning a wrapper for each template"],
];

export const pause = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true }); // the promise is never settled then
  });

/** Returns the set once it is done; meanwhile the container shows the progress. */
export async function waitForSet(id, container, signal) {
  for (let set = await getSet(id, { signal }); ; set = await getSet(id, { signal })) {
    if (set.state === "ready" || set.state === "failed") return set;
    drawProgress(container, set);
    await pause(POLL_MS, signal);
  }
}

function drawProgress(container, set) {
  const current = STEPS.findIndex(([state]) => state === set.state);
  const steps = STEPS.map(([, words], index) => make("li", { class: index < current ? "is-done" : index === current ? "is-now" : "", "aria-current": index === current ? "step" : null }, words, index === current ? makeCounter(set) : null));
  const bar = make("progress", { max: set.of || 1, "aria-label": STEPS[current][1] });
  if (set.of) bar.value = set.done;
  container.replaceChildren(make("div", { class: "set-progress" }, make("h2", {}, set.name), bar, make("ol", {}, ...steps)));
}

function makeCounter(set) {
  const numbers = set.of ? `${set.done.toLocaleString("en")} of ${set.of.toLocaleString("en")}` : set.pages.toLocaleString("en");
  return make("span", { class: "soft" }, numbers);
}
