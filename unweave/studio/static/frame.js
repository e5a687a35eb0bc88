// The agent: the only script in the frame that shows a stranger's page. It makes the page from a drawing (no markup is ever
// parsed here), outlines records and cells over it, and tells the studio's window what is pointed at.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const MATH = "http://www.w3.org/1998/Math/MathML";
  const MOST_LINES = 20;
  const MOST_OUTLINED = 500; // records: more are never in sight, unless they lie on each other
  const NEAR = "600px"; // records within this distance of what is in sight are outlined
  const FOCUSABLE = /^(a|area|button|input|select|textarea|summary|audio|video)$/;
  const LISTED = /^(button|fieldset|input|object|output|select|textarea)$/;
  const CONTROL = "button, input, select, textarea, option, label, summary";
  const UNWANTED = /^(on.*|srcdoc|action|formaction|ping|target|http-equiv|autofocus|download|autoplay)$/i;

  const send = (kind, fields) => parent.postMessage({ unweave: kind, ...fields }, "*");

  // ---- Making the page ----------------------------------------------------------------------------------------------

  let elements = []; // by their number in unweave's tree
  let numberOf = new Map(); // the other way round
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

  function dress(element, attributes) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (UNWANTED.test(name)) continue;
      const isLink = name === "href" || name === "xlink:href";
      try {
        // Links look like links and lead nowhere, whatever the drawing says.
        element.setAttribute(name, isLink && !value.startsWith("#") ? "about:invalid" : value);
      } catch {
        // A name that cannot be set is no loss: it cannot matter for looks.
      }
    }
    // Without a form of their own, controls do not hide a form's properties by their ids.
    if (LISTED.test(element.localName)) element.setAttribute("form", "");
    // The page is one stop for the Tab key, and not one for each of its links.
    if (FOCUSABLE.test(element.localName) || element.hasAttribute("tabindex")) element.setAttribute("tabindex", "-1");
    if (element.localName === "img" && !element.getAttribute("src")) standIn(element);
  }

  /** A quiet box in place of a picture that is not loaded. What it would show is written in when it comes near: a page may
      have hundreds, and a browser takes milliseconds for each that differs. */
  function standIn(image) {
    const given = (name) => Math.min(parseInt(image.getAttribute(name), 10) || 0, 4000);
    const alt = (image.getAttribute("alt") || "").trim();
    const width = given("width") || (given("height") * 4) / 3 || (alt ? 120 : 32);
    const height = given("height") || (width * 3) / 4;
    image.setAttribute("src", boxOf(width, height, ""));
    if (alt) captions.set(image, () => image.setAttribute("src", boxOf(width, height, alt)));
  }

  const captions = new Map(); // images that are not loaded -> what writes into them what they would show
  const nearby = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        nearby.unobserve(target);
        captions.get(target)?.();
        captions.delete(target);
      }
    },
    { root: document, rootMargin: NEAR },
  );

  function boxOf(width, height, alt) {
    const fits = Math.floor((width - 12) / 6);
    const shown = alt.length > fits ? alt.slice(0, Math.max(fits - 1, 0)) + "…" : alt;
    const escaped = shown.replace(/[^\p{L}\p{N} ]/gu, (sign) => `&#${sign.codePointAt(0)};`);
    const says = fits < 3 || height < 16 ? "" : `<text x="50%" y="50%" dy=".35em" text-anchor="middle" font-family="sans-serif" font-size="11" fill="#666">${escaped}</text>`;
    const box = `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="3" fill="#88888820" stroke="#88888855"/>`;
    return "data:image/svg+xml," + encodeURIComponent(`<svg xmlns="${SVG}" width="${width}" height="${height}">${box}${says}</svg>`);
  }

  // A control may be called "append", and is then what its form says when it is asked for that.
  const adopt = Function.prototype.call.bind(Node.prototype.appendChild);

  function build(drawing) {
    elements = [];
    numberOf = new Map();
    texts = [];
    captions.clear();
    nearby.disconnect();
    const made = [];
    for (const node of drawing.nodes) {
      const isText = typeof node[1] === "string";
      const one = isText ? document.createTextNode(node[1]) : make(drawing.names[node[1]]);
      if (!isText) dress(one, node[3]);
      const number = isText ? -1 : node[2];
      if (number >= 0) {
        elements[number] = one;
        numberOf.set(one, number);
      }
      if (isText && node.length > 2) texts[node[2]] = one;
      if (node[0] >= 0) adopt(made[node[0]], one);
      made.push(one);
    }
    return made[0];
  }

  function draw(drawing) {
    const start = performance.now();
    const html = build(drawing);
    forget();
    // One change of the document for the whole page, so that it is laid out once.
    if (html) document.replaceChild(html, document.documentElement);
    document.documentElement.append(host);
    for (const image of captions.keys()) nearby.observe(image);
    sizes.disconnect();
    sizes.observe(document.documentElement);
    if (document.body) sizes.observe(document.body);
    requestAnimationFrame(() => send("drawn", { ms: performance.now() - start, isHidden: isHidden() }));
  }

  const MIN_HIDDEN_CHARACTERS = 60; // a page with less text says nothing either way
  const MAX_CHECKED_TEXTS = 2000;

  /** Is nearly all text of the page invisible, as on pages that show themselves by a script once they are loaded? */
  function isHidden() {
    if (!innerWidth || !document.body) return false; // the frame itself is not in sight
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
  const placed = { all: "initial", position: "absolute", top: "0", left: "0", width: "0", height: "0", "z-index": "2147483647", "pointer-events": "none" };
  for (const [name, value] of Object.entries(placed)) host.style.setProperty(name, value, "important");
  const shade = host.attachShadow({ mode: "open" });
  const look = new CSSStyleSheet();
  look.replaceSync(`
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
    .said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    .picking { opacity: .3; }`);
  shade.adoptedStyleSheets = [look];
  const layer = () => shade.appendChild(document.createElement("div"));
  const [outlines, spotlight, aims, said] = [layer(), layer(), layer(), layer()];
  said.className = "said";
  said.setAttribute("aria-live", "polite");

  const clickable = new CSSStyleSheet();
  clickable.replaceSync("html, html * { cursor: crosshair !important; }");

  /** Where the text or picture of an element is, without the empty room beside it. */
  function tight(element) {
    const own = element.getBoundingClientRect();
    if (!element.firstChild) return own;
    const range = document.createRange();
    range.selectNodeContents(element);
    const inner = range.getBoundingClientRect();
    if (!inner.width || !inner.height) return own;
    if (!own.width || !own.height || getComputedStyle(element).overflow === "visible") return inner;
    return common(own, inner);
  }

  function common(one, other) {
    const [left, top] = [Math.max(one.left, other.left), Math.max(one.top, other.top)];
    const [right, bottom] = [Math.min(one.right, other.right), Math.min(one.bottom, other.bottom)];
    return right > left && bottom > top ? new DOMRect(left, top, right - left, bottom - top) : one;
  }

  function around(rects) {
    const left = Math.min(...rects.map((rect) => rect.left));
    const top = Math.min(...rects.map((rect) => rect.top));
    return new DOMRect(left, top, Math.max(...rects.map((rect) => rect.right)) - left, Math.max(...rects.map((rect) => rect.bottom)) - top);
  }

  const canBeSeen = (rect) => rect.width > 2 && rect.height > 2;

  /** One box for roots that stand side by side, one each for others. */
  function recordRects(row) {
    const roots = table.records[row];
    const areAdjacent = roots.every((root, at) => !at || roots[at - 1].nextElementSibling === root);
    const rects = roots.map((root) => (root.getClientRects().length ? root.getBoundingClientRect() : tight(root))).filter(canBeSeen);
    return areAdjacent && rects.length > 1 ? [around(rects)] : rects;
  }

  const cellRects = (row, column) => (table.cells[row]?.[column] || []).flatMap(pieces).filter(canBeSeen);

  /** Words that go on in the next line are a piece in each: one box around them would hold other words too. */
  function pieces(element) {
    const lines = [...element.getClientRects()];
    const isBroken = lines.length > 1 && lines.length <= MOST_LINES && getComputedStyle(element).display === "inline";
    return isBroken ? lines : [tight(element)];
  }

  function box(kind, rect, origin, colour) {
    const made = document.createElement("div");
    made.className = kind;
    made.style.cssText = `left:${rect.left - origin.left}px;top:${rect.top - origin.top}px;width:${rect.width}px;height:${rect.height}px`;
    if (colour) made.style.setProperty("--colour", colour);
    return made;
  }

  /** Puts boxes into a layer, unless the same ones are there: pictures that load ask for it again and again. */
  function fill(layer, boxes) {
    const isSame = boxes.length === layer.children.length && boxes.every((one, at) => one.isEqualNode(layer.children[at]));
    if (!isSame) layer.replaceChildren(...boxes);
  }

  /** The number of a record stands left of it, where it hides nothing; above it at the edge of the page. */
  function outline(kind, row, rect, origin) {
    const made = box(rect.left - origin.left < 24 ? `${kind} inner` : kind, rect, origin);
    made.dataset.number = row + 1;
    return made;
  }

  // ---- The table over the page --------------------------------------------------------------------------------------

  const NO_TABLE = { colours: [], quiet: [], records: [], cells: [] };
  let table = NO_TABLE;
  let places = new Map(); // element -> {row, column} of the cell, or of the record with column null
  let inSight = new Set(); // rows whose records are near what is in sight
  let rowOf = new Map(); // watched element -> row
  let shown = { row: null, column: null };

  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) inSight[isIntersecting ? "add" : "delete"](rowOf.get(target));
      paintSoon();
    },
    { root: document, rootMargin: NEAR },
  );
  const sizes = new ResizeObserver(() => paintSoon());

  const found = (numbers) => numbers.map((number) => elements[number]).filter(Boolean);

  function overlay(message) {
    forget();
    table = {
      colours: message.columns,
      quiet: message.quiet || [],
      records: message.records.map(found),
      cells: message.cells.map((row) => row.map(found)),
    };
    table.records.forEach((roots, row) => roots.forEach((root) => places.set(root, { row, column: null })));
    table.cells.forEach((cells, row) => cells.forEach((nodes, column) => nodes.forEach((node) => claim(node, row, column))));
    table.records.forEach((roots, row) => roots.slice(0, 40).forEach((root) => watch(root, row)));
    paintSoon();
  }

  /** An address often stands in the element of the text that it leads from: the text is then what is pointed at. */
  function claim(node, row, column) {
    const taken = places.get(node);
    if (!taken || taken.column === null || table.quiet[taken.column]) places.set(node, { row, column });
  }

  function watch(root, row) {
    const drawn = root.getClientRects().length ? root : [...root.querySelectorAll("*")].slice(0, 50).find((inner) => inner.getClientRects().length);
    if (!drawn) return;
    rowOf.set(drawn, row);
    watcher.observe(drawn);
  }

  function forget() {
    watcher.disconnect();
    table = NO_TABLE;
    places = new Map();
    rowOf = new Map();
    inSight = new Set();
    shown = { row: null, column: null };
    [outlines, spotlight, aims].forEach((one) => one.replaceChildren());
  }

  let isPainting = 0;
  const paintSoon = () => (isPainting ||= requestAnimationFrame(paint));

  function paint() {
    isPainting = 0;
    const origin = host.getBoundingClientRect();
    const boxes = [];
    for (const row of [...inSight].slice(0, MOST_OUTLINED)) {
      for (const rect of recordRects(row)) boxes.push(outline("record", row, rect, origin));
      const isDone = new Set();
      for (const column of columnsOf(row)) {
        if (table.cells[row][column].every((node) => isDone.has(node))) continue;
        table.cells[row][column].forEach((node) => isDone.add(node));
        for (const rect of cellRects(row, column)) boxes.push(box("cell", rect, origin, table.colours[column]));
      }
    }
    fill(outlines, boxes);
    light(origin);
    aim(origin);
  }

  /** Columns that tell something first: a node that is in two of them has one colour. */
  function columnsOf(row) {
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

  /** Brings a cell or a record into the middle, unless it is in sight. */
  function reveal(row, column) {
    const rects = column === null ? [] : cellRects(row, column);
    const rect = (rects.length ? rects : recordRects(row))[0];
    const target = rects.length ? table.cells[row][column].find((node) => canBeSeen(tight(node))) : table.records[row][0];
    if (rect && target) bringIn(target, rect);
  }

  function bringIn(target, rect) {
    const isSeen = rect.top > 0 && rect.top < innerHeight - 24 && rect.right > 0 && rect.left < innerWidth;
    const isAtOnce = matchMedia("(prefers-reduced-motion: reduce)").matches || Math.abs(rect.top) > 2 * innerHeight;
    if (!isSeen) target.scrollIntoView({ block: "center", inline: "nearest", behavior: isAtOnce ? "instant" : "smooth" });
  }

  // ---- Pointing and choosing ----------------------------------------------------------------------------------------

  /** The cell that an element stands in, or at least its record. */
  function placeOf(element) {
    for (let one = element; one; one = one.parentElement) if (places.has(one)) return places.get(one);
    return { row: null, column: null };
  }

  let pointed = { row: null, column: null };
  function point(place) {
    if (place.row === pointed.row && place.column === pointed.column) return;
    pointed = place;
    shown = place;
    light();
    send("point", { row: place.row, column: place.column });
  }

  const numbersUp = (element) => {
    let one = element;
    while (one && !numberOf.has(one)) one = one.parentElement;
    return one;
  };

  addEventListener("mouseover", (event) => {
    if (!isPicking) return point(placeOf(event.target));
    aimed = numbersUp(event.target);
    aim();
  });
  document.addEventListener("mouseleave", () => (isPicking ? aim((aimed = null)) : point({ row: null, column: null })));

  // Nothing in the page does anything: no click follows a link, no form is sent, nothing is dragged out or dropped in.
  const stop = (event) => event.preventDefault();
  for (const kind of ["click", "auxclick", "submit", "dragstart", "drop", "dragover", "toggle", "invalid"]) addEventListener(kind, stop, true);
  addEventListener("mousedown", (event) => (event.target.closest?.(CONTROL) || event.button === 1) && stop(event), true);
  addEventListener("dragenter", () => send("key", { key: "dragenter" }), true);
  addEventListener("click", (event) => {
    if (isPicking) return take(numbersUp(event.target));
    const { row, column } = placeOf(event.target);
    if (row !== null) send("choose", { row, column });
  }, true);
  addEventListener("scroll", (event) => event.target !== document && paintSoon(), { capture: true, passive: true });
  addEventListener("load", paintSoon, true);

  // ---- Picking two records ------------------------------------------------------------------------------------------

  let isPicking = false;
  let aimed = null;
  let taken = [];

  function pick(on) {
    isPicking = on;
    aimed = null;
    taken = [];
    document.adoptedStyleSheets = on ? [marking, clickable] : [marking];
    outlines.className = on ? "picking" : "";
    if (on) point({ row: null, column: null });
    aim();
  }

  function aim(origin) {
    const from = origin || host.getBoundingClientRect();
    const boxes = taken.map((element) => box("taken", element.getBoundingClientRect(), from));
    if (isPicking && aimed) boxes.push(box("aimed", aimed.getBoundingClientRect(), from));
    aims.replaceChildren(...boxes);
  }

  function take(element) {
    if (!element) return;
    taken.push(element);
    aim();
    send("picked", { node: numberOf.get(element) });
  }

  const hasArea = (element) => element && numberOf.has(element) && canBeSeen(element.getBoundingClientRect());

  function beside(element, step) {
    let one = element[step];
    while (one && !hasArea(one)) one = one[step];
    return one;
  }

  const STEPS = {
    ArrowDown: (one) => beside(one, "nextElementSibling") || (one.parentElement && STEPS.ArrowDown(one.parentElement)),
    ArrowUp: (one) => beside(one, "previousElementSibling") || one.parentElement,
    ArrowLeft: (one) => one.parentElement,
    ArrowRight: (one) => [...one.children].find(hasArea),
  };

  function steer(key) {
    const start = table.records[0]?.[0] || numbersUp(document.elementFromPoint(innerWidth / 2, innerHeight / 3)) || document.body;
    const next = aimed ? STEPS[key](aimed) : start;
    if (!hasArea(next)) return;
    aimed = next;
    aimed.scrollIntoView({ block: "nearest" });
    aim();
    said.textContent = `${aimed.localName}: ${(aimed.textContent || "").replace(/\s+/g, " ").trim().slice(0, 120)}`;
  }

  addEventListener("keydown", (event) => {
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if (event.key === "Escape" || event.key === "F6") send("key", { key: event.key });
    else if (isUndo) send("key", { key: event.shiftKey ? "redo" : "undo" });
    else if (isPicking && event.key in STEPS) steer(event.key);
    else if (isPicking && event.key === "Enter") take(aimed);
    else return;
    event.preventDefault();
  }, true);

  // ---- What is template and what is data ----------------------------------------------------------------------------

  const marking = new CSSStyleSheet();
  document.adoptedStyleSheets = [marking];

  let marked = []; // by field: its text nodes
  let colours = []; // by field
  let fieldOf = new Map(); // text node -> number of its field
  let lit = null;

  const wholeOf = (text) => new StaticRange({ startContainer: text, startOffset: 0, endContainer: text, endOffset: text.length });

  /** Colours texts. Where the browser has no highlights, the elements around the texts are coloured. */
  function paintTexts(name, nodes) {
    if (!CSS.highlights) return nodes.forEach((text) => text.parentElement?.setAttribute("data-unweave-mark", name));
    const highlight = new Highlight();
    for (const text of nodes) highlight.add(wholeOf(text));
    highlight.priority = name === "lit" ? 1 : 0;
    if (nodes.length) CSS.highlights.set(name, highlight);
  }

  const selector = (name) => (CSS.highlights ? `::highlight(${name})` : `[data-unweave-mark="${name}"]`);

  function unpaint() {
    if (CSS.highlights) CSS.highlights.clear();
    else document.querySelectorAll("[data-unweave-mark]").forEach((element) => element.removeAttribute("data-unweave-mark"));
  }

  function marks({ template, data, columns }) {
    const nodesOf = (chunks) => chunks.map((chunk) => texts[chunk]).filter(Boolean);
    marked = data.map(nodesOf);
    colours = columns;
    fieldOf = new Map();
    // A text that two fields tell is the first's when it is pointed at.
    marked.forEach((nodes, field) => nodes.forEach((text) => fieldOf.has(text) || fieldOf.set(text, field)));
    unpaint();
    paintTexts("template", nodesOf(template));
    marked.forEach((nodes, field) => paintTexts(`data-${field}`, nodes));
    dressMarks();
    lightField({ field: lit, scroll: false });
  }

  function dressMarks() {
    const rules = marked.map((_, field) => `${selector(`data-${field}`)} { background-color: color-mix(in srgb, ${colours[field]} 24%, transparent); }`);
    const shining = lit === null ? "" : `${selector("lit")} { background-color: color-mix(in srgb, ${colours[lit]} 75%, #fff); color: #fff; }`;
    marking.replaceSync([`${selector("template")} { background-color: #8c8c8c24; color: #777c; }`, ...rules, shining].join("\n"));
  }

  function lightField({ field, scroll }) {
    lit = field;
    if (CSS.highlights) CSS.highlights.delete("lit");
    if (field !== null && marked[field]) paintTexts("lit", CSS.highlights ? marked[field] : []);
    dressMarks();
    const first = scroll && marked[field]?.find((text) => text.parentElement.getClientRects().length);
    if (first) bringIn(first.parentElement, tight(first.parentElement));
  }

  /** The field whose text is under the pointer. */
  function fieldAt({ target, clientX, clientY }) {
    const own = [...(target.childNodes ?? [])].filter((node) => fieldOf.has(node));
    const isOver = (text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      return [...range.getClientRects()].some(({ left, right, top, bottom }) => clientX >= left && clientX <= right && clientY >= top && clientY <= bottom);
    };
    const over = own.find(isOver);
    return over ? fieldOf.get(over) : null;
  }

  addEventListener("mousemove", (event) => {
    const field = fieldOf.size ? fieldAt(event) : null;
    if (field === lit) return;
    lightField({ field, scroll: false });
    send("mark", { field, isChosen: false });
  });
  document.addEventListener("mouseleave", () => {
    if (lit === null || !fieldOf.size) return;
    lightField({ field: null, scroll: false });
    send("mark", { field: null, isChosen: false });
  });
  addEventListener("click", (event) => {
    const field = fieldAt(event);
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
  const WISHES = { draw: tryToDraw, table: overlay, show, pick: ({ on }) => pick(on), marks, light: lightField };
  addEventListener("message", (event) => {
    if (event.source === parent) WISHES[event.data?.unweave]?.(event.data);
  });
  send("ready");
})();
