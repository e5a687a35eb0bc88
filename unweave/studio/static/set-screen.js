// The screen of many pages: while they are worked on, as groups, or one group.
//
//   #/set/ID      the groups          #/set/ID/NUMBER      a group          #/set/ID/NUMBER/PAGE      a page of it

import { byId, count, make } from "./dom.js";
import { drawGroups } from "./groups-view.js";
import { GroupView } from "./group-view.js";
import { attempt } from "./notice.js";
import { setOf } from "./sets-api.js";
import { whenDone } from "./set-progress.js";

let leaving = new AbortController();
let shut = () => {}; // what ends the view that is shown

/** Puts away what is shown: nothing asks and nothing runs any more. */
export function leaveSet() {
  leaving.abort();
  shut();
  shut = () => {};
  byId("set").replaceChildren();
}

/** Shows on the screen what a path names: a set, or one of its groups. */
export async function showSet(screen, path) {
  leaveSet();
  leaving = new AbortController();
  const { signal } = leaving;
  const [id, number, page] = path.split("/").map(decodeURIComponent);
  const notes = make("div", { id: "set-notes", class: "notes" });
  const place = make("div", { class: "set-place" });
  screen.replaceChildren(notes, place);
  await attempt(notes, async () => {
    const first = await setOf(id, { signal });
    name(first.name);
    const set = await whenDone(id, place, signal);
    if (signal.aborted) return;
    if (number === undefined) showGroups(place, set);
    else await showGroup(place, notes, set, Number(number), page);
  });
}

function name(...parts) {
  byId("where").textContent = parts.join(" › ");
  byId("where").title = parts.join(" › ");
  document.title = `${parts.at(-1)} – unweave studio`;
}

function showGroups(place, set) {
  shut = drawGroups(place, set);
  byId("status").textContent = set.state === "failed" ? "The set could not be read" : `${count(set.pages, "page")}, ${count(set.groups.length, "template")}`;
}

async function showGroup(place, notes, set, number, page) {
  const group = set.groups[number];
  if (!group) throw new Error("There is no such group of pages.");
  name(set.name, group.name);
  const view = new GroupView(place, notes, set, group);
  shut = () => view.close();
  await view.open(page);
}
