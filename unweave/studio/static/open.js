// Ways to open a page: a file that is dropped or chosen, HTML that is pasted, a URL, or a page that is already open.

import * as api from "./api.js";
import { button, byId, count, icon, isWriting, make } from "./dom.js";
import { attempt } from "./messages.js";
import { isArchive, openSet } from "./sets.js";
import { isJsonFile, isWrapperText, openWrapper } from "./wrapper-file.js";

const ADDRESS = /^https?:\/\/\S+$/i;

let waiting = 0; // how many things take their time

/** Shows the progress bar until a promise is settled. */
export async function busy(promise) {
  const line = byId("progress");
  waiting += 1;
  line.hidden = false;
  try {
    return await promise;
  } finally {
    waiting -= 1;
    line.hidden = waiting === 0;
  }
}

/** Where an error of opening is shown: on the screen that is there. */
const place = () => (!byId("start").hidden ? byId("start") : ((!byId("set").hidden && byId("set-notes")) || byId("notes")));

const go = (page) => (location.hash = `#/page/${encodeURIComponent(page.id)}`);

const openOne = (opening, near = place()) => attempt(near, async () => go(await busy(opening())));

/** One page is opened as such; several, or an archive, as a set. */
export function openFiles(files) {
  const all = [...files];
  if (!all.length) return;
  const near = place();
  if (all.length === 1 && isJsonFile(all[0])) attempt(near, async () => busy(openWrapper(all[0].name, await all[0].text(), near)));
  else if (all.length > 1 || isArchive(all[0])) attempt(near, () => busy(openSet(all)));
  else openOne(() => api.openFile(all[0]));
}

export function startOpening() {
  startDropping();
  startPasting();
  byId("choose").addEventListener("click", () => byId("files").click());
  byId("files").addEventListener("change", (event) => {
    openFiles(event.target.files);
    event.target.value = ""; // so that the same file can be chosen once more
  });
  byId("address-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const written = byId("address").value.trim();
    if (!written) return byId("address").focus();
    openOne(() => api.openUrl(/^[a-z]+:\/\//i.test(written) ? written : `https://${written}`), event.currentTarget);
  });
}

/** Files can be dropped anywhere: the veil lies over the frame too, which would swallow them. */
function startDropping() {
  const veil = byId("veil");
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragenter", (event) => hasFiles(event) && (veil.hidden = false));
  addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  veil.addEventListener("dragleave", () => (veil.hidden = true));
  addEventListener("drop", (event) => {
    veil.hidden = true;
    if (!hasFiles(event)) return;
    event.preventDefault();
    openFiles(event.dataTransfer.files);
  });
}

function startPasting() {
  const dialog = byId("paste-dialog");
  const field = byId("paste-text");
  byId("paste-open").addEventListener("click", () => {
    field.value = "";
    dialog.showModal();
    field.focus();
  });
  dialog.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!field.value.trim()) return field.focus();
    const isOpen = await attempt(dialog, async () => go(await busy(api.openHtml(field.value, "pasted"))));
    if (isOpen) dialog.close();
  });
  addEventListener("paste", (event) => {
    if (isWriting(event.target) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    openPasted(event.clipboardData);
  });
}

/** Source is text that looks like markup; else what was copied from a page in a browser has markup beside its text. */
function openPasted(clipboard) {
  if (clipboard.files.length) return openFiles(clipboard.files);
  const text = clipboard.getData("text/plain").trim();
  const rich = clipboard.getData("text/html");
  if (isWrapperText(text)) return attempt(place(), () => busy(openWrapper("The pasted text", text, place())));
  if (ADDRESS.test(text)) return openOne(() => api.openUrl(text));
  const html = text.startsWith("<") ? text : rich || text;
  if (html) openOne(() => api.openHtml(html, "pasted"));
}

/** The list of pages that are open. */
export async function listPages() {
  const pages = await api.pages();
  byId("opened").hidden = pages.length === 0;
  byId("opened-list").replaceChildren(...pages.map(entry));
  return pages;
}

function entry(page) {
  const title = page.title || page.name;
  const facts = [page.name === title ? null : page.name, count(page.nodes, "element"), size(page.bytes)].filter(Boolean).join(" · ");
  const link = make("a", { href: `#/page/${encodeURIComponent(page.id)}` }, icon("page"), make("span", {}, make("strong", {}, title), make("small", {}, facts)));
  const shut = async () => {
    if (await attempt(byId("start"), () => api.closePage(page.id))) await attempt(byId("start"), listPages);
  };
  return make("li", {}, link, button({ icon: "close", label: `Close ${title}`, class: "quiet", onclick: shut }));
}

const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
