// The only script in the frame that shows an untrusted page. It creates the page from a drawing (no markup is parsed here),
// outlines records and cells, and sends the studio's window a message about what is under the pointer.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const MATH = "http://www.w3.org/1998/Math/MathML";
  const MAX_LINES = 20;
  const MAX_OUTLINES = 500; // records; more are visible at a time only if they overlap
  const MARGIN = "600px"; // records within this distance of the visible part are outlined
  const FOCUSABLE = /^(a|area|button|input|select|textarea|summary|audio|video)$/;
  const FORM_CONTROLS = /^(button|fieldset|input|object|output|select|textarea)$/;
  const CONTROL = "button, input, select, textarea, option, label, summary";
  const FORBIDDEN_ATTRIBUTES = /^(on.*|srcdoc|action|formaction|ping|target|http-equiv|autofocus|download|autoplay)$/i;

  const send = (kind, fields) => parent.postMessage({ unweave: kind, ...fields }, "*");

  // ---- Making the page ----------------------------------------------------------------------------------------------

  let elements = []; // by their number in unweave's tree
  let numbers = new Map(); // the other way round
  let texts = []; // text nodes by the number of their chunk

  function make(name) {
    const colon = name.indexOf(":");
    const space = { svg: SVG, math: MATH }[name.slice(0, Math.max(colon, 0))];
    try {
      return space ? document.createElementNS(space, name.slice(colon + 1)) : document.createElement(name);
    } catch {
      return document.createElement("span"); // a name that no parser but HTML's takes
    }
  }

  function setAttributes(element, attributes) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (FORBIDDEN_ATTRIBUTES.test(name)) continue;
      const isLink = name === "href" || name === "xlink:href";
      try {
        // Links look like links but have no target, whatever the drawing contains.
        element.setAttribute(name, isLink && !value.startsWith("#") ? "about:invalid" : value);
      } catch {
        // A name that cannot be set has no effect on the look.
      }
    }
    // Without a form of their own, controls do not hide a form's properties by their ids.
    if (FORM_CONTROLS.test(element.localName)) element.setAttribute("form", "");
    // The page is one stop for the Tab key, and not one for each of its links.
    if (FOCUSABLE.test(element.localName) || element.hasAttribute("tabindex")) element.setAttribute("tabindex", "-1");
    if (element.localName === "img" && !element.getAttribute("src")) addPlaceholder(element);
  }

  /** Gives an image that is not loaded a grey box. Its caption is added when it comes near the visible part: a page may
      have hundreds, and a browser takes milliseconds for each. */
  function addPlaceholder(image) {
    const readSize = (name) => Math.min(parseInt(image.getAttribute(name), 10) || 0, 4000);
    const alt = (image.getAttribute("alt") || "").trim();
    const width = readSize("width") || (readSize("height") * 4) / 3 || (alt ? 120 : 32);
    const height = readSize("height") || (width * 3) / 4;
    image.setAttribute("src", makePlaceholder(width, height, ""));
    if (alt) captions.set(image, () => image.setAttribute("src", makePlaceholder(width, height, alt)));
  }

  const captions = new Map(); // images that are not loaded -> functions that add their captions
  const nearby = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        nearby.unobserve(target);
        captions.get(target)?.();
        captions.delete(target);
      }
    },
    { root: document, rootMargin: MARGIN },
  );

  function makePlaceholder(width, height, alt) {
    const fits = Math.floor((width - 12) / 6);
    const shown = alt.length > fits ? alt.slice(0, Math.max(fits - 1, 0)) + "…" : alt;
    const escaped = shown.replace(/[^\p{L}\p{N} ]/gu, (sign) => `&#${sign.codePointAt(0)};`);
    const caption = fits < 3 || height < 16 ? "" : `<text x="50%" y="50%" dy=".35em" text-anchor="middle" font-family="sans-serif" font-size="11" fill="#666">${escaped}</text>`;
    const box = `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="3" fill="#88888820" stroke="#88888855"/>`;
    return "data:image/svg+xml," + encodeURIComponent(`<svg xmlns="${SVG}" width="${width}" height="${height}">${box}${caption}</svg>`);
  }

  // A control may be named "append", which would hide the method of its form.
  const appendChild = Function.prototype.call.bind(Node.prototype.appendChild);

  function build(drawing) {
    elements = [];
    numbers = new Map();
    texts = [];
    captions.clear();
    nearby.disconnect();
    const made = [];
    for (const node of drawing.nodes) {
      const isText = typeof node[1] === "string";
      const current = isText ? document.createTextNode(node[1]) : make(drawing.names[node[1]]);
      if (!isText) setAttributes(current, node[3]);
      const number = isText ? -1 : node[2];
      if (number >= 0) {
        elements[number] = current;
        numbers.set(current, number);
      }
      if (isText && node.length > 2) texts[node[2]] = current;
      if (node[0] >= 0) appendChild(made[node[0]], current);
      made.push(current);
    }
    return made[0];
  }

  function draw(drawing) {
    const start = performance.now();
    const html = build(drawing);
    reset();
    // One change of the document for the whole page, so that it is laid out once.
    if (html) document.replaceChild(html, document.documentElement);
    document.documentElement.append(host);
    for (const image of captions.keys()) nearby.observe(image);
    sizes.disconnect();
    sizes.observe(document.documentElement);
    if (document.body) sizes.observe(document.body);
    requestAnimationFrame(() => send("drawn", { ms: performance.now() - start, isHidden: isHidden() }));
  }

  const MIN_HIDDEN_CHARACTERS = 60; // below, nothing can be concluded
  const MAX_CHECKED_TEXTS = 2000;

  /** Tells whether nearly all text of the page is invisible, as on pages that a script shows once they are loaded. */
  function isHidden() {
    if (!innerWidth || !document.body) return false; // the frame itself is not visible
    let [all, seen] = [0, 0];
    for (const text of texts.slice(0, MAX_CHECKED_TEXTS)) {
      if (!text || !document.body.contains(text)) continue;
      const length = text.data.trim().length;
      all += length;
      if (text.parentElement.checkVisibility({ opacityProperty: true, visibilityProperty: true })) seen += length;
    }
    return all >= MIN_HIDDEN_CHARACTERS && seen < all / 20;
  }

  // ---- Boxes over the page ------------------------------------------------------------------------------------------

  // In a shadow root, so that the page's styles do not reach the boxes; marked important, so that they do not reach the host.
  const host = document.createElement("div");
  const hostStyles = { all: "initial", position: "absolute", top: "0", left: "0", width: "0", height: "0", "z-index": "2147483647", "pointer-events": "none" };
  for (const [name, value] of Object.entries(hostStyles)) host.style.setProperty(name, value, "important");
  const shadow = host.attachShadow({ mode: "open" });
  const overlayStyles = new CSSStyleSheet();
  overlayStyles.replaceSync(`
    div { position: absolute; box-sizing: border-box; pointer-events: none; }
    .record { border: 1px solid #5b6ee180; border-radius: 4px; }
    .record::after { content: attr(data-number); position: absolute; top: -1px; right: 100%; min-width: 15px; padding: 0 3px; box-sizing: border-box;
      font: 600 10px/15px system-ui, sans-serif; text-align: center; color: #fff; background: #4c5fd5; border-radius: 4px 0 0 4px; }
    .record.inner::after { right: auto; left: -1px; top: auto; bottom: 100%; border-radius: 4px 4px 0 0; }
    .cell { border-radius: 3px; background: color-mix(in srgb, var(--colour) 16%, transparent); box-shadow: 0 0 0 1px color-mix(in srgb, var(--colour) 55%, transparent); }
    .record.shown { border: 2px solid #4c5fd5; background: #4c5fd50d; }
    .cell.shown { background: color-mix(in srgb, var(--colour) 28%, transparent); box-shadow: 0 0 0 2px var(--colour), 0 0 0 5px color-mix(in srgb, var(--colour) 30%, transparent); }
    .aimed { border: 2px dashed #c2185b; border-radius: 4px; background: #c2185b14; }
    .taken { border: 2px solid #c2185b; border-radius: 4px; background: #c2185b22; }
    .visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    .picking { opacity: .3; }`);
  shadow.adoptedStyleSheets = [overlayStyles];
  const layer = () => shadow.appendChild(document.createElement("div"));
  const [outlines, spotlight, aims, liveRegion] = [layer(), layer(), layer(), layer()];
  liveRegion.className = "visually-hidden";
  liveRegion.setAttribute("aria-live", "polite");

  const clickable = new CSSStyleSheet();
  clickable.replaceSync("html, html * { cursor: crosshair !important; }");

  /** Returns the rectangle of the text or image of an element, without the empty space beside it. */
  function getContentRect(element) {
    const outer = element.getBoundingClientRect();
    if (!element.firstChild) return outer;
    const range = document.createRange();
    range.selectNodeContents(element);
    const inner = range.getBoundingClientRect();
    if (!inner.width || !inner.height) return outer;
    if (!outer.width || !outer.height || getComputedStyle(element).overflow === "visible") return inner;
    return intersect(outer, inner);
  }

  function intersect(first, second) {
    const [left, top] = [Math.max(first.left, second.left), Math.max(first.top, second.top)];
    const [right, bottom] = [Math.min(first.right, second.right), Math.min(first.bottom, second.bottom)];
    return right > left && bottom > top ? new DOMRect(left, top, right - left, bottom - top) : first;
  }

  function getBoundingRect(rects) {
    const left = Math.min(...rects.map((rect) => rect.left));
    const top = Math.min(...rects.map((rect) => rect.top));
    return new DOMRect(left, top, Math.max(...rects.map((rect) => rect.right)) - left, Math.max(...rects.map((rect) => rect.bottom)) - top);
  }

  const isVisible = (rect) => rect.width > 2 && rect.height > 2;

  /** Returns one rectangle for adjacent roots, one each for others. */
  function recordRects(row) {
    const roots = table.records[row];
    const areAdjacent = roots.every((root, index) => !index || roots[index - 1].nextElementSibling === root);
    const rects = roots.map((root) => (root.getClientRects().length ? root.getBoundingClientRect() : getContentRect(root))).filter(isVisible);
    return areAdjacent && rects.length > 1 ? [getBoundingRect(rects)] : rects;
  }

  const cellRects = (row, column) => (table.cells[row]?.[column] || []).flatMap(getLineRects).filter(isVisible);

  /** Returns a rectangle for each line of an element: one around all would contain other text, too. */
  function getLineRects(element) {
    const lines = [...element.getClientRects()];
    const isBroken = lines.length > 1 && lines.length <= MAX_LINES && getComputedStyle(element).display === "inline";
    return isBroken ? lines : [getContentRect(element)];
  }

  function box(kind, rect, origin, colour) {
    const made = document.createElement("div");
    made.className = kind;
    made.style.cssText = `left:${rect.left - origin.left}px;top:${rect.top - origin.top}px;width:${rect.width}px;height:${rect.height}px`;
    if (colour) made.style.setProperty("--colour", colour);
    return made;
  }

  /** Puts boxes into a layer, unless it has the same ones: images that load cause many repaints. */
  function fill(layer, boxes) {
    const isSame = boxes.length === layer.children.length && boxes.every((current, index) => current.isEqualNode(layer.children[index]));
    if (!isSame) layer.replaceChildren(...boxes);
  }

  /** Returns the box of a record. Its number is left of it, where it hides nothing; above it at the edge of the page. */
  function outline(kind, row, rect, origin) {
    const made = box(rect.left - origin.left < 24 ? `${kind} inner` : kind, rect, origin);
    made.dataset.number = row + 1;
    return made;
  }

  // ---- The table over the page --------------------------------------------------------------------------------------

  const NO_TABLE = { colours: [], quiet: [], records: [], cells: [] };
  let table = NO_TABLE;
  let cellsByElement = new Map(); // element -> {row, column} of the cell, or of the record with column null
  let nearRows = new Set(); // rows whose records are near the visible part
  let rows = new Map(); // watched element -> row
  let shown = { row: null, column: null };

  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) nearRows[isIntersecting ? "add" : "delete"](rows.get(target));
      paintSoon();
    },
    { root: document, rootMargin: MARGIN },
  );
  const sizes = new ResizeObserver(() => paintSoon());

  const getElements = (numbers) => numbers.map((number) => elements[number]).filter(Boolean);

  function overlay(message) {
    reset();
    table = {
      colours: message.columns,
      quiet: message.quiet || [],
      records: message.records.map(getElements),
      cells: message.cells.map((row) => row.map(getElements)),
    };
    table.records.forEach((roots, row) => roots.forEach((root) => cellsByElement.set(root, { row, column: null })));
    table.cells.forEach((cells, row) => cells.forEach((nodes, column) => nodes.forEach((node) => addCell(node, row, column))));
    table.records.forEach((roots, row) => roots.slice(0, 40).forEach((root) => watch(root, row)));
    paintSoon();
  }

  /** A URL often has the same element as the text of its link, which then gets the pointer. */
  function addCell(node, row, column) {
    const known = cellsByElement.get(node);
    if (!known || known.column === null || table.quiet[known.column]) cellsByElement.set(node, { row, column });
  }

  function watch(root, row) {
    const drawn = root.getClientRects().length ? root : [...root.querySelectorAll("*")].slice(0, 50).find((inner) => inner.getClientRects().length);
    if (!drawn) return;
    rows.set(drawn, row);
    watcher.observe(drawn);
  }

  function reset() {
    watcher.disconnect();
    table = NO_TABLE;
    cellsByElement = new Map();
    rows = new Map();
    nearRows = new Set();
    shown = { row: null, column: null };
    [outlines, spotlight, aims].forEach((current) => current.replaceChildren());
  }

  let isPainting = 0;
  const paintSoon = () => (isPainting ||= requestAnimationFrame(paint));

  function paint() {
    isPainting = 0;
    const origin = host.getBoundingClientRect();
    const boxes = [];
    for (const row of [...nearRows].slice(0, MAX_OUTLINES)) {
      for (const rect of recordRects(row)) boxes.push(outline("record", row, rect, origin));
      const isDone = new Set();
      for (const column of orderColumns(row)) {
        if (table.cells[row][column].every((node) => isDone.has(node))) continue;
        table.cells[row][column].forEach((node) => isDone.add(node));
        for (const rect of cellRects(row, column)) boxes.push(box("cell", rect, origin, table.colours[column]));
      }
    }
    fill(outlines, boxes);
    light(origin);
    aim(origin);
  }

  /** Returns the columns with quiet ones last: a node that is in two columns has the colour of the first. */
  function orderColumns(row) {
    const all = (table.cells[row] || []).map((_, column) => column);
    return [...all.filter((column) => !table.quiet[column]), ...all.filter((column) => table.quiet[column])];
  }

  function light(origin = host.getBoundingClientRect()) {
    const { row, column } = shown;
    const boxes = [];
    if (row !== null && table.records[row]) {
      for (const rect of recordRects(row)) boxes.push(outline("record shown", row, rect, origin));
      for (const rect of column === null ? [] : cellRects(row, column)) boxes.push(box("cell shown", rect, origin, table.colours[column]));
    }
    fill(spotlight, boxes);
  }

  function show({ row, column, scroll }) {
    shown = { row, column };
    if (scroll && row !== null && table.records[row]) reveal(row, column);
    light();
  }

  /** Scrolls a cell or a record to the middle, unless it is visible. */
  function reveal(row, column) {
    const rects = column === null ? [] : cellRects(row, column);
    const rect = (rects.length ? rects : recordRects(row))[0];
    const target = rects.length ? table.cells[row][column].find((node) => isVisible(getContentRect(node))) : table.records[row][0];
    if (rect && target) scrollIntoView(target, rect);
  }

  function scrollIntoView(target, rect) {
    const isSeen = rect.top > 0 && rect.top < innerHeight - 24 && rect.right > 0 && rect.left < innerWidth;
    const isAtOnce = matchMedia("(prefers-reduced-motion: reduce)").matches || Math.abs(rect.top) > 2 * innerHeight;
    if (!isSeen) target.scrollIntoView({ block: "center", inline: "nearest", behavior: isAtOnce ? "instant" : "smooth" });
  }

  // ---- Pointing and choosing ----------------------------------------------------------------------------------------

  /** Returns the cell that contains an element, or its record. */
  function findCell(element) {
    for (let current = element; current; current = current.parentElement) if (cellsByElement.has(current)) return cellsByElement.get(current);
    return { row: null, column: null };
  }

  let pointed = { row: null, column: null };
  function point(cell) {
    if (cell.row === pointed.row && cell.column === pointed.column) return;
    pointed = cell;
    shown = cell;
    light();
    send("point", { row: cell.row, column: cell.column });
  }

  const findNumbered = (element) => {
    let current = element;
    while (current && !numbers.has(current)) current = current.parentElement;
    return current;
  };

  addEventListener("mouseover", (event) => {
    if (!isPicking) return point(findCell(event.target));
    aimed = findNumbered(event.target);
    aim();
  });
  document.addEventListener("mouseleave", () => (isPicking ? aim((aimed = null)) : point({ row: null, column: null })));

  // The page is inert: no click follows a link, no form is sent, nothing is dragged out or dropped in.
  const stop = (event) => event.preventDefault();
  for (const kind of ["click", "auxclick", "submit", "dragstart", "drop", "dragover", "toggle", "invalid"]) addEventListener(kind, stop, true);
  addEventListener("mousedown", (event) => (event.target.closest?.(CONTROL) || event.button === 1) && stop(event), true);
  addEventListener("dragenter", () => send("key", { key: "dragenter" }), true);
  addEventListener("click", (event) => {
    if (isPicking) return pickElement(findNumbered(event.target));
    const { row, column } = findCell(event.target);
    if (row !== null) send("choose", { row, column });
  }, true);
  addEventListener("scroll", (event) => event.target !== document && paintSoon(), { capture: true, passive: true });
  addEventListener("load", paintSoon, true);

  // ---- Picking two records ------------------------------------------------------------------------------------------

  let isPicking = false;
  let aimed = null;
  let picked = [];

  function pick(on) {
    isPicking = on;
    aimed = null;
    picked = [];
    document.adoptedStyleSheets = on ? [marking, clickable] : [marking];
    outlines.className = on ? "picking" : "";
    if (on) point({ row: null, column: null });
    aim();
  }

  function aim(origin) {
    const from = origin || host.getBoundingClientRect();
    const boxes = picked.map((element) => box("taken", element.getBoundingClientRect(), from));
    if (isPicking && aimed) boxes.push(box("aimed", aimed.getBoundingClientRect(), from));
    aims.replaceChildren(...boxes);
  }

  function pickElement(element) {
    if (!element) return;
    picked.push(element);
    aim();
    send("picked", { node: numbers.get(element) });
  }

  const hasArea = (element) => element && numbers.has(element) && isVisible(element.getBoundingClientRect());

  function findVisibleSibling(element, step) {
    let current = element[step];
    while (current && !hasArea(current)) current = current[step];
    return current;
  }

  const STEPS = {
    ArrowDown: (current) => findVisibleSibling(current, "nextElementSibling") || (current.parentElement && STEPS.ArrowDown(current.parentElement)),
    ArrowUp: (current) => findVisibleSibling(current, "previousElementSibling") || current.parentElement,
    ArrowLeft: (current) => current.parentElement,
    ArrowRight: (current) => [...current.children].find(hasArea),
  };

  function moveAim(key) {
    const start = table.records[0]?.[0] || findNumbered(document.elementFromPoint(innerWidth / 2, innerHeight / 3)) || document.body;
    const next = aimed ? STEPS[key](aimed) : start;
    if (!hasArea(next)) return;
    aimed = next;
    aimed.scrollIntoView({ block: "nearest" });
    aim();
    liveRegion.textContent = `${aimed.localName}: ${(aimed.textContent || "").replace(/\s+/g, " ").trim().slice(0, 120)}`;
  }

  addEventListener("keydown", (event) => {
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if (event.key === "Escape" || event.key === "F6") send("key", { key: event.key });
    else if (isUndo) send("key", { key: event.shiftKey ? "redo" : "undo" });
    else if (isPicking && event.key in STEPS) moveAim(event.key);
    else if (isPicking && event.key === "Enter") pickElement(aimed);
    else return;
    event.preventDefault();
  }, true);

  // ---- What is template and what is data ----------------------------------------------------------------------------

  const marking = new CSSStyleSheet();
  document.adoptedStyleSheets = [marking];

  let marked = []; // by field: its text nodes
  let colours = []; // by field
  let fieldsByText = new Map(); // text node -> number of its field
  let lit = null;

  const makeRange = (text) => new StaticRange({ startContainer: text, startOffset: 0, endContainer: text, endOffset: text.length });

  /** Colours texts. Where the browser has no highlights, the elements around the texts are coloured. */
  function paintTexts(name, nodes) {
    if (!CSS.highlights) return nodes.forEach((text) => text.parentElement?.setAttribute("data-unweave-mark", name));
    const highlight = new Highlight();
    for (const text of nodes) highlight.add(makeRange(text));
    highlight.priority = name === "lit" ? 1 : 0;
    if (nodes.length) CSS.highlights.set(name, highlight);
  }

  const selector = (name) => (CSS.highlights ? `::highlight(${name})` : `[data-unweave-mark="${name}"]`);

  function clearMarks() {
    if (CSS.highlights) CSS.highlights.clear();
    else document.querySelectorAll("[data-unweave-mark]").forEach((element) => element.removeAttribute("data-unweave-mark"));
  }

  function marks({ template, data, columns }) {
    const nodesOf = (chunks) => chunks.map((chunk) => texts[chunk]).filter(Boolean);
    marked = data.map(nodesOf);
    colours = columns;
    fieldsByText = new Map();
    // A text of two fields belongs to the first when it is under the pointer.
    marked.forEach((nodes, field) => nodes.forEach((text) => fieldsByText.has(text) || fieldsByText.set(text, field)));
    clearMarks();
    paintTexts("template", nodesOf(template));
    marked.forEach((nodes, field) => paintTexts(`data-${field}`, nodes));
    updateMarkStyles();
    lightField({ field: lit, scroll: false });
  }

  function updateMarkStyles() {
    const rules = marked.map((_, field) => `${selector(`data-${field}`)} { background-color: color-mix(in srgb, ${colours[field]} 24%, transparent); }`);
    const litRule = lit === null ? "" : `${selector("lit")} { background-color: color-mix(in srgb, ${colours[lit]} 75%, #fff); color: #fff; }`;
    marking.replaceSync([`${selector("template")} { background-color: #8c8c8c24; color: #777c; }`, ...rules, litRule].join("\n"));
  }

  function lightField({ field, scroll }) {
    lit = field;
    if (CSS.highlights) CSS.highlights.delete("lit");
    if (field !== null && marked[field]) paintTexts("lit", CSS.highlights ? marked[field] : []);
    updateMarkStyles();
    const first = scroll && marked[field]?.find((text) => text.parentElement.getClientRects().length);
    if (first) scrollIntoView(first.parentElement, getContentRect(first.parentElement));
  }

  /** The field whose text is under the pointer. */
  function findField({ target, clientX, clientY }) {
    const candidates = [...(target.childNodes ?? [])].filter((node) => fieldsByText.has(node));
    const isOver = (text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      return [...range.getClientRects()].some(({ left, right, top, bottom }) => clientX >= left && clientX <= right && clientY >= top && clientY <= bottom);
    };
    const over = candidates.find(isOver);
    return over ? fieldsByText.get(over) : null;
  }

  addEventListener("mousemove", (event) => {
    const field = fieldsByText.size ? findField(event) : null;
    if (field === lit) return;
    lightField({ field, scroll: false });
    send("mark", { field, isChosen: false });
  });
  document.addEventListener("mouseleave", () => {
    if (lit === null || !fieldsByText.size) return;
    lightField({ field: null, scroll: false });
    send("mark", { field: null, isChosen: false });
  });
  addEventListener("click", (event) => {
    const field = findField(event);
    if (field !== null) send("mark", { field, isChosen: true });
  }, true);

  // ---- Messages -----------------------------------------------------------------------------------------------------

  const tryToDraw = ({ drawing }) => {
    try {
      draw(drawing);
    } catch (error) {
      send("failed", {});
      throw error;
    }
  };
  const HANDLERS = { draw: tryToDraw, table: overlay, show, pick: ({ on }) => pick(on), marks, light: lightField };
  addEventListener("message", (event) => {
    if (event.source === parent) HANDLERS[event.data?.unweave]?.(event.data);
  });
  send("ready");
})();
