import { defined } from "../defined.ts";
import { misspeltName, nearNames } from "../messages/near-names.ts";
import type { JsonObject } from "../messages/message.ts";
import type { CustomHook, FunctionHook, HookDefinition, HookOptions } from "./definition.ts";

const TYPES = ["command", "http", "prompt", "agent", "function"];
/** The fields of hooks of any type. */
const COMMON = ["type", "layer", "timeout", "onFailure"];
/** The fields of hooks of this runtime's own types, besides those. */
const OWN = [
  "command",
  "url",
  "method",
  "headers",
  "prompt",
  "judge",
  "agent",
  "config",
  "run",
  "name",
];
const KNOWN = [...COMMON, ...OWN];
const METHODS = ["POST", "PUT", "PATCH", "GET"] as const;
/** Seconds of a day. */
const MAX_TIMEOUT = 86_400;

export interface ReadHook {
  /** Absent when it can't be used; `problems` says why. */
  hook?: HookDefinition;
  onFailure: "block" | "warn";
  problems: { field: string; message: string }[];
}

/**
 * Reads one hook of a configuration from a file or a program. Only own fields count. An unreadable guard keeps its
 * `onFailure`, so that a typo does not open what it guards. `types` are those with custom executors, besides all names
 * with a colon.
 */
export function readHook(raw: unknown, types: ReadonlySet<string> = new Set()): ReadHook {
  const fields = new Fields(raw);
  const { problems } = fields;
  const onFailure = fields.oneOf("onFailure", ["block", "warn"]) ?? "warn";
  const hook = fields.isObject ? readDefinition(fields, readOptions(fields), types) : undefined;
  if (!fields.isObject) problems.push({ field: "", message: "must be an object" });
  const isCustom = isCustomType(fields.get("type"), types);
  const meant = fields.refuseMisspelt(isCustom ? COMMON : KNOWN);
  // A misspelt `onFailure` or `block` must not read as `warn`.
  const isStrict =
    meant.includes("onFailure") || problems.some(({ field }) => field === "onFailure");
  return defined({
    hook: hook && problems.length === 0 ? hook : undefined,
    onFailure: isStrict ? "block" : onFailure,
    problems,
  });
}

function readOptions(fields: Fields): HookOptions {
  const timeout = fields.get("timeout");
  const layer = fields.text("layer");
  const onFailure = fields.oneOf("onFailure", ["block", "warn"]);
  const options: HookOptions = defined({ layer, onFailure });
  if (timeout === undefined) return options;
  if (typeof timeout === "number" && timeout > 0 && timeout <= MAX_TIMEOUT) {
    return { ...options, timeout };
  }
  fields.wrong("timeout", `must be a number of seconds above 0 and at most ${MAX_TIMEOUT}`);
  return options;
}

function readDefinition(
  fields: Fields,
  options: HookOptions,
  types: ReadonlySet<string>,
): HookDefinition | undefined {
  const type = fields.get("type");
  switch (type) {
    case "command":
      return { ...options, type, command: fields.words("command") };
    case "http":
      return readHttp(fields, options);
    case "prompt": {
      const judge = fields.flag("judge");
      const prompt = fields.words("prompt");
      return { ...options, type, prompt, ...defined({ judge }) };
    }
    case "agent": {
      const config = fields.object("config");
      return { ...options, type, agent: fields.words("agent"), ...defined({ config }) };
    }
    case "function": {
      const run = fields.get("run");
      const name = fields.text("name");
      if (isHookFunction(run)) return { ...options, type, run, ...defined({ name }) };
      fields.wrong("run", "must be a function");
      return undefined;
    }
    default:
      if (isCustomType(type, types)) return { ...fields.all(), ...options, type };
      fields.wrong("type", typeHint(type, types));
      return undefined;
  }
}

