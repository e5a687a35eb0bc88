// Wrapper files: known when they are dropped, chosen or pasted, and handed to the screen that is shown. Without a page to
// apply them to, it is said what they are, and the next page or group that is opened gets them.
//
// Event of the window: unweave-wrapper {name, text, facts}; whoever applies it prevents the default.

import * as api from "./api.js";
import { button, count, icon, make } from "./dom.js";
import { listed } from "./set-words.js";

const MAX_HEAD = 200; // letters of a file that tell whether it is a wrapper

const KINDS = { fields: "", records: "a list of records with ", pattern: "a pattern with ", landmark: "landmarks with " };

export const isWrapperText = (text) => text.slice(0, MAX_HEAD).replace(/\s/g, "").replace(/^\uFEFF/, "").startsWith('{"unweave":"wrapper"');

/** Is it a file of JSON, which is no page in any case? */
export const isJsonFile = (file) => /\.json$/i.test(file.name) || file.type === "application/json";

let waiting = null; // the wrapper that nobody could apply so far
let note = null; // what says so

/** Opens a wrapper file; `place` is where it is said what it is, if there is no page to apply it to. */
export async function openWrapper(name, text, place) {
  if (!isWrapperText(text)) throw new Error(`${name} is neither a page nor a wrapper: it is another kind of JSON.`);
  const wrapper = { name, text, facts: await api.describeWrapper(text) };
  forgetWrapper();
  const isTaken = !dispatchEvent(new CustomEvent("unweave-wrapper", { detail: wrapper, cancelable: true }));
  if (isTaken) return;
  waiting = wrapper;
  note = make("div", { class: "notice is-wrapper", role: "status" }, icon("wrapper"), make("p", {}, make("strong", {}, name), ` is a wrapper: ${inWords(wrapper.facts)}. Open a page to apply it to.`));
  note.append(button({ icon: "close", label: "Put this wrapper away", class: "quiet", onclick: forgetWrapper }));
  place.prepend(note);
}

/** The wrapper that waits for a page, once. */
export function takeWaitingWrapper() {
  const taken = waiting;
  forgetWrapper();
  return taken;
}

function forgetWrapper() {
  note?.remove();
  [waiting, note] = [null, null];
}

/** "3 fields (title, price and isbn)". */
export function inWords({ kind, fields }) {
  const names = listed(fields.map(({ name }) => name), 8);
  return `${KINDS[kind]}${count(fields.length, kind === "records" ? "column" : "field")}${names ? ` (${names})` : ""}`;
}
