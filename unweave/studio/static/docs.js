// The description of the API, for people: drawn from the same description that programs read.

import { make } from "./dom.js";

const METHODS = ["get", "post", "put", "patch", "delete"];

// Descriptions have words between backticks; those are code.
function prose(text, tag = "p") {
  const element = document.createElement(tag);
  (text ?? "").trim().split("`").forEach((part, number) => {
    element.append(number % 2 ? make("code", {}, part) : part);
  });
  return element;
}

function nameOf(reference) {
  return reference.split("/").at(-1);
}

// A schema in a few words: a type, a list of one, or a link to its description.
function kind(schema = {}) {
  const span = make("span");
  if (schema.$ref) span.append(make("a", { href: `#${nameOf(schema.$ref)}` }, nameOf(schema.$ref)));
  else if (schema.enum) span.append(schema.enum.map((own) => JSON.stringify(own)).join(" | "));
  else if (schema.const !== undefined) span.append(JSON.stringify(schema.const));
  else if (schema.anyOf) schema.anyOf.forEach((own, number) => span.append(number ? " | " : "", kind(own)));
  else if (schema.type === "array") span.append("list of ", schema.items ? kind(schema.items) : "anything");
  else span.append(schema.format === "binary" ? "bytes" : (schema.type ?? "anything"));
  return span;
}

function table(heads, rows) {
  const body = make("tbody");
  for (const row of rows) body.append(make("tr", {}, ...row.map((cell) => make("td", {}, cell))));
  return make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))), body);
}

function example(method, path, operation) {
  const kinds = Object.keys(operation.requestBody?.content ?? {});
  const lines = [`curl -H "Authorization: Bearer $TOKEN"`];
  if (method !== "get") lines.push(`-X ${method.toUpperCase()}`);
  if (kinds.includes("text/html")) lines.push(`-H "Content-Type: text/html" --data-binary @page.html`);
  else if (kinds.includes("application/json")) lines.push(`-H "Content-Type: application/json" -d '{}'`);
  else if (kinds.length) lines.push(`-H "Content-Type: ${kinds[0]}" --data-binary @file`);
  return make("pre", {}, `${lines.join(" ")} ${location.origin}${path}`);
}

function drawOperation(method, path, operation) {
  const inside = make("div", { class: "inside" }, prose(operation.description), example(method, path, operation));
  const parameters = (operation.parameters ?? []).map((own) => [
    make("code", {}, own.name), own.in, kind(own.schema), prose(own.description ?? own.schema?.description, "span"),
  ]);
  if (parameters.length) inside.append(table(["parameter", "in", "is", ""], parameters));
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  if (bodies.length) inside.append(table(["body", "is"], bodies.map(([name, own]) => [make("code", {}, name), kind(own.schema)])));
  const answers = Object.entries(operation.responses).map(([status, own]) => [
    status, prose(own.description, "span"), kind(Object.values(own.content ?? {})[0]?.schema ?? { type: "nothing" }),
  ]);
  inside.append(table(["answer", "", "is"], answers));
  const first = (operation.description ?? "").split(/(?<=\.)\s/)[0];
  const head = make("summary", {}, make("span", { class: "method" }, method), make("code", {}, path), " ", prose(first, "small"));
  return make("details", { id: operation.operationId }, head, inside);
}

function drawSchema(name, schema) {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(([field, own]) => [
    make("code", {}, field), kind(own), required.has(field) ? "always" : "", prose(own.description, "span"),
  ]);
  const inside = make("div", { class: "inside" }, prose(schema.description), table(["field", "is", "", ""], rows));
  return make("details", { id: name }, make("summary", {}, make("code", {}, name)), inside);
}

function draw(description) {
  const main = document.getElementById("docs");
  main.append(prose(description.info.description), make("p", {}, "For programs: ", make("a", { href: "/api/openapi.json" }, "openapi.json"), ". ", make("a", { href: "/" }, "Back to the studio"), "."));
  const byTag = new Map();
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const method of METHODS.filter((own) => operations[own])) {
      const tag = operations[method].tags?.[0] ?? "other";
      if (!byTag.has(tag)) byTag.set(tag, [make("h2", {}, tag)]);
      byTag.get(tag).push(drawOperation(method, path, operations[method]));
    }
  }
  for (const parts of byTag.values()) main.append(...parts);
  main.append(make("h2", {}, "What is sent and given"));
  for (const [name, schema] of Object.entries(description.components.schemas)) main.append(drawSchema(name, schema));
  openNamed();
}

// A link to a description opens it.
function openNamed() {
  const named = location.hash && document.getElementById(location.hash.slice(1));
  if (named) {
    named.open = true;
    named.scrollIntoView();
  }
}

addEventListener("hashchange", openNamed);
const answer = await fetch("/api/openapi.json");
draw(await answer.json());
