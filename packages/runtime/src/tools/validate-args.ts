import type { ValidationResult, Validator } from "@cfworker/json-schema";
import type { JsonObject, ToolArgs } from "../messages/message.ts";
import {
  hasLongName,
  type LinearSchema,
  linearSchema,
  patternOfFormat,
} from "./linear-patterns.ts";
import type { Tool, Validation } from "./tool.ts";

/** Enough to mend a call by; a model that gets all of them wrong needs the schema, which is shown as well. */
const MAX_PROBLEMS = 10;

/**
 * Validates the arguments of a call, by the tool's own `validate` if present, else against its JSON Schema. Nothing is
 * coerced: `"5"` is not a number. Each problem starts with its path in the arguments, such as `/edits/0/oldString:
 * required`.
 */
export async function validateArgs<Args extends ToolArgs>(
  tool: Pick<Tool<Args>, "parameters" | "validate">,
  args: ToolArgs,
): Promise<Validation<Args>> {
  if (tool.validate) return tool.validate(args);
  const problems = await schemaProblems(tool.parameters, args);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, args: args as Args };
}

/** The message to the model about invalid arguments: the problems, and the schema. */
export function invalidArgumentsText(
  tool: Pick<Tool, "name" | "parameters">,
  problems: readonly string[],
): string {
  const more = problems.length - MAX_PROBLEMS;
  return [
    `Invalid arguments for ${tool.name}; it did not run.`,
    ...problems.slice(0, MAX_PROBLEMS).map((problem) => `- ${problem}`),
    ...(more > 0 ? [`- … and ${more} more`] : []),
    "Call it again with arguments that follow this JSON Schema:",
    JSON.stringify(tool.parameters),
  ].join("\n");
}

interface Checked extends LinearSchema {
  validator: Validator;
  /** The validator's own table, in which it looks up a `format`. */
  known: Record<string, (text: string) => boolean>;
}

/** Cached by schema, since compiling it is most of a check's cost. */
const checkedSchemas = new WeakMap<JsonObject, Checked>();

async function loadChecked(schema: JsonObject): Promise<Checked> {
  const { Validator, format: known } = await import("@cfworker/json-schema");
  const linear = await linearSchema(schema, (format) => Object.hasOwn(known, format));
  const made = { ...linear, validator: new Validator(linear.schema, "2020-12", false), known };
  checkedSchemas.set(schema, made);
  return made;
}

/** Patterns of a schema that can't be checked in linear time and are therefore not checked here at all. */
export async function uncheckedPatterns(schema: JsonObject): Promise<readonly string[]> {
  return (checkedSchemas.get(schema) ?? (await loadChecked(schema))).unchecked;
}

/** One sentence for developers about each of those patterns. */
export async function patternWarnings({
  name,
  parameters,
}: Pick<Tool, "name" | "parameters">): Promise<string[]> {
  const patterns = await uncheckedPatterns(parameters);
  return patterns.map(
    (pattern) =>
      `${name}: arguments are not checked by the pattern ${JSON.stringify(pattern)}, which needs more than RE2's syntax`,
  );
}

async function schemaProblems(schema: JsonObject, args: ToolArgs): Promise<string[]> {
  const checked = checkedSchemas.get(schema) ?? (await loadChecked(schema));
  const given = withoutUndefined(args);
  if (hasLongName(given, checked.longestName))
    return [`/: the name of a property has over ${Math.floor(checked.longestName)} characters`];
  const { errors } = validated(checked, given);
  if (errors.length === 0) return [];
  return [...new Set(errors.flatMap((error) => describe(error, checked.schema, given)))];
}

/** Formats are global to the validator, so this schema's are registered only during its synchronous run. */
function validated({ validator, known, formats }: Checked, args: ToolArgs): ValidationResult {
  for (const [name, check] of formats) known[name] = check;
  try {
    return validator.validate(args);
  } finally {
    for (const name of formats.keys()) delete known[name];
  }
}

/** A program may write `{ limit: undefined }` for an argument it leaves out; JSON can't. */
function withoutUndefined(args: ToolArgs): ToolArgs {
  if (!Object.values(args).includes(undefined)) return args;
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}

interface SchemaError {
  instanceLocation: string;
  keyword: string;
  keywordLocation: string;
  error: string;
}

/** Keywords whose errors only say that something further down is wrong, which has an error of its own. */
const OUTER = new Set([
  "properties",
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "items",
  "prefixItems",
  "additionalItems",
  "allOf",
  "then",
  "else",
  "$ref",
  "$recursiveRef",
]);

/** One problem per fix, in words made from schema and value rather than the validator's. */
function describe(found: SchemaError, schema: JsonObject, args: ToolArgs): string[] {
  const { keyword, error } = found;
  if (OUTER.has(keyword)) return [];
  const place = found.instanceLocation.slice(1);
  const value = at(args, place.split("/").slice(1));
  const rule = at(schema, found.keywordLocation.split("/").slice(1));
  if (keyword === "false") return [`${place}: unknown property`];
  if (keyword === "required" && Array.isArray(rule) && isRecord(value)) {
    return rule
      .filter((name) => !Object.hasOwn(value, String(name)))
      .map((name) => `${place}/${name}: required`);
  }
  const where = place || "/";
  if (keyword === "type" && rule !== undefined) {
    return [
      `${where}: must be of type ${[rule].flat().map(String).join(" or ")}, not ${typeName(value)}`,
    ];
  }
  if (keyword === "enum" && Array.isArray(rule)) {
    return [`${where}: must be one of ${rule.map((item) => JSON.stringify(item)).join(", ")}`];
  }
  const pattern = keyword === "format" ? patternOfFormat(String(rule)) : undefined;
  if (pattern !== undefined)
    return [`${where}: String does not match pattern. (pattern: ${pattern})`];
  const simple = typeof rule === "string" || typeof rule === "number";
  return [`${where}: ${error}${simple ? ` (${keyword}: ${rule})` : ""}`];
}

/** Resolves the parts of a JSON Pointer, following `$ref`s within the schema as the validator does. */
function at(root: unknown, parts: readonly string[]): unknown {
  let node = root;
  for (const part of parts) {
    if (typeof node === "string" && node.startsWith("#/")) {
      node = at(root, node.split("/").slice(1));
    }
    if (Array.isArray(node)) node = node[Number(part)];
    else if (isRecord(node)) node = node[unescapePointer(part)];
    else return undefined;
  }
  return node;
}

function unescapePointer(part: string): string {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
