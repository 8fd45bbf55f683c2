import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { PermissionMode } from "@robota/runtime";
import { PERMISSION_MODES } from "@robota/runtime/permissions";
import {
  type EnvironmentProvider,
  environmentProviders,
} from "@robota/runtime/providers/environment";
import { PROVIDER_NAMES, type ProviderName } from "./provider.ts";

const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
const INPUT_FORMATS = ["text", "stream-json"] as const;

/** Options of the sessions that a command opens. */
interface SessionChoices {
  permissionMode?: PermissionMode | undefined;
  allow: string[];
  deny: string[];
  /** Names of variables that commands get as well. */
  allowEnv: string[];
  provider?: ProviderName | undefined;
  model?: string | undefined;
  maxTurns?: number | undefined;
  /** Trusts the project's settings for this run. */
  trustWorkspace: boolean;
}

export interface PromptCommand extends SessionChoices {
  name: "prompt";
  /** `-` stands for standard input. Empty when lines of standard input are the prompts. */
  prompt: string;
  inputFormat: (typeof INPUT_FORMATS)[number];
  outputFormat: OutputFormat;
  /** Absolute. */
  cwd: string;
  /** The id of a session, or the last one of the directory. */
  resume?: { id: string } | "last" | undefined;
  /** Address of the server whose session it is; absent for one of this machine. */
  remote?: string | undefined;
}

/** Serves an editor over standard input and output. */
export interface AcpCommand extends SessionChoices {
  name: "acp";
}

/** Serves a session to an MCP client; its options are those of a prompt. */
export type McpCommand = Omit<PromptCommand, "name"> & { name: "mcp" };

export type CliCommand =
  | PromptCommand
  | AcpCommand
  | McpCommand
  | { name: "help" | "version" }
  | { name: "list-sessions"; outputFormat: OutputFormat }
  | { name: "show-session"; id: string; outputFormat: OutputFormat }
  | MoveCommand;

/** Moves a session of this machine to a server, or one of a server to this machine. */
export interface MoveCommand {
  name: "move-session";
  id: string;
  direction: "to" | "from";
  /** Address of the server. */
  url: string;
  /** Directory in which a session from a server goes on, absolute. */
  cwd: string;
}

/** Invalid arguments; the message says what to write instead. */
export class UsageError extends Error {
  override readonly name = "UsageError" as const;
}

/** Environment variables with defaults of options; together they are the settings' first layer. */
const VARIABLES = {
  "permission-mode": "ROBOTA_PERMISSION_MODE",
  provider: "ROBOTA_PROVIDER",
  model: "ROBOTA_MODEL",
  "max-turns": "ROBOTA_MAX_TURNS",
} as const;

export const HELP = `Usage:
  robota -p <prompt> [options]     Run one turn and print the answer ("-" reads the prompt from standard input)
  <command> | robota -p <prompt>   The same, with the command's output appended to the prompt
  robota mcp [options]             Serve a session to an MCP client on standard input and output
  robota sessions [list]           List the stored sessions, newest first
  robota sessions show <id>        Print a stored session; a unique prefix of the id is enough
  robota sessions move <id> --to <url>     Continue a session on a server; the token (scope admin) is in ROBOTA_TOKEN
  robota sessions move <id> --from <url>   Bring a session back from a server; with the files that it changed
  robota acp [options]             Serve an editor that speaks the Agent Client Protocol over standard input and output

Options:
  -p, --prompt <text>              Prompt of the turn, or a command such as /help; "-" for standard input
      --output-format <format>     text, json or stream-json (one event per line); default text
      --input-format <format>      text, or stream-json: prompts and answers as lines of JSON on standard input
      --permission-mode <mode>     ${PERMISSION_MODES.join(", ")}
      --allow <rule>               Allow calls without approval, such as 'Bash(npm test)'; repeatable
      --deny <rule>                Deny calls, even if another rule allows them; repeatable
      --allow-env <name>           Pass this environment variable to commands; repeatable
      --resume <id>                Resume a session; a unique prefix of the id is enough
  -c, --continue                   Resume the last session of this directory
      --cwd <directory>            Working directory; default the current directory
      --provider <name>            ${PROVIDER_NAMES.join(", ")}; default chosen by the keys in the environment
      --model <id>                 Model of the provider
      --max-turns <n>              Maximum number of model calls; default no limit
      --remote <url>               Run in a session on this server; the token is in ROBOTA_TOKEN
      --trust-workspace            Trust the project's settings for this run: its hooks run, its rules allow calls
  -h, --help                       Print this help
  -v, --version                    Print the version

Exit codes: 0 success, 1 failure, 2 invalid usage, 3 approval required, 130 interrupted.
Environment: NO_COLOR; ${Object.values(VARIABLES).join(", ")} as defaults of the options;
for each provider its key, and optionally its base URL and its model:
${environmentProviders.map(helpOf).join("\n")}
Settings: .robota/settings.local.json and .robota/settings.json of the project, ~/.robota/settings.json.
`;

function helpOf({ name, keys, address, model }: EnvironmentProvider): string {
  return `  ${name.padEnd(12)}${keys.join(" or ")}, ${address}, ${model}`;
}

