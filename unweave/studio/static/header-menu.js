// The menu of a column's header, and the list of all columns.

import { TYPES, findNameError, hidden, isSplit, linkKey, renamed, retyped, getShown, withLinks } from "./columns.js";
import { openMenu } from "./menu.js";
import { showError } from "./messages.js";
import { byId } from "./dom.js";

/** The menu of one column. `edits` takes the change; renaming happens in the header itself. */
export function openColumnMenu(anchor, column, edits, rename) {
  const picks = edits.now;
  const { key, name, type, hasLinks, isLink } = picks.find((pick) => pick.key === column.key);
  const hide = { text: "Hide", icon: "hide", isOff: getShown(picks).length < 2, onclick: () => edits.do(hidden(picks, key, true), `hid ${name}`) };
  const split = { text: "Split out links", icon: "link", onclick: () => edits.do(withLinks(picks, key), `split out the links of ${name}`) };
  const join = { text: "Remove the links", icon: "link", onclick: () => edits.do(hidden(picks, linkKey(key), true), `removed the links of ${name}`) };
  const types = Object.entries(TYPES).map(([value, text]) => ({
    text,
    kind: "radio",
    isOn: value === type,
    onclick: () => value !== type && edits.do(retyped(picks, key, value), `read ${name} as ${text.toLowerCase()}`),
  }));
  openMenu(anchor, `Column ${name}`, [
    { text: "Rename", icon: "rename", hint: "F2", onclick: rename },
    hide,
    ...(hasLinks ? [isSplit(picks, key) ? join : split] : []),
    ...(isLink ? [] : [{ heading: "Type", isWide: true }, ...types]),
  ]);
}

export function renameColumn(edits, key, name) {
  const fault = findNameError(edits.now, key, name);
  if (fault) return showError(byId("table-messages"), fault);
  const before = edits.now.find((pick) => pick.key === key).name;
  edits.do(renamed(edits.now, key, name), `renamed ${before} to ${name}`);
}

/** All columns with boxes to tick, also those that are hidden. */
export function openColumnList(anchor, edits) {
  const toggle = (key) => (isOn) => {
    if (!isOn && getShown(edits.now).length < 2) return false; // one has to stay
    const { name } = edits.now.find((pick) => pick.key === key);
    edits.do(hidden(edits.now, key, !isOn), `${isOn ? "showed" : "hid"} ${name}`);
    return true;
  };
  const items = edits.now.map(({ key, name, type, colour, isHidden }) => ({
    text: name,
    hint: TYPES[type] || type,
    colour,
    kind: "check",
    isOn: !isHidden,
    keepsOpen: true,
    onclick: toggle(key),
  }));
  openMenu(anchor, "Columns", [{ heading: "Columns shown" }, ...items]);
}
