import { resolve } from "node:path";
import { THEME_NAMES } from "../conversation/theme-names.ts";
import {
  type CliCommand,
  type ConversationCommand,
  type PromptCommand,
  SHELLS,
} from "./commands.ts";
import { INPUT_FORMATS, type OptionName } from "./options.ts";
import { formatOf, parseSessions } from "./parse-sessions.ts";
import { parseOptions, type Values } from "./parse-options.ts";
import { choicesOf, chosen, type Environment } from "./session-choices.ts";
import { UsageError } from "./usage-error.ts";
import { oneOf, toPort } from "./values.ts";

/** Where a command line was typed. */
export interface ArgumentContext {
  cwd: string;
  environment?: Environment | undefined;
  /** True where a person can converse: both input and output are a terminal. */
  isTerminal?: boolean | undefined;
}

const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** @throws {UsageError} */
export function parseArguments(
  args: readonly string[],
  { cwd, environment = {}, isTerminal = false }: ArgumentContext,
): CliCommand {
  const { values, positionals } = parseOptions(args);
  if (values.help) return { name: "help" };
  if (values.version) return { name: "version" };
  const [noun, ...rest] = positionals;
  switch (noun) {
    case undefined:
      return promptOf(values, { cwd, environment, isTerminal }, undefined);
    case "sessions":
      return parseSessions(rest, values, cwd);
    case "acp":
      noMore("acp", rest);
      noSchema("acp", values);
      return { name: "acp", ...choicesOf(values, environment) };
    case "mcp":
      noMore("mcp", rest);
      noSchema("mcp", values);
      if (values.prompt !== undefined)
        throw new UsageError("robota mcp gets its prompts from its client; leave -p out");
      return { ...common(values, { cwd, environment }, ""), name: "mcp" };
    case "serve":
      noMore("serve", rest);
      noSchema("serve", values);
      return {
        name: "serve",
        host: values.host ?? "127.0.0.1",
        port: toPort("--port", values.port ?? "8787"),
        cwd: resolve(cwd, values.cwd ?? ""),
        storage: chosen("storage", values, environment)[1],
        ...choicesOf(values, environment),
      };
    case "playground":
      noMore("playground", rest);
      return {
        name: "playground",
        host: values.host ?? "127.0.0.1",
        port: toPort("--port", values.port ?? "4173"),
      };
    case "completion":
      return completionOf(rest);
    case "doctor":
      noMore("doctor", rest);
      return {
        name: "doctor",
        cwd: resolve(cwd, values.cwd ?? ""),
        outputFormat: formatOf(values),
      };
    case "init":
      noMore("init", rest);
      return { name: "init", cwd: resolve(cwd, values.cwd ?? "") };
    default:
      return promptOf(values, { cwd, environment, isTerminal }, positionalPrompt(positionals));
  }
}

/** A prompt of one word would make every misspelt command a question to a model. @throws {UsageError} */
function positionalPrompt(positionals: readonly string[]): string {
  const [prompt = "", ...rest] = positionals;
  if (rest.length === 0 && /\s/.test(prompt.trim())) return prompt;
  throw new UsageError(
    `can't do "${positionals.join(" ")}"; quote a prompt of several words, or give it with -p`,
  );
}

/** @throws {UsageError} */
function noMore(noun: string, rest: readonly string[]): void {
  if (rest.length > 0) throw new UsageError(`robota ${noun} takes no "${rest.join(" ")}"`);
}

/** Clients of these commands choose the form of an answer themselves, if at all. @throws {UsageError} */
function noSchema(noun: string, values: Values): void {
  if (values["json-schema"] !== undefined)
    throw new UsageError(`robota ${noun} takes no --json-schema; use it with -p or a conversation`);
}

/** @throws {UsageError} */
function completionOf(rest: readonly string[]): CliCommand {
  const [name, ...more] = rest;
  const shell = more.length === 0 ? oneOf("completion", SHELLS, name) : undefined;
  if (shell) return { name: "completion", shell };
  throw new UsageError(`robota completion needs one of ${SHELLS.join(", ")}`);
}

/** @throws {UsageError} */
function promptOf(
  values: Values,
  context: ArgumentContext,
  positional: string | undefined,
): PromptCommand | ConversationCommand {
  const inputFormat = oneOf("--input-format", INPUT_FORMATS, values["input-format"]) ?? "text";
  if (inputFormat === "stream-json" && (values.prompt ?? positional) !== undefined)
    throw new UsageError("a prompt and --input-format stream-json exclude each other");
  if (values.prompt !== undefined && positional !== undefined)
    throw new UsageError("a prompt is given once: with -p, or without");
  // A format is chosen for a program that reads the answer.
  const isForProgram = values["output-format"] !== undefined || inputFormat === "stream-json";
  if (values.prompt === undefined && context.isTerminal && !isForProgram) {
    const [source, name] = chosen("theme", values, context.environment ?? {});
    const theme = oneOf(source, THEME_NAMES, name);
    const isPlain = (context.environment?.["NO_COLOR"] ?? "") !== "";
    return {
      ...common(values, context, positional ?? ""),
      name: "conversation",
      theme: isPlain ? "plain" : (theme ?? "terminal"),
    };
  }
  const prompt = values.prompt ?? positional ?? "";
  if (inputFormat === "text" && prompt.trim() === "")
    throw new UsageError("a prompt is missing: robota -p <prompt>");
  return { ...common(values, context, prompt), name: "prompt", inputFormat };
}

/** @throws {UsageError} */
function common(
  values: Values,
  { cwd, environment = {} }: ArgumentContext,
  prompt: string,
): Omit<PromptCommand, "name"> {
  if (values.resume !== undefined && values.continue)
    throw new UsageError("--resume and --continue exclude each other");
  const last = values.continue ? "last" : undefined;
  const resume = values.resume === undefined ? last : { id: values.resume };
  if (values["fork-session"] && resume === undefined)
    throw new UsageError("--fork-session needs --resume or --continue");
  const sessionId = values["session-id"];
  if (sessionId !== undefined && !SESSION_ID.test(sessionId))
    throw new UsageError("--session-id is up to 64 letters, digits, - and _");
  if (sessionId !== undefined && resume !== undefined && !values["fork-session"])
    throw new UsageError("--session-id is for new sessions, and for --fork-session");
  const directory = resolve(cwd, values.cwd ?? "");
  return {
    prompt,
    inputFormat: "text",
    outputFormat: formatOf(values),
    cwd: directory,
    addDirs: (values["add-dir"] ?? []).map((path) => resolve(cwd, path)),
    resume,
    forkSession: values["fork-session"] ?? false,
    sessionId,
    jsonSchema: values["json-schema"],
    remote: remoteOf(values),
    ...choicesOf(values, environment),
  };
}

/** Options that say what a server decides for its own sessions. */
const LOCAL_OPTIONS: readonly OptionName[] = [
  "allow",
  "deny",
  "allow-env",
  "provider",
  "model",
  "max-turns",
  "max-budget-usd",
  "mcp-config",
  "system-prompt",
  "append-system-prompt",
  "tools",
  "agents",
  "settings",
  "json-schema",
  "add-dir",
  "fork-session",
  "session-id",
  "trust-workspace",
  "cwd",
  "continue",
];

/** @throws {UsageError} */
function remoteOf(values: Values): string | undefined {
  const { remote } = values;
  if (remote === undefined) return undefined;
  const local = LOCAL_OPTIONS.find((option) => values[option] !== undefined);
  if (local !== undefined) throw new UsageError(`--${local} is for sessions of this machine`);
  return remote;
}
