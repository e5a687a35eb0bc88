// The screen of many pages: while they are worked on, as groups, or one group.
//
//   #/set/ID      the groups          #/set/ID/NUMBER      a group          #/set/ID/NUMBER/PAGE      a page of it

import { byId, count, make } from "./dom.js";
import { drawGroups } from "./groups-view.js";
import { GroupView } from "./group-view.js";
import { attempt } from "./messages.js";
import { getSet } from "./sets-api.js";
import { waitForSet } from "./set-progress.js";

let controller = new AbortController();
let closeView = () => {}; // closes the view that is shown

/** Closes the view and aborts its requests. */
export function leaveSet() {
  controller.abort();
  closeView();
  closeView = () => {};
  byId("set").replaceChildren();
}

/** Shows on the screen what a path names: a set, or one of its groups. */
export async function showSet(screen, path) {
  leaveSet();
  controller = new AbortController();
  const { signal } = controller;
  const [id, number, page] = path.split("/").map(decodeURIComponent);
  const notes = make("div", { id: "set-notes", class: "notes" });
  const container = make("div", { class: "set-container" });
  screen.replaceChildren(notes, container);
  await attempt(notes, async () => {
    const first = await getSet(id, { signal });
    name(first.name);
    const set = await waitForSet(id, container, signal);
    if (signal.aborted) return;
    if (number === undefined) showGroups(container, set);
    else await showGroup(container, notes, set, Number(number), page);
  });
}

function name(...parts) {
  byId("where").textContent = parts.join(" › ");
  byId("where").title = parts.join(" › ");
  document.title = `${parts.at(-1)} – unweave studio`;
}

function showGroups(container, set) {
  closeView = drawGroups(container, set);
  byId("status").textContent = set.state === "failed" ? "The set could not be read" : `${count(set.pages, "page")}, ${count(set.groups.length, "template")}`;
}

async function showGroup(container, notes, set, number, page) {
  const group = set.groups[number];
  if (!group) throw new Error("There is no such group of pages.");
  name(set.name, group.name);
  const view = new GroupView(container, notes, set, group);
  closeView = () => view.close();
  await view.open(page);
}
