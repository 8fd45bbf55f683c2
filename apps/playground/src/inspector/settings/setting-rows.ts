import type { ResolvedSettings } from "@robota/runtime/settings";

/** One value in force and where it comes from. */
export interface SettingRow {
  /** Path of the setting, such as `permissions.allow.0`. */
  path: string;
  /** The value as JSON, without keys. */
  value: string;
  layer: string;
}

/** Names of settings whose values may be keys. */
const SECRET = /key|token|secret|authorization|password|headers|env\./i;

/** Every value that some layer sets, by path. */
export function settingRows({ values, sources }: ResolvedSettings): SettingRow[] {
  return Object.entries(sources)
    .map(([path, layer]) => ({ path, layer, value: valueText(path, valueAt(values, path)) }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function valueText(path: string, value: unknown): string {
  if (SECRET.test(path)) return "hidden";
  return JSON.stringify(value) ?? "";
}

function valueAt(values: unknown, path: string): unknown {
  let at = values;
  let rest = path.split(".");
  // Names of servers and rules may contain dots: the longest one that is there counts.
  while (rest.length > 0) {
    if (typeof at !== "object" || at === null) return undefined;
    const length = rest.findLastIndex((_, index) =>
      Object.hasOwn(at as object, rest.slice(0, index + 1).join(".")),
    );
    if (length < 0) return undefined;
    at = Reflect.get(at, rest.slice(0, length + 1).join("."));
    rest = rest.slice(length + 1);
  }
  return at;
}

/** The value of a text box: JSON where it is some, else the text itself. */
export function parseValue(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A change that sets one value at a path of names. */
export function changeAt(path: string, value: unknown): Record<string, unknown> {
  const [name = "", ...rest] = path.split(".");
  return { [name]: rest.length === 0 ? value : changeAt(rest.join("."), value) };
}

/** Settings with such a change; objects are merged, other values replaced. */
export function merged(
  present: Readonly<Record<string, unknown>>,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const next: Record<string, unknown> = { ...present };
  for (const [name, value] of Object.entries(change)) {
    const now = Object.hasOwn(present, name) ? present[name] : undefined;
    next[name] = isObject(value) && isObject(now) ? merged(now, value) : value;
  }
  return next;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
