// The only module that talks to the server. Every call carries the token; every failure is an ApiError with one sentence.

const KEPT = "unweave-token";

/** What the server, or the way to it, did not like. */
export class ApiError extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

/** Takes the token out of the address, so that it is neither seen nor shared with it; a reload finds it in the session. */
export function takeToken() {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (given) {
    sessionStorage.setItem(KEPT, given);
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
  }
  return hasToken();
}

export const hasToken = () => sessionStorage.getItem(KEPT) !== null;

/** Sends a request under /api and gives the answer, once it is a good one. */
export async function ask(method, path, { json, bytes, query, signal } = {}) {
  const given = Object.entries(query || {}).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(given).toString();
  const headers = { Authorization: `Bearer ${sessionStorage.getItem(KEPT) || ""}` };
  if (json !== undefined) headers["Content-Type"] = "application/json";
  else if (bytes !== undefined) headers["Content-Type"] = "application/octet-stream";
  const body = json === undefined ? bytes : JSON.stringify(json);
  let answer;
  try {
    answer = await fetch(`/api/${path}${search ? `?${search}` : ""}`, { method, headers, body, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The studio does not answer. Is `unweave studio` still running?");
  }
  if (answer.status === 401) dispatchEvent(new Event("unweave-locked"));
  if (!answer.ok) throw new ApiError(await reason(answer), answer.status);
  return answer;
}

async function reason(answer) {
  try {
    const { error } = await answer.json();
    if (error) return sentence(String(error));
  } catch {
    // Not JSON: the status has to do.
  }
  return `The studio answered with the status ${answer.status}.`;
}

function sentence(text) {
  const isAddress = /^\S*:\/\//.test(text); // which must be told as it is
  const begun = isAddress ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

export const askJson = async (...call) => (await ask(...call)).json();

const page = (id) => `pages/${encodeURIComponent(id)}`;

export const pages = async () => (await askJson("GET", "pages")).pages;
export const pageOf = (id) => askJson("GET", page(id));
export const openHtml = (html, name) => askJson("POST", "pages", { json: { html, name } });
export const openAddress = (url) => askJson("POST", "pages", { json: { url } });
export const openFile = (file) => askJson("POST", "pages", { bytes: file, query: { name: file.name } });
export const closePage = (id) => ask("DELETE", page(id));
export const drawing = (id, { outside = false, ...more } = {}) => askJson("GET", `${page(id)}/drawing`, { query: { outside }, ...more });
export const tables = async (id, more) => (await askJson("GET", `${page(id)}/tables`, more)).tables;
export const table = (id, choice, columns) => askJson("POST", `${page(id)}/table`, { json: { choice, columns } });
export const code = (id, choice, columns, values) => askJson("POST", `${page(id)}/code`, { json: { choice, columns, values } });

export const describeWrapper = (text) => askJson("POST", "wrappers", { bytes: text });
export const applyWrapper = (id, text) => askJson("POST", `${page(id)}/apply`, { bytes: text });

/** A file that the server makes: its name and its content. */
export async function file(method, path, options) {
  const answer = await ask(method, path, options);
  const told = answer.headers.get("Content-Disposition") || "";
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(told);
  const plain = /filename="?([^";]+)/i.exec(told);
  const name = encoded ? decodeURIComponent(encoded[1]) : plain ? plain[1] : "unweave";
  return { name, content: await answer.blob(), finds: answer.headers.get("unweave-finds") };
}

export const exported = (id, choice, columns, format, values) => file("POST", `${page(id)}/export`, { json: { choice, columns, format, values } });
export const wrapper = (id, choice, columns) => file("POST", `${page(id)}/wrapper`, { json: { choice, columns } });