/** @throws {UsageError} */
export function parseArguments(
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): CliCommand {
  const { values, positionals } = parse(args);
  if (values.help) return { name: "help" };
  if (values.version) return { name: "version" };
  const format = oneOf("--output-format", OUTPUT_FORMATS, values["output-format"]);
  const outputFormat = format ?? "text";

  const isMcp = positionals.length === 1 && positionals[0] === "mcp";
  if (isMcp && values.prompt !== undefined) {
    throw new UsageError("robota mcp gets its prompts from its client; leave -p out");
  }
  if (positionals.length > 0 && !isMcp) {
    const [noun, verb, id, ...rest] = positionals;
    if (noun === "sessions" && (verb ?? "list") === "list" && id === undefined) {
      return { name: "list-sessions", outputFormat };
    }
    if (noun === "sessions" && verb === "show" && id !== undefined && rest.length === 0) {
      return { name: "show-session", id, outputFormat };
    }
    if (noun === "sessions" && verb === "move" && id !== undefined && rest.length === 0) {
      return moveOf(id, values, cwd);
    }
    if (noun === "acp" && verb === undefined) {
      return { name: "acp", ...choicesOf(values, environment) };
    }
    throw new UsageError(`can't do "${positionals.join(" ")}"; a prompt is given with -p`);
  }
  const inputFormat = oneOf("--input-format", INPUT_FORMATS, values["input-format"]) ?? "text";
  if (inputFormat === "stream-json" && values.prompt !== undefined) {
    throw new UsageError("-p and --input-format stream-json exclude each other");
  }
  const prompt = values.prompt ?? "";
  if (!isMcp && inputFormat === "text" && prompt.trim() === "") {
    throw new UsageError("a prompt is missing: robota -p <prompt>");
  }
  if (values.resume !== undefined && values.continue) {
    throw new UsageError("--resume and --continue exclude each other");
  }
  const last = values.continue ? "last" : undefined;
  return {
    name: isMcp ? "mcp" : "prompt",
    prompt,
    inputFormat,
    remote: remoteOf(values),
    outputFormat,
    cwd: resolve(cwd, values.cwd ?? ""),
    resume: values.resume === undefined ? last : { id: values.resume },
    ...choicesOf(values, environment),
  };
}

/** @throws {UsageError} */
function choicesOf(
  values: ReturnType<typeof parse>["values"],
  environment: Readonly<Record<string, string | undefined>>,
): SessionChoices {
  const chosen = (
    option: keyof typeof VARIABLES,
  ): readonly [source: string, value: string | undefined] => {
    const variable = VARIABLES[option];
    const value = values[option];
    return value === undefined
      ? [variable, environment[variable] || undefined]
      : [`--${option}`, value];
  };
  const [modeSource, modeName] = chosen("permission-mode");
  const permissionMode = oneOf(modeSource, PERMISSION_MODES, modeName);
  const [providerSource, providerName] = chosen("provider");
  const provider = oneOf(providerSource, PROVIDER_NAMES, providerName);
  const [, model] = chosen("model");
  const [turnsSource, maxTurns] = chosen("max-turns");
  return {
    allow: values.allow ?? [],
    deny: values.deny ?? [],
    allowEnv: values["allow-env"] ?? [],
    trustWorkspace: values["trust-workspace"] ?? false,
    permissionMode,
    provider,
    model,
    maxTurns: maxTurns === undefined ? undefined : toCount(turnsSource, maxTurns),
  };
}

/** @throws {UsageError} */
function moveOf(
  id: string,
  { to, from, cwd: directory = "." }: ReturnType<typeof parse>["values"],
  cwd: string,
): MoveCommand {
  const url = to ?? from;
  if (url === undefined || (to !== undefined && from !== undefined))
    throw new UsageError("sessions move needs either --to <url> or --from <url>");
  const direction = to === undefined ? "from" : "to";
  return { name: "move-session", id, direction, url, cwd: resolve(cwd, directory) };
}

/** Options that say what a server decides for its own sessions. */
const LOCAL_OPTIONS = [
  "allow",
  "deny",
  "allow-env",
  "provider",
  "model",
  "max-turns",
  "trust-workspace",
  "cwd",
] as const;

/** @throws {UsageError} */
function remoteOf(values: ReturnType<typeof parse>["values"]): string | undefined {
  const { remote } = values;
  if (remote === undefined) return undefined;
  const local = LOCAL_OPTIONS.find((option) => values[option] !== undefined);
  if (local !== undefined) throw new UsageError(`--${local} is for sessions of this machine`);
  if (values.continue) throw new UsageError("--continue is for sessions of this machine");
  return remote;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        prompt: { type: "string", short: "p" },
        "output-format": { type: "string" },
        "input-format": { type: "string" },
        remote: { type: "string" },
        to: { type: "string" },
        from: { type: "string" },
        "permission-mode": { type: "string" },
        allow: { type: "string", multiple: true },
        deny: { type: "string", multiple: true },
        "allow-env": { type: "string", multiple: true },
        resume: { type: "string" },
        continue: { type: "boolean", short: "c" },
        cwd: { type: "string" },
        provider: { type: "string" },
        model: { type: "string" },
        "max-turns": { type: "string" },
        "trust-workspace": { type: "boolean" },
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "v" },
      },
    });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function oneOf<Value extends string>(
  option: string,
  values: readonly Value[],
  given: string | undefined,
): Value | undefined {
  if (given === undefined) return undefined;
  const found = values.find((value) => value === given);
  if (found) return found;
  throw new UsageError(`${option} is one of ${values.join(", ")}, not "${given}"`);
}

function toCount(option: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new UsageError(`${option} is a whole number above 0, not "${text}"`);
}
