// Menus: a list of buttons beside what opened it, walked with the arrow keys, closed by Escape or a click elsewhere.

import { icon, make } from "./dom.js";

const ROLES = { radio: "menuitemradio", check: "menuitemcheckbox" };
const STEPS = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 };

/**
 * Opens a menu. An item is {text, icon?, hint?, kind?: "radio"|"check", isOn?, isOff?, keepsOpen?, onclick}, or {heading},
 * which begins a group; `isWide` groups stand in two columns.
 */
export function openMenu(anchor, label, items) {
  const menu = make("div", { class: "menu", role: "menu", "aria-label": label, popover: "auto" });
  let group = menu;
  for (const item of items) {
    if (item.heading) group = menu.appendChild(groupOf(item));
    else group.append(itemOf(item, menu));
  }
  menu.addEventListener("keydown", (event) => walk(menu, event));
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return;
    menu.remove();
    if (anchor.hasAttribute("aria-expanded")) anchor.setAttribute("aria-expanded", "false");
  });
  (anchor.closest("main") ?? document.body).append(menu);
  menu.showPopover();
  place(menu, anchor.getBoundingClientRect());
  if (anchor.hasAttribute("aria-expanded")) anchor.setAttribute("aria-expanded", "true");
  const all = itemsOf(menu);
  (all.find((item) => item.getAttribute("aria-checked") === "true" && item.dataset.first) || all[0])?.focus();
  return menu;
}

function groupOf({ heading, isWide }) {
  const group = make("div", { role: "group", "aria-label": heading, class: isWide ? "is-wide" : "" });
  group.append(make("div", { class: "heading", "aria-hidden": "true" }, heading));
  return group;
}

function itemOf(item, menu) {
  const attributes = { type: "button", role: ROLES[item.kind] || "menuitem", tabindex: "-1", disabled: item.isOff };
  if (item.kind) attributes["aria-checked"] = String(Boolean(item.isOn));
  const mark = item.kind ? icon("check") : item.icon ? icon(item.icon) : null;
  const dot = item.colour === undefined ? null : make("span", { class: "dot", "data-colour": item.colour });
  const hint = item.hint ? make("span", { class: "hint" }, item.hint) : null;
  const made = make("button", attributes, mark, dot, make("span", { class: "text" }, item.text), hint);
  made.addEventListener("click", () => {
    if (!item.keepsOpen) menu.hidePopover();
    const isOn = made.getAttribute("aria-checked") !== "true";
    const isTaken = item.onclick(isOn) !== false;
    if (item.keepsOpen && isTaken) made.setAttribute("aria-checked", String(isOn));
  });
  return made;
}

const itemsOf = (menu) => [...menu.querySelectorAll("button:not(:disabled)")];

function walk(menu, event) {
  const all = itemsOf(menu);
  const index = all.indexOf(document.activeElement);
  const letter = event.key.length === 1 && !event.ctrlKey && event.key !== " ";
  let next;
  if (event.key in STEPS) next = all[(index + STEPS[event.key] + all.length) % all.length];
  else if (event.key === "Home") next = all[0];
  else if (event.key === "End") next = all.at(-1);
  else if (letter) next = [...all.slice(index + 1), ...all].find((item) => item.textContent.trim().toLowerCase().startsWith(event.key.toLowerCase()));
  else if (event.key === "Tab") menu.hidePopover();
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
}

/** Below what opened it, or above where there is no room. */
function place(menu, beside) {
  const { width, height } = menu.getBoundingClientRect();
  const isBelow = beside.bottom + height + 8 <= innerHeight || beside.top < height;
  menu.style.left = `${Math.max(8, Math.min(beside.left, innerWidth - width - 8))}px`;
  menu.style.top = `${isBelow ? Math.min(beside.bottom + 4, Math.max(8, innerHeight - height - 8)) : beside.top - height - 4}px`;
}
