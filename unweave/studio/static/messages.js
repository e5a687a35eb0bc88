// Messages: errors stay near their cause until they are dismissed; others are shown in the status line for seconds.

import { button, byId, icon, make } from "./dom.js";

/** Shows an error in a container near its cause, instead of the one before. */
export function showError(container, error) {
  const message = error instanceof Error ? error.message : String(error);
  clearErrors(container);
  const dismiss = button({ icon: "close", label: "Dismiss this message", class: "quiet", onclick: () => clearErrors(container) });
  const notice = make("div", { class: "notice is-error", role: "alert" }, icon("alert"), make("p", {}, message), dismiss);
  container.prepend(notice);
  notice.scrollIntoView({ block: "nearest" });
}

export function clearErrors(container) {
  for (const notice of container.querySelectorAll(":scope > .notice.is-error")) notice.remove();
}

/** Runs an action and shows its error in the container. Returns whether it succeeded. */
export async function attempt(container, action) {
  clearErrors(container);
  try {
    await action();
    return true;
  } catch (error) {
    if (error.name === "AbortError") return false;
    showError(container, error);
    return false;
  }
}

let timer;

/** Shows a message for a few seconds, also to screen readers. */
export function announce(message) {
  const line = byId("news");
  line.textContent = message;
  line.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (line.hidden = true), 4000);
}
