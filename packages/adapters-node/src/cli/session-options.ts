import type { InteractiveSessionOptions } from "@robota/runtime";
import {
  BUILT_IN_TOOL_NAMES,
  type StructuredAnswers,
  structuredAnswers,
} from "@robota/runtime/sessions";
import { agentsIn, requireSettings, type Settings } from "@robota/runtime/settings";
import type { SessionChoices } from "./arguments/commands.ts";
import { UsageError } from "./arguments/usage-error.ts";
import { readJsonOption } from "./json-option.ts";
import { readMcpConfig } from "./mcp-config.ts";

/** The options of a session that its command line chooses. */
export type ChosenOptions = Pick<
  InteractiveSessionOptions,
  | "agents"
  | "appendSystemPrompt"
  | "budget"
  | "builtInTools"
  | "maxTurns"
  | "mcpServers"
  | "permissionMode"
  | "permissions"
  | "settings"
  | "systemPrompt"
>;

/** Reads the files and the JSON that options name. @throws {UsageError} that names the option, and what it needs */
export async function sessionOptions(choice: SessionChoices, cwd: string): Promise<ChosenOptions> {
  const { allow, deny, permissionMode, maxTurns, maxBudget, tools } = choice;
  const unknown = tools?.find((name) => !BUILT_IN_TOOL_NAMES.includes(name));
  if (unknown !== undefined)
    throw new UsageError(
      `--tools takes names of built-in tools, not "${unknown}": ${BUILT_IN_TOOL_NAMES.join(", ")}`,
    );
  return {
    permissions: { allow, deny },
    permissionMode,
    maxTurns,
    budget: maxBudget === undefined ? undefined : { dollars: maxBudget },
    mcpServers: await readMcpConfig(choice.mcpConfig, cwd),
    systemPrompt: choice.systemPrompt,
    appendSystemPrompt: choice.appendSystemPrompt,
    builtInTools: tools,
    agents: await readAgents(choice.agents, cwd),
    settings: await readGivenSettings(choice.settings, cwd),
  };
}

async function readAgents(
  given: string | undefined,
  cwd: string,
): Promise<ChosenOptions["agents"]> {
  if (given === undefined) return undefined;
  const value = await readJsonOption("--agents", given, cwd);
  return checked("--agents", () => agentsIn(value));
}

async function readGivenSettings(
  given: string | undefined,
  cwd: string,
): Promise<Settings | undefined> {
  if (given === undefined) return undefined;
  const value = await readJsonOption("--settings", given, cwd);
  await checked("--settings", () => requireSettings(value, "--settings"));
  return value as Settings;
}

/** Answers in the form of the schema that an option gives; `undefined` without one. @throws {UsageError} */
export async function answersIn(
  given: string | undefined,
  cwd: string,
): Promise<StructuredAnswers<unknown> | undefined> {
  if (given === undefined) return undefined;
  const schema = await readJsonOption("--json-schema", given, cwd);
  return checked("--json-schema", () => structuredAnswers<unknown>(schema));
}

async function checked<Value>(option: string, read: () => Value): Promise<Awaited<Value>> {
  try {
    return await read();
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    const text = message.includes(option) ? message : `${option}: ${message}`;
    throw new UsageError(hint === undefined ? text : `${text}\n${hint}`, { cause: error });
  }
}
