// What tests do and ask inside the studio's window.
({
  /** Drops files onto an element, as a user does. */
  drop([selector, files]) {
    const dataTransfer = new DataTransfer();
    const kind = (name) => (name.endsWith(".json") ? "application/json" : "text/html");
    for (const [name, text] of files) dataTransfer.items.add(new File([text], name, { type: kind(name) }));
    for (const kind of ["dragenter", "dragover", "drop"]) {
      document.querySelector(selector).dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
    }
  },

  /** Pastes, wherever the focus is. */
  paste([kind, text]) {
    const clipboardData = new DataTransfer();
    clipboardData.setData(kind, text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  },

  /** Keeps what is pasted from now on in window.pasted. */
  watchPasting() {
    const kinds = ["text/plain", "text/html"];
    addEventListener("paste", (event) => (window.pasted = kinds.map((kind) => event.clipboardData.getData(kind))), true);
  },

  /** What can be used and has no name that could be read aloud; a text that is not shown names nothing. */
  nameless() {
    const used = "button, a, input, textarea, select, iframe, [role=tab], [role=separator], [role=grid], [role=treeitem], [role=option]";
    const isNamed = (one) => one.getAttribute("aria-label") || (one.checkVisibility() ? one.innerText : one.textContent).trim() || one.title || one.labels?.length;
    return [...document.querySelectorAll(used)].filter((one) => !isNamed(one)).map((one) => one.outerHTML.slice(0, 80));
  },

  /** Controls in sight whose given name lacks the text that is seen on them: who says what they see cannot choose them. Gives
      how many were looked at, and those that are wrong. Without a given name, the text is the name. */
  mislabelled() {
    const widgets = "button, a[href], summary, [role=tab], [role=treeitem], [role=option], [role^=menuitem], [role=radio], [role=checkbox], [role=switch]";
    const all = [...document.querySelectorAll(widgets)].filter((control) => control.checkVisibility());
    const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, " ").trim();
    const seenText = (control) => {
      const texts = document.createTreeWalker(control, NodeFilter.SHOW_TEXT);
      let text = "";
      while (texts.nextNode()) if (texts.currentNode.parentElement.checkVisibility()) text += texts.currentNode.data;
      return text;
    };
    const nameOf = (control) => {
      const ids = (control.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean);
      return ids.length ? ids.map((id) => document.getElementById(id)?.textContent).join(" ") : control.getAttribute("aria-label");
    };
    const isWrong = (control) => nameOf(control) && !plain(nameOf(control)).includes(plain(seenText(control)));
    return { count: all.length, wrong: all.filter(isWrong).map((control) => `${nameOf(control)} | ${seenText(control)}`) };
  },

  /** Ids that stand twice, and ids that are named and stand nowhere. */
  wrongIds() {
    const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
    const named = [...document.querySelectorAll("[aria-controls]")].map((one) => one.getAttribute("aria-controls"));
    return [...ids.filter((id, at) => ids.indexOf(id) !== at), ...named.filter((id) => !ids.includes(id))];
  },

  /** Texts whose contrast with what is below them is less than 4.5. */
  paleTexts() {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgba = (colour) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    const lightness = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    const ground = (element) => {
      const own = rgba(getComputedStyle(element).backgroundColor);
      return own[3] > 250 || !element.parentElement ? own : ground(element.parentElement);
    };
    const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const isRead = (element) => element.checkVisibility() && hasText(element) && !element.closest(":disabled");
    const contrast = (element) => {
      const both = [getComputedStyle(element).color, null].map((own) => lightness(own ? rgba(own) : ground(element)));
      return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    };
    const pale = [...document.querySelectorAll("body *")].filter((element) => isRead(element) && contrast(element) < 4.5);
    return pale.map((element) => `${element.className}: ${element.textContent.slice(0, 30)}`);
  },

  /** Says of the controls of all toolbars in sight how many there are and which are cut off: outside the window, outside
      a box that cuts off what leaves it, or below something else. */
  toolbarControls() {
    const bars = ".bar, .tools, .pick-bar, .group-head, .marks-bar, .tabs, .wrapper-head, .fits-head";
    const all = [...document.querySelectorAll(bars)].flatMap((bar) => [...bar.querySelectorAll("button, a, label:has(input)")]);
    const seen = all.filter((control) => control.checkVisibility() && !control.querySelector("input:disabled"));
    const isInside = (inner, outer) => inner.left >= outer.left - 0.5 && inner.right <= outer.right + 0.5 && inner.top >= outer.top - 0.5 && inner.bottom <= outer.bottom + 0.5;
    const isWhole = (control) => {
      const box = control.getBoundingClientRect();
      if (!isInside(box, { left: 0, top: 0, right: innerWidth, bottom: innerHeight })) return false;
      for (let outer = control.parentElement; outer && outer !== document.body; outer = outer.parentElement) {
        if (getComputedStyle(outer).overflowX !== "visible" && !isInside(box, outer.getBoundingClientRect())) return false;
      }
      const points = [[box.left + 3, box.top + 3], [box.right - 3, box.bottom - 3]];
      return points.every(([x, y]) => control.contains(document.elementFromPoint(x, y)));
    };
    const nameOf = (control) => control.id || control.textContent.trim() || control.getAttribute("aria-label");
    return { count: seen.length, cut: seen.filter((control) => !isWhole(control)).map(nameOf) };
  },

  /** Where the document is scrolled to, whether there is anything to scroll to, and where the window's corners are. */
  frameOfWindow() {
    const root = document.documentElement;
    const offsets = [root.scrollLeft, root.scrollTop, document.body.scrollLeft, document.body.scrollTop];
    const bar = document.querySelector("header.bar").getBoundingClientRect();
    const footer = document.querySelector("footer.status").getBoundingClientRect();
    return { offsets, size: [root.scrollWidth, root.scrollHeight], bar: [bar.left, bar.top], end: [footer.right, footer.bottom] };
  },

  /** How far a cell of the table stands out of the part of its pane that headers and row numbers leave: 0 if not at all. */
  hiddenPart(id) {
    const cell = document.getElementById(id);
    if (!cell) return Infinity;
    const scroller = cell.closest(".scroller");
    const [pane, corner, box] = [scroller, scroller.querySelector("thead th"), cell].map((one) => one.getBoundingClientRect());
    const sides = { left: corner.right, top: corner.bottom, right: pane.left + scroller.clientWidth, bottom: pane.top + scroller.clientHeight };
    const isHead = cell.closest("thead") !== null;
    const isNumber = cell.classList.contains("number");
    const across = isNumber ? 0 : Math.max(sides.left - box.left, box.right - sides.right, 0);
    const down = isHead ? 0 : Math.max(sides.top - box.top, box.bottom - sides.bottom, 0);
    return Math.round(Math.max(across, down));
  },
});
