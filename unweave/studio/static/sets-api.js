// The calls of the API that are about many pages.

import { ask, askJson, file } from "./api.js";

const set = (id) => `sets/${encodeURIComponent(id)}`;
const group = (id, number) => `${set(id)}/groups/${number}`;

export const sets = async () => (await askJson("GET", "sets")).sets;
export const getSet = (id, more) => askJson("GET", set(id), more);
export const openArchive = (bytes, name) => askJson("POST", "sets", { bytes, query: { name } });
export const closeSet = (id) => ask("DELETE", set(id));
export const learned = (id, number, method, more) => askJson("GET", group(id, number), { query: { method }, ...more });
export const learning = (id, number, method, more) => askJson("GET", `${group(id, number)}/learning`, { query: { method }, ...more });
export const cancelLearning = (id, number, method) => ask("DELETE", `${group(id, number)}/learning`, { query: { method } });
export const give = (id, number, text, more) => askJson("PUT", `${group(id, number)}/wrapper`, { bytes: text, ...more });
export const read = (id, number, page, method, more) => askJson("GET", `${group(id, number)}/pages/${encodeURIComponent(page)}`, { query: { method }, ...more });
export const wrapper = (id, number, method) => file("GET", `${group(id, number)}/wrapper`, { query: { method } });

export const exportedGroup = (id, number, method, format) => file("GET", `${group(id, number)}/export`, { query: { method, format } });

/** Tries the wrapper on a new page: a file, {html, name} or {url}. */
export function tried(id, number, method, page) {
  const body = page instanceof Blob ? { bytes: page, query: { method, name: page.name } } : { json: page, query: { method } };
  return askJson("POST", `${group(id, number)}/try`, body);
}
