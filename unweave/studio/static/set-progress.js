// How far a set is: asked again and again until it is ready, failed, or nobody looks any more.

import { make } from "./dom.js";
import { setOf } from "./sets-api.js";

const DELAY = 350; // ms between two questions

const STEPS = [
  ["reading", "Reading the pages"],
  ["sorting", "Sorting them by template"],
  ["learning", "Learning a wrapper of each template"],
];

export const pause = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true }); // whoever waits then waits for ever, and is forgotten
  });

/** The set once there is nothing more to do; meanwhile the place tells how far it is. */
export async function whenDone(id, place, signal) {
  for (let set = await setOf(id, { signal }); ; set = await setOf(id, { signal })) {
    if (set.state === "ready" || set.state === "failed") return set;
    drawProgress(place, set);
    await pause(DELAY, signal);
  }
}

function drawProgress(place, set) {
  const now = STEPS.findIndex(([state]) => state === set.state);
  const steps = STEPS.map(([, words], at) => make("li", { class: at < now ? "is-done" : at === now ? "is-now" : "", "aria-current": at === now ? "step" : null }, words, at === now ? tally(set) : null));
  const bar = make("progress", { max: set.of || 1, "aria-label": STEPS[now][1] });
  if (set.of) bar.value = set.done;
  place.replaceChildren(make("div", { class: "set-progress" }, make("h2", {}, set.name), bar, make("ol", {}, ...steps)));
}

function tally(set) {
  const numbers = set.of ? `${set.done.toLocaleString("en")} of ${set.of.toLocaleString("en")}` : set.pages.toLocaleString("en");
  return make("span", { class: "soft" }, numbers);
}
