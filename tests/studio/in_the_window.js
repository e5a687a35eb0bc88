// What tests do and ask inside the studio's window.
({
  /** Drops files onto an element, as a user does. */
  drop([selector, files]) {
    const dataTransfer = new DataTransfer();
    for (const [name, text] of files) dataTransfer.items.add(new File([text], name, { type: "text/html" }));
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

  /** What can be used and has no name that could be read aloud. */
  nameless() {
    const used = "button, a, input, textarea, select, iframe, [role=tab], [role=separator], [role=grid]";
    const isNamed = (one) => one.getAttribute("aria-label") || one.textContent.trim() || one.title || one.labels?.length;
    return [...document.querySelectorAll(used)].filter((one) => !isNamed(one)).map((one) => one.outerHTML.slice(0, 80));
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
});
