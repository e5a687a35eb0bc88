// Export of the rows of all pages of a group as a file.

import { button } from "./dom.js";
import { FORMATS, save } from "./export.js";
import { openMenu } from "./menu.js";
import { attempt } from "./messages.js";
import { busy } from "./open.js";

/** A button with the formats below it; `fetchFile` gets the file of a format. */
export function exportButton(container, fetchFile) {
  const take = (format) => attempt(container, async () => save(await busy(fetchFile(format))));
  const items = FORMATS.map(([format, text, hint]) => ({ text, hint, icon: "export", onclick: () => take(format) }));
  const open = (event) => openMenu(event.currentTarget, "Export all pages", [{ heading: "Rows of all pages as" }, ...items]);
  return button({ icon: "export", text: "Export all pages", class: "small", "aria-haspopup": "menu", onclick: open });
}
