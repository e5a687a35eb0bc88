// Sets of pages: opened from files, and listed at the start.

import { button, byId, count, icon, make } from "./dom.js";
import { attempt } from "./messages.js";
import { packFiles } from "./tar.js";
import * as api from "./sets-api.js";
import { makeSetHash } from "./set-format.js";

const ARCHIVE = /\.(warc|warc\.gz|warc\.zst|zip|tar|tar\.\w+|tgz|tbz2|txz)$/i;

export const isArchive = (file) => ARCHIVE.test(file.name);

/** Opens several files as sets and shows the last: pages are one set, archives one each. */
export async function openSet(files) {
  const pages = files.filter((file) => !isArchive(file));
  let set = pages.length ? await api.openArchive(await packFiles(pages), count(pages.length, "page")) : null;
  for (const file of files.filter(isArchive)) set = await api.openArchive(file, file.name);
  location.hash = makeSetHash(set.id);
}

/** Draws the list of sets that are open. */
export async function listSets(container) {
  const sets = await api.sets();
  const list = make("ul", {}, ...sets.map((set) => entry(container, set)));
  const title = make("h3", { id: "sets-title" }, "Open sets of pages");
  container.replaceChildren(...(sets.length ? [make("section", { class: "opened", "aria-labelledby": "sets-title" }, title, list)] : []));
}

function entry(container, set) {
  const link = make("a", { href: makeSetHash(set.id) }, icon("pages"), make("span", {}, make("strong", {}, set.name), make("small", {}, facts(set))));
  const close = async () => {
    if (await attempt(byId("start"), () => api.closeSet(set.id))) await attempt(byId("start"), () => listSets(container));
  };
  return make("li", {}, link, button({ icon: "close", label: `Close ${set.name}`, class: "quiet", onclick: close }));
}

function facts(set) {
  if (set.state === "failed") return "could not be read";
  const pages = count(set.pages, "page");
  return set.state === "ready" ? `${pages} · ${count(set.groups.length, "template")}` : `${pages} so far`;
}
