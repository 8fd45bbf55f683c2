import { parsePattern } from "../../permissions/rules/parse-pattern.ts";
import type { ReasoningEffort } from "../../providers/provider.ts";
import { type FrontMatter, parseFrontMatter } from "../front-matter.ts";
import type { Skill } from "./skill.ts";

/** The part of a skill that its file says. */
export type ParsedSkill = Omit<Skill, "source" | "scope" | "directory" | "files" | "fileNames">;
type Parsed = { skill: ParsedSkill } | { problem: string };

/** Limits of the Agent Skills specification, https://agentskills.io/specification. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;
/** Own limits, beyond those of the specification. */
const MAX_TEXT = 200;
const MAX_METADATA = 100;
const REASONING_EFFORTS: readonly ReasoningEffort[] = ["low", "medium", "high", "xhigh", "max"];
/** With a namespace for each folder. */
const COMMAND_NAME = /^(?:[A-Za-z0-9][A-Za-z0-9_-]{0,63}(?:$|:(?!$)))+$/;
const MODEL = /^[\w.:/@-]{1,100}$/;
/** Tools are separated by space or commas, except in the pattern of one. */
const TOOLS = /(?:[^\s,()]|\([^()]*(?:\([^()]*\)[^()]*)*\))+/g;

/**
 * Parses a `SKILL.md`: YAML front matter with the keys of the Agent Skills specification and of Claude Code, and the
 * instructions. A missing `name` is that of the folder, as in Claude Code. `folder` is absent for a file without one.
 */
export async function parseSkillFile(text: string, folder?: string): Promise<Parsed> {
  const parsed = await parseFrontMatter(text);
  if (!parsed) return { problem: "has no front matter between two lines of ---" };
  if ("problem" in parsed) return parsed;
  const name: unknown = parsed.fields.get("name") ?? folder;
  const description: unknown = parsed.fields.get("description");
  if (typeof name !== "string" || name.length > MAX_NAME || !NAME.test(name))
    return {
      problem: "needs a name of up to 64 lowercase letters, digits and single hyphens between them",
    };
  if (folder !== undefined && name !== folder)
    return { problem: `has the name ${name} in a folder named ${folder}: both must be the same` };
  if (!isText(description, MAX_DESCRIPTION))
    return { problem: "needs a description of up to 1024 characters" };
  return skillOf(parsed, { name, description: description.trim(), isModelInvocable: true });
}

/**
 * Parses a command file, such as those in `.claude/commands`. Its front matter is optional, and `fileName`, which may have
 * namespaces as in `frontend:fix`, is its name.
 * Without a description there, the first line of its text is one, and the command is hidden from the model.
 */
export async function parseCommandFile(text: string, fileName: string): Promise<Parsed> {
  const parsed = (await parseFrontMatter(text)) ?? { fields: new Map(), body: text.trim() };
  if ("problem" in parsed) return parsed;
  if (!COMMAND_NAME.test(fileName))
    return { problem: "needs a file name, and names of its folders, of letters, digits, - and _" };
  const description: unknown = parsed.fields.get("description");
  if (description !== undefined && !isText(description, MAX_DESCRIPTION))
    return { problem: "needs a description of up to 1024 characters" };
  const [firstLine = ""] = parsed.body.split("\n", 1);
  return skillOf(parsed, {
    name: fileName,
    description: description?.trim() ?? firstLine.replace(/^#+\s*/, "").slice(0, MAX_TEXT),
    isModelInvocable: description !== undefined,
  });
}

function skillOf(
  { fields, body }: FrontMatter,
  own: Pick<Skill, "name" | "description" | "isModelInvocable">,
): Parsed {
  if (body === "") return { problem: "has no instructions behind its front matter" };
  const problems: string[] = [];
  const text = (key: string, limit: number): string | undefined => {
    const value: unknown = fields.get(key);
    if (value === undefined || value === null) return undefined;
    if (isText(value, limit)) return value.trim();
    problems.push(`needs a text of up to ${limit} characters as ${key}`);
    return undefined;
  };
  const flag = (key: string, byDefault: boolean): boolean => {
    const value: unknown = fields.get(key) ?? byDefault;
    if (typeof value !== "boolean") problems.push(`needs true or false as ${key}`);
    return value === true;
  };
  const allowedTools = toolsIn(fields.get("allowed-tools"));
  const metadata = metadataIn(fields.get("metadata"));
  const model = text("model", 100);
  const effort = text("effort", MAX_TEXT);
  const context = text("context", MAX_TEXT);
  const agent = text("agent", MAX_TEXT);
  const argumentHint = hintIn(fields.get("argument-hint"));
  const isDisabled = flag("disable-model-invocation", false);
  const skill: ParsedSkill = {
    ...own,
    body,
    argumentHint,
    license: text("license", MAX_TEXT),
    compatibility: text("compatibility", MAX_COMPATIBILITY),
    metadata: metadata ?? undefined,
    allowedTools: allowedTools ?? [],
    // Claude Code's word for the session's own.
    model: model === "inherit" ? undefined : model,
    effort: REASONING_EFFORTS.find((level) => level === effort),
    fork: context === "fork" ? { agent } : undefined,
    isModelInvocable: own.isModelInvocable && !isDisabled,
    isUserInvocable: flag("user-invocable", true),
  };
  // An unreadable list must not become another one.
  if (!allowedTools) problems.push("needs permission rules such as Bash(git *) as allowed-tools");
  if (metadata === null) problems.push("needs texts by name as metadata");
  if (model !== undefined && !MODEL.test(model)) problems.push("names no model");
  if (effort !== undefined && skill.effort === undefined)
    problems.push(`supports as effort only ${REASONING_EFFORTS.join(", ")}`);
  if (context !== undefined && context !== "fork") problems.push('supports only "fork" as context');
  const [problem] = problems;
  return problem === undefined ? { skill } : { problem };
}

function isText(value: unknown, limit: number): value is string {
  return typeof value === "string" && value.trim() !== "" && value.trim().length <= limit;
}

/** The rules of a text or a list; `undefined` when one can't be read. */
function toolsIn(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return [];
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  const rules = texts.flatMap((text) =>
    typeof text === "string" ? (text.match(TOOLS) ?? []) : [undefined],
  );
  const isWhole = texts.every(
    (text) => typeof text === "string" && text.replace(TOOLS, "").replace(/[\s,]/g, "") === "",
  );
  const known = rules.filter((rule) => rule !== undefined && parsePattern(rule) !== undefined);
  return isWhole && known.length === rules.length ? known.map(String) : undefined;
}

/** The specification's map of texts; numbers and the like are taken as they are written. `null`: anything else. */
function metadataIn(value: unknown): Record<string, string> | null | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object" || Array.isArray(value)) return null;
  const entries = Object.entries(value).map(([key, text]): [string, unknown] => [key, text]);
  const isPlain = entries.every(([, text]) =>
    ["string", "number", "boolean"].includes(typeof text),
  );
  if (!isPlain || entries.length > MAX_METADATA) return null;
  return Object.fromEntries(entries.map(([key, text]) => [key, String(text)]));
}

/** A hint in brackets is a list in YAML. */
function hintIn(value: unknown): string | undefined {
  const list: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  const text = list?.every((item) => typeof item === "string") ? `[${list.join(", ")}]` : value;
  return isText(text, MAX_TEXT) ? text.trim() : undefined;
}
