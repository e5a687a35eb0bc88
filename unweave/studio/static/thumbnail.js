// Small live pictures of pages: the same sandboxed frame, scaled down. They are made when they come into sight, and only a
// few are alive at once.

import { drawing } from "./api.js";
import { PageView } from "./page-view.js";

const WIDTH = 1180; // of the page, in px, before it is scaled down
const MOST_ALIVE = 12;
const NEAR = "160px";

export class Thumbnails {
  #pages = new Map(); // place -> id of the page
  #alive = new Map(); // place -> its view, the one that came into sight first first
  #inSight = new Set();
  #leaving = new AbortController();
  #watcher = new IntersectionObserver((entries) => this.#see(entries), { rootMargin: NEAR });
  #sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => fit(target)));

  /** A place shows a page from now on, whenever it can be seen. It is a picture to look at and nothing else. */
  add(place, page) {
    place.inert = true;
    place.setAttribute("aria-hidden", "true");
    this.#pages.set(place, page);
    this.#watcher.observe(place);
    this.#sizes.observe(place);
  }

  close() {
    this.#leaving.abort();
    this.#watcher.disconnect();
    this.#sizes.disconnect();
    for (const view of this.#alive.values()) view.close();
    this.#alive.clear();
  }

  #see(entries) {
    for (const { target, isIntersecting } of entries) {
      this.#inSight[isIntersecting ? "add" : "delete"](target);
      if (isIntersecting && !this.#alive.has(target)) this.#show(target);
    }
    this.#thin();
  }

  async #show(place) {
    const view = new PageView(place, { title: "Picture of a page" });
    this.#alive.set(place, view);
    try {
      const drawn = await drawing(this.#pages.get(place), { signal: this.#leaving.signal });
      if (this.#alive.get(place) !== view) return;
      await view.draw(drawn);
      place.classList.add("is-drawn");
    } catch {
      // A card without a picture still tells what it is about.
    }
  }

  /** Those out of sight make room. */
  #thin() {
    for (const [place, view] of this.#alive) {
      if (this.#alive.size <= MOST_ALIVE) return;
      if (this.#inSight.has(place)) continue;
      view.close();
      this.#alive.delete(place);
      place.classList.remove("is-drawn");
    }
  }
}

function fit(place) {
  const scale = place.clientWidth / WIDTH;
  place.style.setProperty("--scale", String(scale));
  place.style.setProperty("--height", `${place.clientHeight / (scale || 1)}px`);
}
