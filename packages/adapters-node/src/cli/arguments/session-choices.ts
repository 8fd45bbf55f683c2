import { PERMISSION_MODES } from "@robota/runtime/permissions";
import { PROVIDER_NAMES } from "../provider.ts";
import type { SessionChoices } from "./commands.ts";
import type { Values } from "./parse-options.ts";
import { oneOf, toAmount, toCount } from "./values.ts";

/** Environment variables with defaults of options; together they are the settings' first layer. */
export const VARIABLES = {
  "permission-mode": "ROBOTA_PERMISSION_MODE",
  provider: "ROBOTA_PROVIDER",
  model: "ROBOTA_MODEL",
  "max-turns": "ROBOTA_MAX_TURNS",
  theme: "ROBOTA_THEME",
  storage: "ROBOTA_STORAGE",
} as const;

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of an option or of its variable, and where it comes from. */
export function chosen(
  option: keyof typeof VARIABLES,
  values: Values,
  environment: Environment,
): readonly [source: string, value: string | undefined] {
  const variable = VARIABLES[option];
  const value = values[option];
  return value === undefined
    ? [variable, environment[variable] || undefined]
    : [`--${option}`, value];
}

/** @throws {UsageError} */
export function choicesOf(values: Values, environment: Environment): SessionChoices {
  const [modeSource, modeName] = chosen("permission-mode", values, environment);
  const [providerSource, providerName] = chosen("provider", values, environment);
  const [, model] = chosen("model", values, environment);
  const [turnsSource, maxTurns] = chosen("max-turns", values, environment);
  const budget = values["max-budget-usd"];
  return {
    allow: values.allow ?? [],
    deny: values.deny ?? [],
    allowEnv: values["allow-env"] ?? [],
    mcpConfig: values["mcp-config"] ?? [],
    systemPrompt: values["system-prompt"],
    appendSystemPrompt: values["append-system-prompt"],
    tools: toolsOf(values.tools),
    agents: values.agents,
    settings: values.settings,
    trustWorkspace: values["trust-workspace"] ?? false,
    permissionMode: oneOf(modeSource, PERMISSION_MODES, modeName),
    provider: oneOf(providerSource, PROVIDER_NAMES, providerName),
    model,
    maxTurns: maxTurns === undefined ? undefined : toCount(turnsSource, maxTurns),
    maxBudget: budget === undefined ? undefined : toAmount("--max-budget-usd", budget),
  };
}

/** The word for all tools. */
const ALL_TOOLS = "default";

/** Names between commas or spaces, as one value or several; `undefined` for all tools. */
function toolsOf(given: readonly string[] | undefined): string[] | undefined {
  if (given === undefined) return undefined;
  const names = given.flatMap((value) => value.split(/[\s,]+/)).filter((name) => name !== "");
  return names.includes(ALL_TOOLS) ? undefined : names;
}
