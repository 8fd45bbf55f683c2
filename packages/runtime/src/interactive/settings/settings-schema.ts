import * as z from "../../zod.ts";
import type { HooksConfig } from "../../hooks/definition.ts";
import type { TrustLevel } from "../../permissions/permission.ts";
import { PERMISSION_MODES, TRUST_TO_MODE } from "../../permissions/permission.ts";
import { parsePattern } from "../../permissions/rules/parse-pattern.ts";
import { MAX_AGENT_DEPTH } from "../agents/agent-depth.ts";
import { LANGUAGE } from "./languages.ts";
import type { Settings } from "./settings.ts";

/** Schema of each setting; the compiler checks it against the setting's type. */
type SettingSchemas = {
  [Key in keyof Settings as string extends Key ? never : Key]-?: z.core.$ZodType<
    NonNullable<Settings[Key]>
  >;
};

const MAX_TEXT = 2000;
const TRUST_LEVELS: readonly TrustLevel[] = Object.keys(TRUST_TO_MODE) as TrustLevel[];

const optional = z.exactOptional;
const isObject = { error: "must be an object" };
const isText = { error: "must be a text that is not empty" };
const isLanguage = { error: "must be a language's name, such as German or pt-BR" };
const isCount = { error: "must be a whole number, 0 for no limit" };
const isTime = { error: "must be a whole number of milliseconds, at least 1" };
const isDepth = { error: `must be a whole number from 1 to ${MAX_AGENT_DEPTH}` };
const isShare = { error: "must be a share above 0 and up to 1, or false" };
const isAddress = { error: "must be an address that begins with http:// or https://" };
const isHash = { error: "must be a SHA-256: 64 lowercase hexadecimal digits" };
const isRule = {
  error: ({ input }: { input?: unknown }) =>
    `(${JSON.stringify(input)}) is not a permission rule, such as Bash(npm test)`,
};

function oneOf<const Word extends string>(words: readonly Word[]) {
  return z.enum(words, { error: `must be one of ${words.join(", ")}` });
}

const texts = z.record(z.string(), z.string({ error: "must be a text" }), isObject);
const text = z.string(isText).check(z.maxLength(MAX_TEXT, isText), z.regex(/\S/, isText));
const address = z.string(isAddress).check(
  z.refine(isHttp, { ...isAddress, abort: true }),
  z.refine((url) => !holdsPassword(url), { error: "must not hold a password" }),
);
const rule = z
  .string(isRule)
  .check(z.refine((pattern) => parsePattern(pattern) !== undefined, isRule));
const rules = z.array(rule, { error: "must be a list of rules" });
const isCalls = { error: "must be a list of calls, such as npm test" };
const calls = z.array(z.string({ error: "must be a call, such as npm test" }), isCalls);
const examples = z.strictObject(
  { match: optional(calls), notMatch: optional(calls) },
  { error: "must be an object of match and notMatch, which are lists of calls" },
);

const settings = {
  language: z.string(isLanguage).check(z.regex(LANGUAGE, isLanguage)),
  defaultTrustLevel: oneOf(TRUST_LEVELS),
  permissions: z.looseObject(
    {
      allow: optional(rules),
      ask: optional(rules),
      deny: optional(rules),
      // Form only: `checkRules` tests them with their rules.
      examples: optional(z.record(z.string(), examples, isObject)),
      defaultMode: optional(oneOf(PERMISSION_MODES)),
    },
    isObject,
  ),
  readOnlyCommands: z.boolean({ error: "must be true or false" }),
  // Validated by `readHooks`: a custom type of hook is known to the executors of its session.
  hooks: z.custom<HooksConfig>(),
  hookOrigins: z.array(address, { error: "must be a list of origins" }),
  maxTurns: z.int(isCount).check(z.minimum(0, isCount)),
  autoCompactThreshold: z.union(
    [z.literal(false), z.number(isShare).check(z.gt(0, isShare), z.maximum(1, isShare))],
    isShare,
  ),
  provider: z.looseObject(
    {
      name: optional(text),
      model: optional(text),
      apiKey: optional(text),
      baseURL: optional(address),
    },
    isObject,
  ),
  projectAgents: oneOf(["prefix", "replace"]),
  skills: z.array(
    z.looseObject(
      { url: address, sha256: z.string(isHash).check(z.regex(/^[0-9a-f]{64}$/, isHash)) },
      isObject,
    ),
    { error: "must be a list of skills with url and sha256" },
  ),
  agentDepth: z.int(isDepth).check(z.minimum(1, isDepth), z.maximum(MAX_AGENT_DEPTH, isDepth)),
  mcpServers: z.record(
    z.string(),
    z.looseObject(
      {
        url: optional(address),
        headers: optional(texts),
        command: optional(z.string(isText).check(z.minLength(1, isText))),
        args: optional(z.array(z.string(isText), { error: "must be a list of texts" })),
        env: optional(texts),
        oauth: optional(
          z.looseObject(
            {
              clientId: optional(z.string(isText)),
              clientSecret: optional(z.string(isText)),
              scope: optional(z.string(isText)),
            },
            isObject,
          ),
        ),
        enabled: optional(z.boolean({ error: "must be true or false" })),
        timeoutMs: optional(z.int(isTime).check(z.minimum(1, isTime))),
        sampling: optional(z.boolean({ error: "must be true or false" })),
      },
      isObject,
    ),
    isObject,
  ),
} satisfies SettingSchemas;

/*
 * The first check of a process takes 4.5 ms of CPU time more than checks written by hand did, which is zod's loading in Node;
 * each one 3 microseconds. Pages load 5.5 kB more when there are settings, and nothing more when there are none.
 */
export const SETTING_NAMES: readonly string[] = Object.keys(settings);

export const SETTINGS = z.looseObject(
  Object.fromEntries(Object.entries(settings).map(([name, schema]) => [name, optional(schema)])),
);

function isHttp(url: string): boolean {
  return /^https?:$/.test(URL.parse(url)?.protocol ?? "");
}

function holdsPassword(url: string): boolean {
  const { username = "", password = "" } = URL.parse(url) ?? {};
  return username !== "" || password !== "";
}
