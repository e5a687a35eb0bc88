// What the studio says: errors stay near what caused them until they are put away; other news pass by in the status line.

import { button, byId, icon, make } from "./dom.js";

/** Shows an error in a place that is near its cause, once. */
export function showError(place, error) {
  const words = error instanceof Error ? error.message : String(error);
  clearErrors(place);
  const away = button({ icon: "close", label: "Put this message away", class: "quiet", onclick: () => clearErrors(place) });
  const notice = make("div", { class: "notice is-error", role: "alert" }, icon("alert"), make("p", {}, words), away);
  place.prepend(notice);
  notice.scrollIntoView({ block: "nearest" });
}

export function clearErrors(place) {
  for (const notice of place.querySelectorAll(":scope > .notice.is-error")) notice.remove();
}

/** Does something that may fail; if it does, the message stands in the place. Says whether it went well. */
export async function attempt(place, action) {
  clearErrors(place);
  try {
    await action();
    return true;
  } catch (error) {
    if (error.name === "AbortError") return false;
    showError(place, error);
    return false;
  }
}

let passing;

/** Says a piece of news for a few seconds, also to screen readers. */
export function tell(words) {
  const line = byId("news");
  line.textContent = words;
  line.hidden = false;
  clearTimeout(passing);
  passing = setTimeout(() => (line.hidden = true), 4000);
}
