import { defined } from "../../defined.ts";
import { type FrontMatter, parseFrontMatter } from "../front-matter.ts";
import type { AgentDefinition } from "./agent-definition.ts";

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const MAX_DESCRIPTION = 2000;

/** Parses an agent file: YAML front matter, followed by the agent's prompt. */
export async function parseAgentFile(
  text: string,
  fileName: string,
): Promise<{ definition: AgentDefinition } | { problem: string }> {
  const parsed = await parseFrontMatter(text);
  if (!parsed) return { problem: "has no front matter between two lines of ---" };
  return "problem" in parsed ? parsed : definitionOf(parsed, fileName);
}

/** The definition that fields and a prompt make; `fileName`: the name of one without a name of its own. */
export function definitionOf(
  { fields: own, body: systemPrompt }: FrontMatter,
  fileName: string,
): { definition: AgentDefinition } | { problem: string } {
  const name: unknown = own.get("name") ?? fileName;
  const description: unknown = own.get("description");
  const model: unknown = own.get("model");
  const maxTurns: unknown = own.get("maxTurns");
  const tools = namesIn(own.get("tools"));
  const disallowedTools = namesIn(own.get("disallowedTools"));
  const access = accessOf(own.get("access"), own.get("permissionMode"));
  const isolation: unknown = own.get("isolation") ?? undefined;
  if (typeof name !== "string" || !NAME.test(name))
    return { problem: "needs a name of letters, digits, - and _" };
  if (typeof description !== "string" || description.trim() === "")
    return { problem: "needs a description" };
  if (description.length > MAX_DESCRIPTION) return { problem: "has too long a description" };
  if (systemPrompt === "") return { problem: "has no prompt for the agent" };
  if (model !== undefined && (typeof model !== "string" || !/^[\w.:/@-]{1,100}$/.test(model)))
    return { problem: "names no model" };
  if (maxTurns !== undefined && !(Number.isSafeInteger(maxTurns) && Number(maxTurns) > 0))
    return { problem: "needs a whole number above 0 as maxTurns" };
  // An unreadable list must not become all tools.
  if (tools === null || disallowedTools === null)
    return { problem: "needs names of tools as tools and disallowedTools" };
  if (access === null) return { problem: 'supports only "read-only" as access' };
  // An agent that was to be kept apart must not work on the files themselves.
  if (isolation !== undefined && isolation !== "overlay")
    return { problem: 'supports only "overlay" as isolation' };
  return {
    definition: defined({
      name,
      description: description.trim(),
      systemPrompt,
      // Claude Code's word for the session's own.
      model: typeof model === "string" && model !== "inherit" ? model : undefined,
      maxTurns: maxTurns === undefined ? undefined : Number(maxTurns),
      tools,
      disallowedTools,
      access,
      isolation,
    }),
  };
}

/** A list, or comma-separated names; `null` for anything else. */
function namesIn(value: unknown): string[] | null | undefined {
  if (value === undefined || value === null) return undefined;
  const list: unknown = typeof value === "string" ? value.split(",") : value;
  if (!Array.isArray(list)) return null;
  const names = list.map((name: unknown) => (typeof name === "string" ? name.trim() : ""));
  return names.every((name) => name !== "") ? names : null;
}

function accessOf(access: unknown, mode: unknown): "read-only" | null | undefined {
  if (mode === "plan" || access === "read-only") return "read-only";
  return access === undefined || access === null ? undefined : null;
}
