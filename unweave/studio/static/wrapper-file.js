// Wrapper files: known when they are dropped, chosen or pasted, and handed to the screen that is shown. Without a page to
// apply them to, a note describes them, and the next page or group that is opened gets them.
//
// Event of the window: unweave-wrapper {name, text, facts}; whoever applies it prevents the default.

import * as api from "./api.js";
import { button, count, icon, make } from "./dom.js";
import { joinNames } from "./set-format.js";

const MAX_HEAD_CHARACTERS = 200; // of a file that decide whether it is a wrapper

const PREFIXES = { fields: "", records: "a list of records with ", pattern: "a pattern with ", landmark: "landmarks with " };

export const isWrapperText = (text) => text.slice(0, MAX_HEAD_CHARACTERS).replace(/\s/g, "").replace(/^\uFEFF/, "").startsWith('{"unweave":"wrapper"');

/** Tells whether it is a JSON file, which cannot be a page. */
export const isJsonFile = (file) => /\.json$/i.test(file.name) || file.type === "application/json";

let waiting = null; // the wrapper that could not be applied so far
let note = null; // the note on it

/** Opens a wrapper file; `container` gets a note on it if there is no page to apply it to. */
export async function openWrapper(name, text, container) {
  if (!isWrapperText(text)) throw new Error(`${name} is neither a page nor a wrapper: it is another kind of JSON.`);
  const wrapper = { name, text, facts: await api.describeWrapper(text) };
  forgetWrapper();
  const isApplied = !dispatchEvent(new CustomEvent("unweave-wrapper", { detail: wrapper, cancelable: true }));
  if (isApplied) return;
  waiting = wrapper;
  note = make("div", { class: "notice is-wrapper", role: "status" }, icon("wrapper"), make("p", {}, make("strong", {}, name), ` is a wrapper: ${formatWrapper(wrapper.facts)}. Open a page to apply it to.`));
  note.append(button({ icon: "close", label: "Dismiss this wrapper", class: "quiet", onclick: forgetWrapper }));
  container.prepend(note);
}

/** The wrapper that waits for a page, once. */
export function takeWaitingWrapper() {
  const wrapper = waiting;
  forgetWrapper();
  return wrapper;
}

function forgetWrapper() {
  note?.remove();
  [waiting, note] = [null, null];
}

/** "3 fields (title, price and isbn)". */
export function formatWrapper({ kind, fields }) {
  const names = joinNames(fields.map(({ name }) => name), 8);
  return `${PREFIXES[kind]}${count(fields.length, kind === "records" ? "column" : "field")}${names ? ` (${names})` : ""}`;
}
