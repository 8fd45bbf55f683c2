import { findJsonProblem } from "../../messages/strict-json.ts";
import { withoutComments } from "./json-comments.ts";
import { type SettingsFile, unreadable } from "./settings-files.ts";
import { isObject, type SettingsObject } from "./settings-object.ts";
import type { SettingsScope } from "./settings.ts";

const MAX_FILE = 1_000_000;
/** Names that reach shared prototypes. */
const RESERVED = new Set(["__proto__", "constructor", "prototype"]);

/** The settings from one source. */
export interface SettingsLayer {
  /** `invocation`, `environment` for its variables, `host` for the platform's, or the file's path as people write it. */
  name: string;
  scope: SettingsScope;
  /** True for another program's file, which may contain unrelated settings. */
  isForeign: boolean;
  values: SettingsObject;
}

/**
 * The existing layers in order of precedence.
 * @throws {ConfigurationError} for a file that is not a JSON object
 */
export function layersOf(
  files: readonly SettingsFile[],
  given: {
    invocation?: object | undefined;
    environment?: object | undefined;
    host?: object | undefined;
  },
): SettingsLayer[] {
  const layers = files.map(({ bytes, ...file }) => ({
    ...file,
    values: parseSettings(bytes, file.name, file),
  }));
  return [
    ...layerOf("invocation", "invocation", given.invocation),
    ...layerOf("environment", "invocation", given.environment),
    ...layers,
    ...layerOf("host", "user", given.host),
  ];
}

function layerOf(
  name: string,
  scope: SettingsScope,
  settings: object | undefined,
): SettingsLayer[] {
  if (!settings) return [];
  return [{ name, scope, isForeign: false, values: ownCopy(settings, name) }];
}

/**
 * The settings in a file. Robota's own files may have comments and trailing commas; another program's is plain JSON.
 * @throws {ConfigurationError} for anything but one object
 */
export function parseSettings(
  bytes: Uint8Array,
  name: string,
  { isForeign }: { isForeign: boolean } = { isForeign: false },
): SettingsObject {
  if (bytes.length > MAX_FILE) throw unreadable(name, "it is larger than a megabyte");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw unreadable(name, "it is not UTF-8 text", cause);
  }
  if (!isForeign) text = withoutComments(text);
  const problem = findJsonProblem(text);
  if (problem) {
    const line = text.slice(0, problem.offset).split("\n").length;
    throw unreadable(name, `line ${line}: ${problem.problem}`);
  }
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw unreadable(name, "it is not an object");
  return ownCopy(value, name);
}

/** A frozen, unshared copy. Functions are kept: hooks can be some. */
function ownCopy(value: object, layer: string): SettingsObject {
  const copy = (inner: unknown, depth: number): unknown => {
    if (depth > 64) throw unreadable(layer, "it has more than 64 levels");
    if (Array.isArray(inner)) return inner.map((item: unknown) => copy(item, depth + 1));
    if (typeof inner !== "object" || inner === null) return inner;
    return copyObject(inner, depth + 1);
  };
  const copyObject = (object: object, depth: number): SettingsObject => {
    const entries = Object.entries(object).filter(([, inner]) => inner !== undefined);
    const reserved = entries.find(([key]) => RESERVED.has(key));
    if (reserved) throw unreadable(layer, `${reserved[0]} can't be the name of a setting`);
    return Object.fromEntries(entries.map(([key, inner]) => [key, copy(inner, depth)]));
  };
  return copyObject(value, 0);
}
