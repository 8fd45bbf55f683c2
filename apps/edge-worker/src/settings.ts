import {
  bashTool,
  ConfigurationError,
  editTool,
  globTool,
  grepTool,
  type PermissionMode,
  readTool,
  webFetchTool,
  webSearchTool,
  writeTool,
} from "@robota/runtime";
import { PERMISSION_MODES } from "@robota/runtime/permissions";
import { sampleProject } from "@robota/runtime/providers/offline";
import type { UsageLimits } from "@robota/runtime/transports";

const COMMAND_SCOPES = ["read", "write", "privilege"] as const;
const TOOLS = [
  bashTool,
  readTool,
  writeTool,
  editTool,
  globTool,
  grepTool,
  webFetchTool,
  webSearchTool,
].map(({ name }) => name);
/** Key of the settings in the KV namespace. */
const SETTINGS_KEY = "settings";
/** Seconds that a change in the namespace may take to be seen. */
const CACHE_SECONDS = 60;

/** The part of the environment with the settings. */
interface Configured extends Partial<Record<SecondsName, string>> {
  CONFIG?: KVNamespace;
}

/** The settings of the worker's operator, checked. */
export interface OperatorSettings {
  /** Mode of new sessions. */
  permissionMode: PermissionMode;
  /** Modes that callers may set. */
  permissionModes: PermissionMode[];
  commandScopes: (typeof COMMAND_SCOPES)[number][];
  /** The person's layer of every session. */
  userSettings: Record<string, unknown> | undefined;
  /** Tools that no session may use. */
  deniedTools: string[];
  model: string | undefined;
  maxTurns: number | undefined;
  /** Files of a new session, by their paths in the workspace. */
  template: Record<string, string>;
  sessionsPerOwner: number;
  streamsPerSession: number;
  bodyBytes: number;
  logBytes: number;
  fileBytes: number;
  usage: UsageLimits;
}

/** Times of the worker by their variables, in seconds, with what counts without one. */
const SECONDS = { WATCHDOG_SECONDS: 30, ANONYMOUS_SECONDS: 24 * 60 * 60 };

type SecondsName = keyof typeof SECONDS;

const MIB = 1024 * 1024;

/** Each setting by its variable: how its text is read. Their descriptions are in docs/edge.md. */
const SETTINGS = {
  PERMISSION_MODE: (text = "default") => oneOf(PERMISSION_MODES, text),
  PERMISSION_MODES: (text = "plan,default") =>
    listOf(text).map((word) => oneOf(PERMISSION_MODES, word)),
  COMMAND_SCOPES: (text = "read,write") => listOf(text).map((word) => oneOf(COMMAND_SCOPES, word)),
  SESSION_SETTINGS: (text?: string) => (text === undefined ? undefined : objectOf(text)),
  ALLOWED_TOOLS: (text?: string) => (text === undefined ? TOOLS : toolsOf(text)),
  MODEL: (text?: string) => text,
  MAX_TURNS: (text?: string) => (text === undefined ? undefined : count(text)),
  WORKSPACE_TEMPLATE: (text?: string) => (text === undefined ? sampleProject.files : filesOf(text)),
  SESSIONS_PER_OWNER: (text = "20") => count(text),
  STREAMS_PER_SESSION: (text = "8") => count(text),
  STREAMS_PER_OWNER: (text = "32") => count(text),
  REQUESTS_PER_MINUTE: (text = "600") => count(text),
  TOKENS_PER_DAY: (text?: string) => (text === undefined ? undefined : count(text)),
  DOLLARS_PER_DAY: (text?: string) => (text === undefined ? undefined : amount(text)),
  BODY_BYTES: (text = String(MIB)) => count(text),
  LOG_BYTES: (text = String(64 * MIB)) => count(text),
  FILE_BYTES: (text = String(16 * MIB)) => count(text),
} as const satisfies Record<string, (text?: string) => unknown>;

export type SettingName = keyof typeof SETTINGS;

/**
 * Reads the operator's settings: variables, and over them the JSON object under `settings` in the namespace `CONFIG`,
 * which can change without a deployment.
 * @throws {ConfigurationError} for any value that is not understood, so that no limit is off by a spelling mistake
 */
