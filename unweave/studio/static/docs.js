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

function getSchemaName(reference) {
  return reference.split("/").at(-1);
}

// A schema in a few words: a type, a list of one, or a link to its description.
function describeType(schema = {}) {
  const span = make("span");
  if (schema.$ref) span.append(make("a", { href: `#${getSchemaName(schema.$ref)}` }, getSchemaName(schema.$ref)));
  else if (schema.enum) span.append(schema.enum.map((schemaPart) => JSON.stringify(schemaPart)).join(" | "));
  else if (schema.const !== undefined) span.append(JSON.stringify(schema.const));
  else if (schema.anyOf) schema.anyOf.forEach((schemaPart, number) => span.append(number ? " | " : "", describeType(schemaPart)));
  else if (schema.type === "array") span.append("list of ", schema.items ? describeType(schema.items) : "anything");
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
  const parameters = (operation.parameters ?? []).map((schemaPart) => [
    make("code", {}, schemaPart.name), schemaPart.in, describeType(schemaPart.schema), prose(schemaPart.description ?? schemaPart.schema?.description, "span"),
  ]);
  if (parameters.length) inside.append(table(["parameter", "in", "is", ""], parameters));
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  if (bodies.length) inside.append(table(["body", "is"], bodies.map(([name, schemaPart]) => [make("code", {}, name), describeType(schemaPart.schema)])));
  const responses = Object.entries(operation.responses).map(([status, schemaPart]) => [
    status, prose(schemaPart.description, "span"), describeType(Object.values(schemaPart.content ?? {})[0]?.schema ?? { type: "nothing" }),
  ]);
  inside.append(table(["answer", "", "is"], responses));
  const first = (operation.description ?? "").split(/(?<=\.)\s/)[0];
  const head = make("summary", {}, make("span", { class: "method" }, method), make("code", {}, path), " ", prose(first, "small"));
  return make("details", { id: operation.operationId }, head, inside);
}

function drawSchema(name, schema) {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(([field, schemaPart]) => [
    make("code", {}, field), describeType(schemaPart), required.has(field) ? "always" : "", prose(schemaPart.description, "span"),
  ]);
  const inside = make("div", { class: "inside" }, prose(schema.description), table(["field", "is", "", ""], rows));
  return make("details", { id: name }, make("summary", {}, make("code", {}, name)), inside);
}

function draw(description) {
  const main = document.getElementById("docs");
  main.append(prose(description.info.description), make("p", {}, "For programs: ", make("a", { href: "/api/openapi.json" }, "openapi.json"), ". ", make("a", { href: "/" }, "Back to the studio"), "."));
  const byTag = new Map();
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const method of METHODS.filter((schemaPart) => operations[schemaPart])) {
      const tag = operations[method].tags?.[0] ?? "other";
      if (!byTag.has(tag)) byTag.set(tag, [make("h2", {}, tag)]);
      byTag.get(tag).push(drawOperation(method, path, operations[method]));
    }
  }
  for (const parts of byTag.values()) main.append(...parts);
  main.append(make("h2", {}, "Requests and responses"));
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
const response = await fetch("/api/openapi.json");
draw(await response.json());
