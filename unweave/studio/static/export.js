// Export of the table: as a file, to the clipboard, as a wrapper, as code.

import * as api from "./api.js";
import { button, byId, count, make } from "./dom.js";
import { openMenu } from "./menu.js";
import { attempt, announce } from "./messages.js";
import { busy } from "./open.js";
import { buildRequest } from "./columns.js";

export const FORMATS = [
  ["csv", "CSV", "any program"],
  ["xlsx", "Excel", ".xlsx"],
  ["parquet", "Parquet", "pandas, DuckDB"],
  ["jsonl", "JSON Lines", "one row a line"],
];

let asValues = false;

/** Wires the buttons; `current` gives the page's id, the entry of the table and the table as it is shown. */
export function startExports(current) {
  const place = byId("table-messages");
  const take = (action) => attempt(place, () => busy(action(current())));
  byId("export").addEventListener("click", (event) => openExports(event.currentTarget, (format) => take((now) => exportAs(now, format))));
  byId("copy").addEventListener("click", () => take(copy));
  byId("wrapper").addEventListener("click", () => take(saveWrapper));
  byId("code").addEventListener("click", () => take(showCode));
}

function openExports(anchor, choose) {
  openMenu(anchor, "Export", [
    { heading: "Export as" },
    ...FORMATS.map(([format, text, hint]) => ({ text, hint, icon: "export", onclick: () => choose(format) })),
    { heading: "Cells of CSV and JSON Lines" },
    { text: "Numbers and dates as values", hint: "always in Excel and Parquet", kind: "check", isOn: asValues, keepsOpen: true, onclick: (isOn) => (asValues = isOn) },
  ]);
}

async function exportAs({ id, entry }, format) {
  save(await api.exported(id, entry.choice, buildRequest(entry), format, asValues));
}

/** Saves a wrapper, and says how many rows it finds: it is learned from similar records and may miss others. */
async function saveWrapper({ id, entry }) {
  const wrapper = await api.wrapper(id, entry.choice, buildRequest(entry));
  save(wrapper);
  announce(`The wrapper finds ${wrapper.finds} rows on this page.`);
}

/** Lets the browser download a file. */
export function save({ name, content }) {
  const address = URL.createObjectURL(content);
  const link = make("a", { href: address, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  announce(`Saved ${name}`);
}

/** A page's text must not become a formula in somebody's spreadsheet. Telephone numbers and the like are none. */
const harmless = (text) => (/^(=|@|[+\-][^\d\s(]|[+\-].*[|!])/.test(text) ? `'${text}` : text);

const cellText = (cell) => harmless((cell ?? "").replace(/\s+/g, " ").trim());

async function copy({ view }) {
  const lines = [view.columns.map((column) => column.name), ...view.rows].map((row) => row.map(cellText));
  const plain = lines.map((line) => line.join("\t")).join("\n");
  const rows = lines.map((line, index) => make("tr", {}, ...line.map((text) => make(index ? "td" : "th", {}, text))));
  const table = make("table");
  for (const row of rows) table.append(row);
  const html = table.outerHTML;
  const blob = (text, type) => new Blob([text], { type });
  const both = { "text/plain": blob(plain, "text/plain"), "text/html": blob(html, "text/html") };
  try {
    await navigator.clipboard.write([new ClipboardItem(both)]);
  } catch {
    throw new Error("The browser did not let the table onto the clipboard. Export it as CSV instead.");
  }
  announce(`Copied ${count(view.rows.length, "row")}`);
}

async function showCode({ id, entry }) {
  const { python, command } = await api.code(id, entry.choice, buildRequest(entry), asValues);
  byId("code-parts").replaceChildren(block("Python", python), block("Command line", command));
  byId("code-dialog").showModal();
}

function block(title, text) {
  const copyText = async (event) => {
    const { currentTarget } = event;
    const isDone = await attempt(byId("code-parts"), () => navigator.clipboard.writeText(text));
    if (!isDone) return;
    currentTarget.querySelector("span").textContent = "Copied";
    currentTarget.setAttribute("aria-label", `Copied the ${title}`);
  };
  const head = make("div", { class: "block-head" }, make("h3", {}, title), button({ icon: "copy", text: "Copy", "aria-label": `Copy the ${title}`, class: "quiet", onclick: copyText }));
  return make("section", { class: "block", "aria-label": title }, head, make("pre", { tabindex: "0" }, make("code", {}, text)));
}
