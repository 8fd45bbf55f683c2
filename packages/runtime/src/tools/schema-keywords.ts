/** Keywords of JSON Schema whose value is one schema. */
export const SCHEMA_KEYWORDS = [
  "items",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "not",
  "contains",
  "propertyNames",
  "if",
  "then",
  "else",
  "contentSchema",
];
/** Keywords whose value is a list of schemas. */
export const SCHEMA_LIST_KEYWORDS = ["anyOf", "oneOf", "allOf", "prefixItems"];
/** Keywords whose value is an object of schemas by name. */
export const NAMED_SCHEMA_KEYWORDS = [
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
];
