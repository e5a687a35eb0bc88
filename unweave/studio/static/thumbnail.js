// Thumbnails of pages: the same sandboxed frame, scaled down. They are made when they become visible, and there are only a
// few frames at a time.

import { drawing } from "./api.js";
import { PageView } from "./page-view.js";

const WIDTH = 1180; // of the page, in px, before it is scaled down
const MAX_FRAMES = 12;
const MARGIN = "160px";

export class Thumbnails {
  #pages = new Map(); // place -> id of the page
  #alive = new Map(); // place -> its view, the one that came into sight first first
  #inSight = new Set();
  #leaving = new AbortController();
  #watcher = new IntersectionObserver((entries) => this.#onIntersect(entries), { rootMargin: MARGIN });
  #sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => scale(target)));

  /** Shows a page in a container whenever that is visible, without interaction. */
  add(container, page) {
    container.inert = true;
    container.setAttribute("aria-hidden", "true");
    this.#pages.set(container, page);
    this.#watcher.observe(container);
    this.#sizes.observe(container);
  }

  close() {
    this.#leaving.abort();
    this.#watcher.disconnect();
    this.#sizes.disconnect();
    for (const view of this.#alive.values()) view.close();
    this.#alive.clear();
  }

  #onIntersect(entries) {
    for (const { target, isIntersecting } of entries) {
      this.#inSight[isIntersecting ? "add" : "delete"](target);
      if (isIntersecting && !this.#alive.has(target)) this.#show(target);
    }
    this.#closeHidden();
  }

  async #show(container) {
    const view = new PageView(container, { title: "Thumbnail of a page" });
    this.#alive.set(container, view);
    try {
      const drawn = await drawing(this.#pages.get(container), { signal: this.#leaving.signal });
      if (this.#alive.get(container) !== view) return;
      await view.draw(drawn);
      container.classList.add("is-drawn");
    } catch {
      // A card is useful without a thumbnail, too.
    }
  }

  /** Closes frames that are not visible, if there are too many. */
  #closeHidden() {
    for (const [container, view] of this.#alive) {
      if (this.#alive.size <= MAX_FRAMES) return;
      if (this.#inSight.has(container)) continue;
      view.close();
      this.#alive.delete(container);
      container.classList.remove("is-drawn");
    }
  }
}

function scale(container) {
  const scale = container.clientWidth / WIDTH;
  container.style.setProperty("--scale", String(scale));
  container.style.setProperty("--height", `${container.clientHeight / (scale || 1)}px`);
}
