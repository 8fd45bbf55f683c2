import { loadLinearEngine } from "../linear-regexp/load.ts";
import type { LinearRegExp } from "../linear-regexp/linear-regexp.ts";
import type { JsonObject, JsonValue } from "../messages/message.ts";
import { nativeRegExp } from "../native-regexp.ts";
import { translateHostPattern } from "./translate-host-pattern.ts";

/** Characters of a pattern; longer ones are not checked. */
const MAX_PATTERN_LENGTH = 2_000;
/** Prefix of the `format` that replaces a pattern for the validator. */
const PATTERN_FORMAT = "pattern ";
const URL_FORMAT = "absolute url";
/** Keywords whose value holds no schema. */
const DATA_KEYWORDS = new Set(["const", "enum", "default", "required", "dependentRequired"]);
/** Keywords whose value is an object of schemas by name. */
const NAMED_KEYWORDS = new Set([
  "properties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
/** Keywords that would reject valid input if a part were left out. */
const NARROWING_KEYWORDS = new Set(["not", "oneOf"]);

type Check = (text: string) => boolean;

/** A schema whose patterns and formats all take time that grows no faster than the text. */
export interface LinearSchema {
  schema: JsonObject;
  /** Checks by format of the schema, besides the standard formats. */
  formats: ReadonlyMap<string, Check>;
  /** Patterns that neither engine can check safely: such a schema allows any text in their places. */
  unchecked: readonly string[];
  /** Characters that a property's name may have where names are checked by patterns. */
  longestName: number;
}

/**
 * Copies a schema for a validator that asks the host's regular expressions, which for some patterns and texts take
 * practically forever: a schema comes from a server, the text from a model that the server talks to. Patterns become
 * formats that the linear engine checks; it is loaded only when a pattern needs it. `isKnownFormat` is asked of other formats.
 */
export async function linearSchema(
  schema: JsonObject,
  isKnownFormat: (format: string) => boolean,
): Promise<LinearSchema> {
  const patterns = new Set<string>();
  collectPatterns(schema, patterns);
  const checks = new Map<string, Check>();
  for (const pattern of patterns) {
    const check = await checkOf(pattern);
    if (check) checks.set(pattern, check);
  }
  const copier = new Copier(checks, isKnownFormat);
  const copied = copier.copy(schema) as JsonObject;
  const formats = new Map([[URL_FORMAT, isUrl]]);
  for (const [pattern, check] of checks) formats.set(PATTERN_FORMAT + pattern, check);
  return { schema: copied, formats, unchecked: copier.unchecked, longestName: copier.longestName };
}

/** The pattern behind a format of such a schema. */
export function patternOfFormat(format: string): string | undefined {
  return format.startsWith(PATTERN_FORMAT) ? format.slice(PATTERN_FORMAT.length) : undefined;
}

/** Reports whether a property name anywhere in the value is over `longest` characters. */
export function hasLongName(value: unknown, longest: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, inner]) =>
      (name.length > longest && !Array.isArray(value)) || hasLongName(inner, longest),
  );
}

function collectPatterns(value: unknown, into: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === "pattern" && typeof inner === "string") into.add(inner);
    else collectPatterns(inner, into);
  }
}

class Copier {
  readonly unchecked: string[] = [];
  longestName = Number.POSITIVE_INFINITY;
  readonly #checks: ReadonlyMap<string, Check>;
  readonly #isKnownFormat: (format: string) => boolean;

  constructor(checks: ReadonlyMap<string, Check>, isKnownFormat: (format: string) => boolean) {
    this.#checks = checks;
    this.#isKnownFormat = isKnownFormat;
  }

  copy(schema: JsonValue): JsonValue {
    if (Array.isArray(schema)) return schema.map((inner) => this.copy(inner));
    if (typeof schema !== "object" || schema === null) return schema;
    const formats: string[] = [];
    const left = new Set<string>();
    const copied = Object.entries(schema).flatMap(([key, value]): [string, JsonValue][] => {
      if (key === "pattern") {
        formats.push(...this.#pattern(value));
        return [];
      }
      if (key === "format") {
        formats.push(...this.#format(value));
        return [];
      }
      const before = this.unchecked.length;
      const inner = this.#keyword(key, value);
      if (this.unchecked.length > before) {
        if (NARROWING_KEYWORDS.has(key)) return [];
        if (key === "if") for (const name of ["if", "then", "else"]) left.add(name);
        if (key === "patternProperties") {
          for (const name of ["additionalProperties", "unevaluatedProperties"]) left.add(name);
        }
      }
      return [[key, inner]];
    });
    return withFormats(Object.fromEntries(copied.filter(([key]) => !left.has(key))), formats);
  }

  #keyword(key: string, value: JsonValue): JsonValue {
    if (DATA_KEYWORDS.has(key)) return value;
    if (key === "patternProperties") return this.#named(value, (name) => this.#isSafeName(name));
    return NAMED_KEYWORDS.has(key) ? this.#named(value, () => true) : this.copy(value);
  }

  #named(value: JsonValue, isKept: (name: string) => boolean): JsonValue {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const kept = Object.entries(value).filter(([name]) => isKept(name));
    return Object.fromEntries(kept.map(([name, inner]) => [name, this.copy(inner)]));
  }

  #pattern(pattern: JsonValue): string[] {
    if (typeof pattern !== "string") return [];
    if (this.#checks.has(pattern)) return [PATTERN_FORMAT + pattern];
    this.unchecked.push(pattern);
    return [];
  }

  #format(format: JsonValue): string[] {
    if (typeof format !== "string") return [];
    // The validator's own takes exponential time.
    if (format === "url") return [URL_FORMAT];
    return this.#isKnownFormat(format) ? [format] : [];
  }

  /** Names are checked by the validator itself, so only patterns that the host's engine is safe with remain. */
  #isSafeName(pattern: string): boolean {
    const quick = nativeRegExp(pattern);
    if (quick && hostPattern(pattern)) {
      this.longestName = Math.min(this.longestName, quick.longest);
      return true;
    }
    this.unchecked.push(pattern);
    return false;
  }
}

function withFormats(schema: JsonObject, formats: readonly string[]): JsonValue {
  const [first, ...more] = formats;
  if (first === undefined) return schema;
  if (more.length === 0) return { ...schema, format: first };
  const { allOf = [] } = schema;
  const all = Array.isArray(allOf) ? allOf : [];
  return { ...schema, allOf: [...all, ...formats.map((format) => ({ format }))] };
}

/** Uses the host's engine where safe, else the linear one; `undefined` when neither accepts the pattern. */
async function checkOf(pattern: string): Promise<Check | undefined> {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  const host = hostPattern(pattern);
  const longest = (host && nativeRegExp(pattern)?.longest) ?? -1;
  if (host && longest === Number.POSITIVE_INFINITY) return (text) => host.test(text);
  const linear = await linearPattern(pattern);
  if (!linear) return undefined;
  return (text) => (host && text.length <= longest ? host.test(text) : linear.test(text));
}

function hostPattern(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}

async function linearPattern(pattern: string): Promise<LinearRegExp | undefined> {
  const { compileLinear, LinearSyntaxError } = await loadLinearEngine();
  try {
    return compileLinear(translateHostPattern(pattern));
  } catch (error) {
    if (error instanceof LinearSyntaxError) return undefined;
    throw error;
  }
}

function isUrl(text: string): boolean {
  return /^(?:https?|ftp):\/\//i.test(text) && URL.canParse(text);
}
