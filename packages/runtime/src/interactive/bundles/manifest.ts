import { defined } from "../../defined.ts";
import * as z from "../../zod.ts";
import { parsePattern } from "../../permissions/rules/parse-pattern.ts";
import type { BundlePluginManifest } from "./bundle.ts";
import { BundleError, invalid } from "./bundle-error.ts";
import { type BundleFiles, jsonOf, MANIFESTS } from "./bundle-files.ts";

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 40;
/** Prefixes of names that are not a bundle's. */
const RESERVED = new Set(["builtin", "mcp", "plugin", "project", "robota", "skill", "user"]);
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]{1,64})?(?:\+[0-9A-Za-z.-]{1,64})?$/;
const TOOL_NAME = /^[A-Za-z](?:[A-Za-z0-9-]|_(?!_)){0,30}$/;
const MAX_PROMPT = 20_000;
const MAX_LIST = 200;
/** Seconds. */
const MAX_TIMEOUT = 600;

const optional = z.exactOptional;
const isObject = { error: "must be an object" };
const isName = {
  error: `must be lower-case letters and digits in words joined by -, at most ${MAX_NAME}, and none of ${[...RESERVED].join(", ")}`,
};
const isVersion = { error: "must be a semantic version, such as 1.0.0" };
const isTool = { error: "must be a name of letters, digits, - and single _, at most 31" };
const isRule = { error: "must be a list of permission rules, such as Bash(npm test)" };
const isSchema = { error: 'must be a JSON Schema of an object: { "type": "object", … }' };
const isPath = { error: "must be a path in the bundle that begins with ./" };

function text(most: number) {
  const error = { error: `must be a text of at most ${most} characters` };
  return z.string(error).check(z.regex(/\S/, error), z.maxLength(most, error));
}

function list<Item extends z.core.SomeType>(item: Item, error: { error: string }) {
  return z.array(item, error).check(z.maxLength(MAX_LIST, error));
}

const name = z.string(isName).check(
  z.maxLength(MAX_NAME, isName),
  z.regex(NAME, isName),
  z.refine((value) => !RESERVED.has(value), isName),
);
const path = z.string(isPath).check(z.regex(/^\.\/(?!(?:.*\/)?\.\.(?:\/|$))[^\\:]*$/, isPath));
const paths = z.union([path, list(path, isPath)], isPath);
const keyword = text(60);
const keywords = list(keyword, { error: "must be a list of words" });
const rule = z
  .string(isRule)
  .check(z.refine((pattern) => parsePattern(pattern) !== undefined, isRule));
const rules = list(rule, isRule);
const person = z.union([text(200), z.looseObject({ name: text(200) }, isObject)], {
  error: "must be a name, or an object with one",
});
const schema = z.looseObject({ type: z.literal("object", isSchema) }, isSchema);
const commandTool = z.object(
  {
    name: z.string(isTool).check(z.regex(TOOL_NAME, isTool)),
    description: text(2000),
    command: text(8000),
    parameters: optional(schema),
    timeout: optional(z.number().check(z.gt(0), z.maximum(MAX_TIMEOUT))),
  },
  isObject,
);
const openApiTools = z.object({ openapi: path }, isObject);
const tool = z.union([openApiTools, commandTool], {
  error: "must be { name, description, command, parameters } or { openapi }",
});

const fields = {
  name,
  version: z.string(isVersion).check(z.regex(VERSION, isVersion)),
  description: text(2000),
  author: optional(person),
  keywords: optional(keywords),
  category: optional(keyword),
  homepage: optional(text(500)),
  license: optional(text(100)),
  tools: optional(list(tool, { error: "must be a list of tools" })),
  // Read by `readHooks`, inline or from a file.
  hooks: optional(z.union([path, z.looseObject({})], { error: "must be a path or an object" })),
  mcpServers: optional(
    z.union([path, z.looseObject({})], { error: "must be a path or an object" }),
  ),
  permissions: optional(
    z.object({ allow: optional(rules), ask: optional(rules), deny: optional(rules) }, isObject),
  ),
  systemPrompt: optional(text(MAX_PROMPT)),
  commands: optional(paths),
  agents: optional(paths),
  skills: optional(paths),
};

const OWN = z.object(fields, isObject);
/** Claude Code's needs a name only. */
const FOREIGN = z.object(
  { ...fields, version: optional(fields.version), description: optional(fields.description) },
  isObject,
);

/** A manifest with the parts that it declares beside the conventional folders. */
export interface ReadManifest {
  /** Its path in the bundle. */
  file: string;
  manifest: BundlePluginManifest;
  parts: Omit<
    z.infer<typeof OWN>,
    "name" | "version" | "description" | "author" | "keywords" | "category" | "homepage" | "license"
  >;
}

export type ManifestTool = z.infer<typeof tool>;
export type CommandToolEntry = z.infer<typeof commandTool>;

/** @throws {BundleError} `BUNDLE_INVALID`, which names the file and the field */
export function readManifest(files: BundleFiles): ReadManifest {
  const file = MANIFESTS.find((one) => files.has(one));
  if (file === undefined) {
    const message = `There is no manifest: ${MANIFESTS.join(", ")} are all missing`;
    throw new BundleError("BUNDLE_INVALID", message, {
      hint: "Name the folder of the bundle, or add a plugin.json with name, version and description.",
    });
  }
  const value = jsonOf(files, file);
  const read = (file.startsWith(".claude-plugin/") ? FOREIGN : OWN).safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw invalid(file, fieldOf(issue?.path ?? []), issue?.message ?? "can't be used");
  }
  const { version = "0.0.0", description = "", author, ...rest } = read.data;
  const { name: own, keywords: words, category, homepage, license, ...parts } = rest;
  return {
    file,
    manifest: defined({
      name: own,
      version,
      description,
      author: typeof author === "object" ? author.name : author,
      keywords: words,
      category,
      homepage,
      license,
    }),
    parts,
  };
}

/** True for a text that can be a marketplace's name. */
export function isMarketplaceName(value: string): boolean {
  return value.length <= MAX_NAME && NAME.test(value);
}

/** True for a text that can be a bundle's name. */
export function isBundleName(value: string): boolean {
  return z.safeParse(name, value).success;
}

function fieldOf(keys: readonly PropertyKey[]): string {
  return keys
    .map((key, at) => (typeof key === "number" ? `[${key}]` : `${at > 0 ? "." : ""}${String(key)}`))
    .join("");
}
