// Ways to try a wrapper on a new page: a file that is dropped or chosen, HTML that is pasted, a URL.

import { button, byId, icon, isWriting, make } from "./dom.js";
import { attempt } from "./messages.js";
import { isArchive } from "./sets.js";
import { isJsonFile, isWrapperText } from "./wrapper-file.js";

const DROP_WORDS = "Drop to try the wrapper on it";

export class TryPage {
  #tried;
  #messages;
  #leaving = new AbortController();
  #file = make("input", { type: "file", hidden: true, "aria-label": "Page to try the wrapper on", accept: ".html,.htm,.xhtml,text/html" });
  #address = make("input", { type: "text", id: "try-address", inputmode: "url", spellcheck: "false", placeholder: "https://example.com/page" });
  #text = make("textarea", { id: "try-text", rows: "6", spellcheck: "false" });
  #dialog = this.#makeDialog();

  /** `tried` takes a file, {html, name} or {url}; errors of what is dropped or pasted are shown in `messages`. */
  constructor(messages, tried) {
    this.#messages = messages;
    this.#tried = tried;
    this.button = button({ icon: "target", text: "Try on a new page", onclick: () => this.#open() });
    document.body.append(this.#dialog, this.#file);
    this.#file.addEventListener("change", () => this.#file.files.length && this.#take(this.#file.files[0]));
    this.#listen();
  }

  close() {
    this.#leaving.abort();
    this.#dialog.remove();
    this.#file.remove();
  }

  /** One page that is dropped or pasted here is tried; archives and several pages are opened, as everywhere. */
  #listen() {
    const { signal } = this.#leaving;
    const words = byId("veil").querySelector("p");
    const before = words.textContent;
    words.textContent = DROP_WORDS;
    signal.addEventListener("abort", () => (words.textContent = before));
    addEventListener("drop", (event) => this.#onDrop(event, event.dataTransfer?.files), { capture: true, signal });
    addEventListener("paste", (event) => this.#onPaste(event), { capture: true, signal });
  }

  #onDrop(event, files) {
    if (files?.length !== 1 || isArchive(files[0]) || isJsonFile(files[0])) return false;
    event.preventDefault();
    event.stopImmediatePropagation();
    byId("veil").hidden = true;
    attempt(this.#messages, () => this.#tried(files[0]));
    return true;
  }

  #onPaste(event) {
    if (isWriting(event.target) || document.querySelector("dialog[open]")) return;
    const text = event.clipboardData.getData("text/plain").trim();
    if (this.#onDrop(event, event.clipboardData.files) || !text || isWrapperText(text)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const html = text.startsWith("<") ? text : event.clipboardData.getData("text/html") || text;
    attempt(this.#messages, () => this.#tried(/^https?:\/\/\S+$/i.test(text) ? { url: text } : { html, name: "pasted" }));
  }

  #open() {
    this.#file.value = "";
    this.#dialog.showModal();
  }

  async #take(page) {
    if (await attempt(this.#dialog, () => this.#tried(page))) this.#dialog.close();
  }

  #makeDialog() {
    const choose = button({ icon: "open", text: "Choose a file", class: "primary", onclick: () => this.#file.click() });
    const makeColumnRequest = () => {
      const written = this.#address.value.trim();
      if (written) return { url: /^[a-z]+:\/\//i.test(written) ? written : `https://${written}` };
      return this.#text.value.trim() ? { html: this.#text.value, name: "pasted" } : null;
    };
    const submit = (event) => {
      event.preventDefault();
      const page = makeColumnRequest();
      if (page) this.#take(page);
      else this.#address.focus();
    };
    const form = make("form", { class: "try-form", onsubmit: submit }, make("h2", { id: "try-title" }, "Try the wrapper on a new page"), make("div", { class: "try-file" }, choose, make("span", { class: "soft" }, "or drop one anywhere")), make("label", { for: "try-address" }, "or fetch a URL"), this.#address, make("label", { for: "try-text" }, "or paste its HTML"), this.#text, make("div", { class: "ends" }, button({ text: "Cancel", onclick: () => this.#dialog.close() }), make("button", { type: "submit", class: "primary" }, icon("target"), make("span", {}, "Try"))));
    return make("dialog", { class: "try-dialog", "aria-labelledby": "try-title" }, form);
  }
}
