// The bar between the page and the table: dragged, or moved with the arrow keys. The share is kept for the next time.

const KEPT = "unweave-split";
const [LEAST, MOST, STEP] = [20, 80, 4];

export function startSplitter(bar, panes) {
  const set = (share) => {
    const fair = Math.round(Math.min(MOST, Math.max(LEAST, share)) * 10) / 10;
    panes.style.setProperty("--split", `${fair}%`);
    bar.setAttribute("aria-valuenow", String(Math.round(fair)));
    localStorage.setItem(KEPT, String(fair));
  };
  const now = () => Number(bar.getAttribute("aria-valuenow"));
  set(Number(localStorage.getItem(KEPT)) || 52);

  bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId);
    panes.classList.add("is-splitting"); // or the frame would swallow the pointer
  });
  bar.addEventListener("pointermove", (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const { left, width } = panes.getBoundingClientRect();
    set(((event.clientX - left) / width) * 100);
  });
  bar.addEventListener("lostpointercapture", () => panes.classList.remove("is-splitting"));
  bar.addEventListener("dblclick", () => set(52));

  const keys = { ArrowLeft: () => now() - STEP, ArrowRight: () => now() + STEP, Home: () => LEAST, End: () => MOST };
  bar.addEventListener("keydown", (event) => {
    if (!(event.key in keys)) return;
    event.preventDefault();
    set(keys[event.key]());
  });
}
