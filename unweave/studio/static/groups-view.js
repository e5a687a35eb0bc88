// The templates of a set as cards, each with a thumbnail of one of its pages.

import { button, count, icon, make } from "./dom.js";
import { attempt } from "./messages.js";
import { closeSet } from "./sets-api.js";
import { KINDS, fitBar, percent, makeSetHash } from "./set-format.js";
import { Thumbnails } from "./thumbnail.js";

/** Draws the groups of a set. Returns a function that closes the thumbnails. */
export function drawGroups(container, set) {
  const thumbnails = new Thumbnails();
  const cards = set.groups.map((group) => card(set, group, thumbnails));
  const head = make("div", { class: "set-head" }, make("h2", {}, set.name), make("p", { class: "soft" }, summary(set)), closer(container, set));
  const list = make("ul", { class: "cards", "aria-label": "Templates" }, ...cards);
  container.replaceChildren(make("div", { class: "groups" }, head, set.state === "failed" ? failure(set) : list, leftOut(set.left_out)));
  return () => thumbnails.close();
}

function summary({ pages, groups }) {
  return groups.length ? `${count(pages, "page")} of ${count(groups.length, "template")}. Choose one to see its wrapper.` : "";
}

function closer(container, set) {
  const shut = async () => {
    if (await attempt(container, () => closeSet(set.id))) location.hash = "#/";
  };
  return button({ icon: "close", text: "Close", label: `Close ${set.name}`, class: "quiet", title: "Close the set and its pages", onclick: shut });
}

function failure({ error }) {
  return make("div", { class: "notice is-error", role: "alert" }, icon("alert"), make("p", {}, error ? `The set could not be read: ${error}.` : "The set could not be read."));
}

function card(set, group, thumbnails) {
  const picture = make("div", { class: "thumbnail" });
  if (group.examples.length) thumbnails.add(picture, group.examples[0]);
  const facts = make("p", { class: "facts" }, `${KINDS[group.kind]} · ${count(group.pages, "page")}`);
  const title = make("h3", {}, group.name);
  return make("li", {}, make("a", { class: "card", href: makeSetHash(set.id, group.number) }, picture, make("div", { class: "card-text" }, title, facts, fitLine(group))));
}

function fitLine({ method, fit, unfit }) {
  if (!method) return make("p", { class: "fit-line soft" }, "No wrapper could be learned");
  const words = unfit ? make("span", { class: "unfit" }, `${count(unfit, "page does", "pages do")} not fit`) : make("span", { class: "soft" }, "all fit");
  return make("p", { class: "fit-line" }, fitBar(fit), make("span", { class: "figure" }, make("span", { class: "unseen" }, "Fit "), percent(fit)), words);
}

/** Lists what was skipped by reason. */
function leftOut(all) {
  if (!all.length) return null;
  const reasons = Map.groupBy(all, ({ reason }) => reason);
  const items = [...reasons].map(([reason, some]) => make("li", {}, make("strong", {}, reason), make("ul", {}, ...some.filter(({ name }) => name).map(({ name }) => make("li", {}, name)))));
  return make("details", { class: "left-out" }, make("summary", {}, `${count(all.length, "file or page was", "files or pages were")} skipped`), make("ul", {}, ...items));
}
