import { ConfigurationError } from "../../errors.ts";
import { readHooks } from "../../hooks/read-hooks.ts";
import { HOOK_EVENTS } from "../../hooks/events.ts";
import { nameHint } from "../../messages/near-names.ts";
import { parsePattern } from "../../permissions/rules/parse-pattern.ts";
import { PERMISSION_MODES, TRUST_TO_MODE } from "../../permissions/permission.ts";
import { isObject, type SettingProblem, type SettingsObject } from "./settings-object.ts";

type Check = (value: unknown, hookTypes?: readonly string[]) => SettingProblem[];

const LANGUAGE = /^[\p{L}\p{M}][\p{L}\p{M} ()-]{0,39}$/u;
const MAX_TEXT = 2000;

const FIELDS: Readonly<Record<string, Check>> = {
  language: (value) =>
    typeof value === "string" && LANGUAGE.test(value)
      ? []
      : wrong("must be a language's name, such as German or pt-BR"),
  defaultTrustLevel: oneOf(Object.keys(TRUST_TO_MODE)),
  permissions: (value) =>
    fields(value, {
      allow: rules,
      ask: rules,
      deny: rules,
      examples: (examples) => (isObject(examples) ? [] : wrong("must be an object")),
      defaultMode: oneOf(PERMISSION_MODES),
    }),
  readOnlyCommands: (value) => (typeof value === "boolean" ? [] : wrong("must be true or false")),
  hooks: (value, types = []) =>
    readHooks(value, { types }).problems.map(({ path, message }) => ({ setting: path, message })),
  hookOrigins: (value) =>
    Array.isArray(value)
      ? value.flatMap((origin: unknown, index) => below(`${index}`, address(origin)))
      : wrong("must be a list of origins"),
  maxTurns: (value) =>
    Number.isSafeInteger(value) && Number(value) >= 0
      ? []
      : wrong("must be a whole number, 0 for no limit"),
  autoCompactThreshold: (value) =>
    value === false || (typeof value === "number" && value > 0 && value <= 1)
      ? []
      : wrong("must be a share above 0 and up to 1, or false"),
  projectAgents: oneOf(["prefix", "replace"]),
  provider: (value) =>
    fields(value, { name: text, model: text, apiKey: text, baseURL: (url) => address(url) }),
  mcpServers: (value) => each(value, (server) => fields(server, { url: address, headers: texts })),
};

/**
 * Checks one layer's settings. `hookTypes`: those that there are executors for, besides the built-in ones.
 * @throws {ConfigurationError} that says all that is wrong, and where
 */
export function checkSettings(
  values: SettingsObject,
  layer: string,
  hookTypes?: readonly string[],
): void {
  const problems = Object.entries(values).flatMap(([key, value]) =>
    below(key, FIELDS[key]?.(value, hookTypes) ?? []),
  );
  if (problems.length === 0) return;
  const list = problems.map(({ setting, message }) => `${setting} ${message}`).join("; ");
  throw new ConfigurationError(`The settings of ${layer} can't be used: ${list}`, {
    hint: `Correct ${layer === "invocation" ? "the option settings" : layer}, and begin again.`,
  });
}

/** The keys that mean nothing here. */
export function unknownKeys(values: SettingsObject): SettingProblem[] {
  const known = Object.keys(FIELDS);
  return Object.keys(values)
    .filter((key) => !Object.hasOwn(FIELDS, key))
    .map((setting) => ({ setting, message: `is no setting. ${nameHint(setting, known)}` }));
}

/**
 * Takes out of another program's file what only that program understands, so that it does not keep this one from starting:
 * modes and events of hooks that are not known here. Nothing that forbids or guards is among that.
 */
export function withoutForeign(values: SettingsObject): {
  values: SettingsObject;
  left: SettingProblem[];
} {
  const { permissions, hooks } = values;
  const left: SettingProblem[] = [];
  const kept = { ...values };
  if (isObject(permissions) && oneOf(PERMISSION_MODES)(permissions["defaultMode"]).length > 0) {
    const { defaultMode, ...others } = permissions;
    kept["permissions"] = others;
    if (defaultMode !== undefined)
      left.push({ setting: "permissions.defaultMode", message: "is no mode that is known here" });
  }
  if (isObject(hooks)) {
    const isKnown = (event: string): boolean => (HOOK_EVENTS as readonly string[]).includes(event);
    kept["hooks"] = Object.fromEntries(Object.entries(hooks).filter(([event]) => isKnown(event)));
    for (const event of Object.keys(hooks).filter((name) => !isKnown(name)))
      left.push({ setting: `hooks.${event}`, message: "is no event that is known here" });
  }
  return { values: kept, left };
}

function wrong(message: string, setting = ""): SettingProblem[] {
  return [{ setting, message }];
}

function below(key: string, problems: readonly SettingProblem[]): SettingProblem[] {
  return problems.map(({ setting, message }) => ({
    setting: setting === "" ? key : `${key}.${setting}`,
    message,
  }));
}

function fields(value: unknown, checks: Readonly<Record<string, Check>>): SettingProblem[] {
  if (!isObject(value)) return wrong("must be an object");
  return Object.entries(value).flatMap(([key, inner]) =>
    Object.hasOwn(checks, key) ? below(key, checks[key]?.(inner) ?? []) : [],
  );
}

function each(value: unknown, check: Check): SettingProblem[] {
  if (!isObject(value)) return wrong("must be an object");
  return Object.entries(value).flatMap(([key, inner]) => below(key, check(inner)));
}

function oneOf(words: readonly string[]): Check {
  return (value) =>
    typeof value === "string" && words.includes(value)
      ? []
      : wrong(`must be one of ${words.join(", ")}`);
}

function rules(value: unknown): SettingProblem[] {
  if (!Array.isArray(value)) return wrong("must be a list of rules");
  return value.flatMap((rule: unknown, index) =>
    typeof rule === "string" && parsePattern(rule)
      ? []
      : wrong(
          `(${JSON.stringify(rule)}) is no permission rule, such as Bash(npm test)`,
          `${index}`,
        ),
  );
}

function text(value: unknown): SettingProblem[] {
  const isText = typeof value === "string" && value.trim() !== "" && value.length <= MAX_TEXT;
  return isText ? [] : wrong("must be a text that is not empty");
}

function texts(value: unknown): SettingProblem[] {
  return each(value, (inner) => (typeof inner === "string" ? [] : wrong("must be a text")));
}

function address(value: unknown): SettingProblem[] {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    return wrong("must be an address that begins with http:// or https://");
  return url.username === "" && url.password === "" ? [] : wrong("must not hold a password");
}
