// On a narrow screen there is room for one side only: the page or the table, by tabs.

import { byId } from "./dom.js";

const SIDES = ["page", "table"];

export function showSide(side) {
  byId("panes").dataset.side = side;
  for (const candidate of SIDES) {
    const tab = byId(`side-${candidate}`);
    tab.setAttribute("aria-selected", String(candidate === side));
    tab.tabIndex = candidate === side ? 0 : -1;
  }
}

export function startSides() {
  for (const side of SIDES) {
    byId(`side-${side}`).addEventListener("click", () => showSide(side));
    byId(`side-${side}`).addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const otherSide = SIDES.find((candidate) => candidate !== side);
      showSide(otherSide);
      byId(`side-${otherSide}`).focus();
    });
  }
}