function readHttp(fields: Fields, options: HookOptions): HookDefinition {
  const url = fields.words("url");
  const parsed = URL.parse(url);
  if (url !== "" && (!parsed || !/^https?:$/.test(parsed.protocol))) {
    fields.wrong("url", "must be an address that begins with http:// or https://");
  } else if (parsed && (parsed.username !== "" || parsed.password !== "")) {
    fields.wrong("url", "must not hold a user or a password: send them in headers");
  }
  const method = fields.oneOf("method", METHODS);
  const headers = fields.texts("headers");
  if (headers && !canBeSent(headers)) fields.wrong("headers", "must be valid in a request");
  return { ...options, type: "http", url, ...defined({ method, headers }) };
}

function canBeSent(headers: Record<string, string>): boolean {
  try {
    return new Headers(headers) instanceof Headers;
  } catch {
    return false;
  }
}

function isHookFunction(value: unknown): value is FunctionHook["run"] {
  return typeof value === "function";
}

/** Names without a colon are types too where there is an executor for them. */
function isCustomType(value: unknown, types: ReadonlySet<string>): value is CustomHook["type"] {
  return typeof value === "string" && (/^[^:\s]+:[^:\s]+$/.test(value) || types.has(value));
}

function typeHint(type: unknown, types: ReadonlySet<string>): string {
  const known = [...TYPES, ...types];
  const near = typeof type === "string" ? nearNames(type, known) : [];
  const meant = near.length > 0 ? `. Did you mean ${near.join(" or ")}?` : "";
  return `must be one of ${known.join(", ")}, or a type of your own such as acme:chat${meant}`;
}

/** The own fields of a presumed object, and their problems. */
export class Fields {
  readonly problems: { field: string; message: string }[] = [];
  readonly isObject: boolean;
  readonly #own: Readonly<Record<string, unknown>>;

  constructor(raw: unknown) {
    this.isObject = typeof raw === "object" && raw !== null && !Array.isArray(raw);
    this.#own = typeof raw === "object" ? { ...raw } : {};
  }

  get(field: string): unknown {
    return Object.hasOwn(this.#own, field) ? this.#own[field] : undefined;
  }

  all(): Readonly<Record<string, unknown>> {
    return this.#own;
  }

  wrong(field: string, message: string): void {
    if (this.problems.some((problem) => problem.field === field)) return;
    this.problems.push({ field, message });
  }

  /** Reports fields whose names are known ones with a typo. @returns the names that were meant */
  refuseMisspelt(known: readonly string[]): string[] {
    const all: string[] = [];
    for (const field of Object.keys(this.#own)) {
      const meant = known.includes(field) ? undefined : misspeltName(field, known);
      if (meant === undefined) continue;
      this.wrong(field, `is not a known field. Did you mean ${meant}?`);
      all.push(meant);
    }
    return all;
  }

  /** A required, non-empty text; empty when invalid. */
  words(field: string): string {
    const value = this.get(field);
    if (typeof value === "string" && value.trim() !== "") return value;
    this.wrong(field, "must be a text that is not empty");
    return "";
  }

  text(field: string): string | undefined {
    const value = this.get(field);
    if (value === undefined || typeof value === "string") return value;
    this.wrong(field, "must be a text");
    return undefined;
  }

  flag(field: string): boolean | undefined {
    const value = this.get(field);
    if (value === undefined || typeof value === "boolean") return value;
    this.wrong(field, "must be true or false");
    return undefined;
  }

  oneOf<Word extends string>(field: string, words: readonly Word[]): Word | undefined {
    const value = this.get(field);
    const word = words.find((candidate) => candidate === value);
    if (value !== undefined && word === undefined) {
      this.wrong(field, `must be one of ${words.join(", ")}`);
    }
    return word;
  }

  object(field: string): JsonObject | undefined {
    const value = this.get(field);
    if (value === undefined) return undefined;
    if (isPlainObject(value)) return value;
    this.wrong(field, "must be an object");
    return undefined;
  }

  texts(field: string): Record<string, string> | undefined {
    const value = this.object(field);
    if (!value) return undefined;
    const entries = Object.entries(value);
    const texts = entries.filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    if (texts.length === entries.length) return Object.fromEntries(texts);
    this.wrong(field, "must have texts as values");
    return undefined;
  }
}

function isPlainObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
