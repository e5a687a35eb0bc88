// The entry point: takes the token, and shows the screen that the URL names.
//
//   #/             the start          #/page/ID      one page and its tables          #/set/ID…      many pages

import * as api from "./api.js";
import { byId } from "./dom.js";
import { attempt } from "./messages.js";
import { listPages, startOpening } from "./open.js";
import { leaveSet, showSet } from "./set-screen.js";
import { listSets } from "./sets.js";
import { startSplitter } from "./splitter.js";
import { startTheme } from "./theme.js";
import { Workspace } from "./workspace.js";

const SCREENS = ["locked", "start", "work", "set"];

function showScreen(name) {
  for (const screen of SCREENS) byId(screen).hidden = screen !== name;
  byId("open-another").hidden = name === "start" || name === "locked";
}

let workspace;
let visit = 0; // counts the screens that were requested

async function showStart() {
  workspace.leave();
  showScreen("start");
  byId("where").textContent = "";
  document.title = "unweave studio";
  await attempt(byId("start"), () => Promise.all([listPages(), listSets(byId("set-list"))]));
}

async function showMany(path) {
  workspace.leave();
  showScreen("set");
  await attempt(byId("set"), () => showSet(byId("set"), path));
}

async function showPage(id) {
  const current = visit;
  const isThere = await attempt(byId("start"), async () => {
    const page = await api.getPage(id);
    if (current !== visit) return; // the user has gone elsewhere in the meantime
    byId("where").textContent = page.title || page.name;
    byId("where").title = page.url || page.name;
    document.title = `${page.title || page.name} – unweave studio`;
    showScreen("work");
    await workspace.open(page);
  });
  if (!isThere && current === visit && byId("work").hidden) showScreen("start");
}

/** Shows what the fragment of the URL names; other fragments (of the skip link) are ignored. */
async function route() {
  visit += 1;
  const [, kind, id] = /^#\/(\w*)\/?(.*)$/.exec(location.hash) || [];
  if (kind !== "set") leaveSet();
  if (kind === "page") return showPage(decodeURIComponent(id));
  if (kind === "set") return showMany(id);
  if (kind === "" || location.hash === "") return showStart();
}

async function begin() {
  startTheme(byId("theme"));
  startSplitter(byId("splitter"), byId("panes"));
  startOpening();
  for (const close of document.querySelectorAll("[data-close]")) close.addEventListener("click", () => close.closest("dialog").close());
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("content").focus();
  });
  addEventListener("unweave-locked", () => showScreen("locked"));
  if (!api.takeToken()) return showScreen("locked");
  workspace = new Workspace();
  byId("open-another").addEventListener("click", () => (location.hash = "#/"));
  addEventListener("hashchange", route);
  if (location.hash) return route();
  await showStart();
  // One page, or one set of pages, was named on the command line: show it.
  const open = byId("start").querySelectorAll(".opened li > a");
  if (open.length === 1) location.replace(open[0].href);
}

begin();
