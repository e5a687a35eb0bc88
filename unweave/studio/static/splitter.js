// The bar between the page and the table: dragged, or moved with the arrow keys. The share is stored.

const STORAGE_KEY = "unweave-split";
const [MIN_SHARE, MAX_SHARE, STEP] = [20, 80, 4];

export function startSplitter(bar, panes) {
  const set = (share) => {
    const rounded = Math.round(Math.min(MAX_SHARE, Math.max(MIN_SHARE, share)) * 10) / 10;
    panes.style.setProperty("--split", `${rounded}%`);
    bar.setAttribute("aria-valuenow", String(Math.round(rounded)));
    localStorage.setItem(STORAGE_KEY, String(rounded));
  };
  const getShare = () => Number(bar.getAttribute("aria-valuenow"));
  set(Number(localStorage.getItem(STORAGE_KEY)) || 52);

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

  const keys = { ArrowLeft: () => getShare() - STEP, ArrowRight: () => getShare() + STEP, Home: () => MIN_SHARE, End: () => MAX_SHARE };
  bar.addEventListener("keydown", (event) => {
    if (!(event.key in keys)) return;
    event.preventDefault();
    set(keys[event.key]());
  });
}
