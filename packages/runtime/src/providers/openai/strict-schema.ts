import type { JsonObject, JsonValue } from "../../messages/message.ts";

/** Keywords that strict mode accepts; those neither here nor below only describe or bound, and are left out. */
const KEPT = new Set([
  "$ref",
  "const",
  "description",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maxItems",
  "maximum",
  "minItems",
  "minimum",
  "multipleOf",
  "pattern",
  "type",
]);
const FORMATS = new Set([
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "time",
  "uuid",
]);
/** Keywords that strict mode rejects and that can't be left out without changing the meaning. */
const REFUSED = [
  "allOf",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "if",
  "not",
  "patternProperties",
  "prefixItems",
  "then",
];

/**
 * The schema of an answer for strict mode: every property is required, optional ones may be `null` instead. An
 * inexpressible one is sent unchanged, with `strict: false`; the caller checks answers anyway.
 */
export function strictFormat(schema: JsonObject): { schema: JsonObject; strict: boolean } {
  const strict = strictSchema(schema);
  return strict ? { schema: strict, strict: true } : { schema, strict: false };
}

function strictSchema(schema: JsonValue): JsonObject | undefined {
  if (!isObject(schema)) return undefined;
  if (REFUSED.some((keyword) => Object.hasOwn(schema, keyword))) return undefined;
  // A reference allows no siblings; the description is dispensable.
  if (typeof schema["$ref"] === "string") return { $ref: schema["$ref"] };
  const result: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (KEPT.has(keyword)) result[keyword] = value;
    else if (keyword === "format" && typeof value === "string" && FORMATS.has(value))
      result[keyword] = value;
    else if (keyword === "items") {
      const items = strictSchema(value);
      if (!items) return undefined;
      result[keyword] = items;
    } else if (keyword === "anyOf" || keyword === "oneOf") {
      if (!Array.isArray(value)) return undefined;
      const options = value.map(strictSchema);
      if (options.some((option) => !option)) return undefined;
      // Exclusion between alternatives is left to the caller's check.
      result["anyOf"] = options as JsonObject[];
    } else if (keyword === "$defs" || keyword === "definitions") {
      const named = strictNamed(value);
      if (!named) return undefined;
      result[keyword] = named;
    }
  }
  const isOfObject = schema["type"] === "object" || Object.hasOwn(schema, "properties");
  return isOfObject ? withAllRequired(schema, result) : result;
}

function withAllRequired(schema: JsonObject, result: JsonObject): JsonObject | undefined {
  if ((schema["additionalProperties"] ?? false) !== false) return undefined;
  const named = strictNamed(schema["properties"] ?? {});
  if (!named) return undefined;
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const properties = Object.entries(named).map(([name, property]) => [
    name,
    required.has(name) ? property : nullable(property),
  ]);
  return {
    ...result,
    properties: Object.fromEntries(properties) as JsonObject,
    required: Object.keys(named),
    additionalProperties: false,
  };
}

function strictNamed(schemas: JsonValue): Record<string, JsonObject> | undefined {
  if (!isObject(schemas)) return undefined;
  const named: Record<string, JsonObject> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const strict = strictSchema(schema);
    if (!strict) return undefined;
    named[name] = strict;
  }
  return named;
}

function nullable(schema: JsonObject): JsonObject {
  const { type, anyOf } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: "null" }] };
  const isOpen = !("enum" in schema) && !("const" in schema);
  if (isOpen && typeof type === "string") return { ...schema, type: [type, "null"] };
  return { anyOf: [schema, { type: "null" }] };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
