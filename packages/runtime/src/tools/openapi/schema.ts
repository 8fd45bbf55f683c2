import type { JsonObject, JsonValue } from "../../messages/message.ts";
import {
  NAMED_SCHEMA_KEYWORDS,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
} from "../schema-keywords.ts";
import { follow, isRecord, list, target, text } from "./document.ts";

/** Keywords that are irrelevant for requests, or would change the meaning of references. */
const LEFT_OUT = ["xml", "externalDocs", "discriminator", "example", "readOnly", "$id", "$schema"];

/** Schemas of one tool's arguments, with the schemas that they refer to. */
export interface SchemaCopies {
  copy(schema: JsonValue | undefined): JsonValue;
  /** The definitions that copies refer to as `#/$defs/<name>`: only used ones, each once, so cycles are fine. */
  readonly defs: JsonObject;
}

/** Extracts self-contained schemas from the document, for the parameters of a tool. */
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
    // Reserved before copying: the schema may refer to itself.
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
