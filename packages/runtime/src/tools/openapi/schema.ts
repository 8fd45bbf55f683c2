import type { JsonObject, JsonValue } from "../../messages/message.ts";
import {
  NAMED_SCHEMA_KEYWORDS,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
} from "../schema-keywords.ts";
import { follow, isRecord, list, target, text } from "./document.ts";

/** Keywords that say nothing about what to send, or would change where references lead. */
const LEFT_OUT = ["xml", "externalDocs", "discriminator", "example", "readOnly", "$id", "$schema"];

/** Schemas of one tool's arguments, with the schemas that they refer to. */
export interface SchemaCopies {
  copy(schema: JsonValue | undefined): JsonValue;
  /** What the copies refer to as `#/$defs/<name>`: only what is in use, each once, so circles are no trouble. */
  readonly defs: JsonObject;
}

/** Takes schemas out of the document, so that they stand on their own as the parameters of a tool. */
export function copySchemas(document: JsonObject): SchemaCopies {
  const defs: JsonObject = {};
  const names = new Map<string, string>();

  const nameOf = (reference: string): string => {
    const known = names.get(reference);
    if (known !== undefined) return known;
    const last = reference.slice(reference.lastIndexOf("/") + 1);
    const base = last.replaceAll(/[^A-Za-z0-9_.-]/g, "_") || "schema";
    let name = base;
    for (let number = 2; Object.hasOwn(defs, name); number++) name = `${base}_${number}`;
    names.set(reference, name);
    // Its place is taken before it is copied: it may refer to itself.
    defs[name] = true;
    defs[name] = copy(target(document, reference));
    return name;
  };

  const copy = (schema: JsonValue | undefined): JsonValue => {
    if (!isRecord(schema)) return typeof schema === "boolean" ? schema : {};
    const hidden = new Set(readOnlyProperties(document, schema));
    const copied: JsonObject = {};
    for (const [key, value] of Object.entries(schema)) {
      if (LEFT_OUT.includes(key) || key.startsWith("x-")) continue;
      if (key === "$ref" && typeof value === "string") {
        copied["$ref"] = `#/$defs/${nameOf(value)}`;
      } else if (SCHEMA_KEYWORDS.includes(key)) {
        copied[key] = copy(value);
      } else if (SCHEMA_LIST_KEYWORDS.includes(key)) {
        copied[key] = list(value).map(copy);
      } else if (NAMED_SCHEMA_KEYWORDS.includes(key) && isRecord(value)) {
        const entries = Object.entries(value).filter(
          ([name]) => key !== "properties" || !hidden.has(name),
        );
        copied[key] = Object.fromEntries(entries.map(([name, inner]) => [name, copy(inner)]));
      } else if (key === "required") {
        copied[key] = list(value).filter((name) => !hidden.has(text(name)));
      } else {
        copied[key] = value;
      }
    }
    return copied;
  };
  return { copy, defs };
}

/** Properties that only answers have, such as an id that the server gives. */
function readOnlyProperties(document: JsonObject, { properties }: JsonObject): string[] {
  if (!isRecord(properties)) return [];
  return Object.entries(properties)
    .filter(([, schema]) => isRecord(schema) && isReadOnly(document, schema))
    .map(([name]) => name);
}

function isReadOnly(document: JsonObject, schema: JsonObject): boolean {
  return schema["readOnly"] === true || follow(document, schema)["readOnly"] === true;
}
