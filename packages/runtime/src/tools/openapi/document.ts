import { ConfigurationError, errorMessage } from "../../errors.ts";
import type { JsonObject, JsonValue } from "../../messages/message.ts";
import { parseYaml } from "../../parse-yaml.ts";

/** A reference may lead to another one; longer chains than this go in circles. */
const MAX_CHAIN = 20;

/**
 * Reads an OpenAPI document as plain data in the terms of version 3.1: from an object, which is not modified, or from
 * JSON or YAML text. Documents of 3.0 and 2.0 are upgraded to 3.1, whose schemas are JSON Schema.
 * @throws {ConfigurationError}
 */
export async function readDocument(source: object | string): Promise<JsonObject> {
  const document = typeof source === "string" ? await parse(source) : copy(source);
  const { openapi, swagger } = document;
  const version = text(openapi ?? swagger);
  if (!/^(?:3\.[0-2]|2\.0)(?:\.|$)/.test(version)) {
    throw new ConfigurationError(
      version === "" ? "The document has no `openapi` version" : `OpenAPI ${version} can't be read`,
      { hint: "Give an OpenAPI 3.0 or 3.1 document." },
    );
  }
  if (/^3\.[12]/.test(version)) return document;
  const { upgradeFromThreeToThreeOne, upgradeFromTwoToThree } = await import("./upgrader.ts");
  return copy(upgradeFromThreeToThreeOne(upgradeFromTwoToThree(document)));
}

async function parse(text: string): Promise<JsonObject> {
  try {
    if (text.trimStart().startsWith("{")) return copy(JSON.parse(text) as object);
    return copy((await parseYaml(text, { merge: true })) as object);
  } catch (cause) {
    if (cause instanceof ConfigurationError) throw cause;
    throw new ConfigurationError(`The OpenAPI document can't be read: ${errorMessage(cause)}`, {
      cause,
      hint: "Give the document as an object, or as its JSON or YAML text.",
    });
  }
}

function copy(source: unknown): JsonObject {
  if (!isRecord(source)) {
    throw new ConfigurationError("An OpenAPI document is an object", {
      hint: "Give the document itself, not its address.",
    });
  }
  try {
    return JSON.parse(JSON.stringify(source)) as JsonObject;
  } catch (cause) {
    throw new ConfigurationError("The OpenAPI document holds itself", {
      cause,
      hint: "Give it as it was before its `$ref`s were replaced by objects.",
    });
  }
}

/**
 * Resolves a value of the document: itself, or the target of its `$ref`.
 * @throws {ConfigurationError} for a dangling, external or circular reference
 */
export function follow(document: JsonObject, value: JsonValue | undefined): JsonObject {
  let current = value;
  for (let step = 0; step < MAX_CHAIN; step++) {
    if (!isRecord(current)) return {};
    const { $ref } = current;
    if (typeof $ref !== "string") return current;
    current = target(document, $ref);
  }
  throw new ConfigurationError("A `$ref` of the OpenAPI document leads in circles", {
    hint: `Look at ${JSON.stringify(value)}.`,
  });
}

/** The target of a reference within the document. @throws {ConfigurationError} */
export function target(document: JsonObject, reference: string): JsonValue {
  if (!reference.startsWith("#/")) {
    throw new ConfigurationError(`"${reference}" is not in this OpenAPI document`, {
      hint: "Bundle the documents into one first, for example with `redocly bundle`.",
    });
  }
  let node: JsonValue | undefined = document;
  for (const part of reference.slice(2).split("/")) {
    const key = unescapePart(part);
    if (Array.isArray(node)) node = node[Number(key)];
    else node = isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined;
  }
  if (node !== undefined) return node;
  throw new ConfigurationError(`The OpenAPI document has no ${reference}`, {
    hint: "Correct the `$ref`, or add what it names.",
  });
}

function unescapePart(part: string): string {
  const pointer = part.includes("%") ? decodeURIComponent(part) : part;
  return pointer.replaceAll("~1", "/").replaceAll("~0", "~");
}

// Documents are not always as they should be: a field of another type than it must have counts as absent.

export function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function record(value: JsonValue | undefined): JsonObject {
  return isRecord(value) ? value : {};
}

export function list(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
