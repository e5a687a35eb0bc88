// All requests to the server. Every request has the token; every failure is an ApiError with a sentence.

const STORAGE_KEY = "unweave-token";

/** An error of the server or of the connection. */
export class ApiError extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

/** Moves the token from the URL to the session storage, so that it is neither shown nor shared. */
export function takeToken() {
  const address = new URL(location.href);
  const token = address.searchParams.get("token");
  if (token) {
    sessionStorage.setItem(STORAGE_KEY, token);
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
  }
  return hasToken();
}

export const hasToken = () => sessionStorage.getItem(STORAGE_KEY) !== null;

/** Sends a request below /api and returns the response. Throws ApiError. */
export async function ask(method, path, { json, bytes, query, signal } = {}) {
  const token = Object.entries(query || {}).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(token).toString();
  const headers = { Authorization: `Bearer ${sessionStorage.getItem(STORAGE_KEY) || ""}` };
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
    // Not JSON: the message is the status.
  }
  return `The studio answered with the status ${answer.status}.`;
}

function sentence(text) {
  const isUrl = /^\S*:\/\//.test(text); // which must be shown unchanged
  const begun = isUrl ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

export const askJson = async (...call) => (await ask(...call)).json();

const page = (id) => `pages/${encodeURIComponent(id)}`;

export const pages = async () => (await askJson("GET", "pages")).pages;
export const getPage = (id) => askJson("GET", page(id));
export const openHtml = (html, name) => askJson("POST", "pages", { json: { html, name } });
export const openUrl = (url) => askJson("POST", "pages", { json: { url } });
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
  const disposition = answer.headers.get("Content-Disposition") || "";
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition);
  const plain = /filename="?([^";]+)/i.exec(disposition);
  const name = encoded ? decodeURIComponent(encoded[1]) : plain ? plain[1] : "unweave";
  return { name, content: await answer.blob(), finds: answer.headers.get("unweave-finds") };
}

export const exported = (id, choice, columns, format, values) => file("POST", `${page(id)}/export`, { json: { choice, columns, format, values } });
export const wrapper = (id, choice, columns) => file("POST", `${page(id)}/wrapper`, { json: { choice, columns } });