export async function readOperatorSettings(env: Configured): Promise<OperatorSettings> {
  for (const name of ["WATCHDOG_SECONDS", "ANONYMOUS_SECONDS"] as const)
    readMilliseconds(env, name);
  const texts = new Map<string, string>();
  for (const name of Object.keys(SETTINGS)) {
    const value: unknown = Reflect.get(env, name);
    if (typeof value === "string" && value !== "") texts.set(name, value);
  }
  for (const [name, value] of await storedSettings(env)) texts.set(name, value);
  const read = <Name extends SettingName>(name: Name): ReturnType<(typeof SETTINGS)[Name]> =>
    readSetting(name, texts.get(name));

  const permissionMode = read("PERMISSION_MODE");
  const allowed = new Set(read("ALLOWED_TOOLS"));
  return {
    permissionMode,
    permissionModes: [...new Set([...read("PERMISSION_MODES"), permissionMode])],
    commandScopes: read("COMMAND_SCOPES"),
    userSettings: read("SESSION_SETTINGS"),
    deniedTools: TOOLS.filter((tool) => !allowed.has(tool)),
    model: read("MODEL"),
    maxTurns: read("MAX_TURNS"),
    template: read("WORKSPACE_TEMPLATE"),
    sessionsPerOwner: read("SESSIONS_PER_OWNER"),
    streamsPerSession: read("STREAMS_PER_SESSION"),
    bodyBytes: read("BODY_BYTES"),
    logBytes: read("LOG_BYTES"),
    fileBytes: read("FILE_BYTES"),
    usage: {
      requestsPerMinute: read("REQUESTS_PER_MINUTE"),
      streams: read("STREAMS_PER_OWNER"),
      tokensPerDay: read("TOKENS_PER_DAY"),
      dollarsPerDay: read("DOLLARS_PER_DAY"),
    },
  };
}

/** A time of the worker, in milliseconds. @throws {ConfigurationError} as `readOperatorSettings` */
export function readMilliseconds(env: Configured, name: SecondsName): number {
  return readAs(name, () => (env[name] ? amount(env[name]) : SECONDS[name]) * 1000);
}

function readSetting<Name extends SettingName>(
  name: Name,
  text: string | undefined,
): ReturnType<(typeof SETTINGS)[Name]> {
  // The compiler does not follow one name through a table of functions.
  return readAs(name, () => SETTINGS[name](text) as ReturnType<(typeof SETTINGS)[Name]>);
}

function readAs<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "it can't be read";
    throw new ConfigurationError(`The setting ${name} can't be used: ${why}`, {
      hint: `Correct ${name}, or remove it; docs/edge.md has its form.`,
      cause,
    });
  }
}

async function storedSettings({ CONFIG }: Configured): Promise<[string, string][]> {
  const text = await CONFIG?.get(SETTINGS_KEY, { cacheTtl: CACHE_SECONDS });
  if (text === null || text === undefined) return [];
  const hint = `Store a JSON object of the worker's settings under "${SETTINGS_KEY}".`;
  let stored: Record<string, unknown>;
  try {
    stored = objectOf(text);
  } catch (cause) {
    throw new ConfigurationError("The settings in CONFIG are not a JSON object", { hint, cause });
  }
  const unknown = Object.keys(stored).find((name) => !Object.hasOwn(SETTINGS, name));
  if (unknown !== undefined) {
    const message = `CONFIG has a setting ${JSON.stringify(unknown)}, which is not known`;
    throw new ConfigurationError(message, { hint });
  }
  return Object.entries(stored).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
}

function oneOf<const Word extends string>(words: readonly Word[], text: string): Word {
  const word = words.find((known) => known === text);
  if (word === undefined)
    throw new Error(`${JSON.stringify(text)} is not one of ${words.join(", ")}`);
  return word;
}

/** The items of a text, separated by commas. */
export function listOf(text = ""): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function toolsOf(text: string): string[] {
  return listOf(text).map((name) => oneOf(TOOLS, name));
}

function count(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new Error(`${JSON.stringify(text)} is not a whole number above 0`);
  return Number(text);
}

function amount(text: string): number {
  if (!/^\d{1,9}(\.\d{1,9})?$/.test(text) || Number(text) === 0)
    throw new Error(`${JSON.stringify(text)} is not an amount above 0`);
  return Number(text);
}

function objectOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("it is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("it is not a JSON object");
  return { ...value };
}

/** Files of a template: relative paths that stay inside of the workspace, and their texts. */
function filesOf(text: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const [path, content] of Object.entries(objectOf(text))) {
    const isPlain = path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
    if (!isPlain || path.includes("\0"))
      throw new Error(`${JSON.stringify(path)} is not a relative path`);
    if (typeof content !== "string") throw new Error(`${JSON.stringify(path)} has no text`);
    files[path] = content;
  }
  return files;
}
