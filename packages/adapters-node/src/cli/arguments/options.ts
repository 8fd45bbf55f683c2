import { PERMISSION_MODES } from "@robota/runtime/permissions";
import { THEME_NAMES } from "../conversation/theme-names.ts";
import { PROVIDER_NAMES } from "../provider.ts";

/** An option of the command line, as it is parsed, completed and explained. */
export interface CliOption {
  type: "string" | "boolean";
  short?: string;
  multiple?: boolean;
  /** Name of its value in the help. */
  value?: string;
  /** All that its value may be. */
  values?: readonly string[];
  /** Its value is the path of a file or of a directory. */
  completes?: "file" | "directory";
  about: string;
}

export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
export const INPUT_FORMATS = ["text", "stream-json"] as const;

/** Files that go with a session: see `EXPORTED_FILES` and `IMPORTED_FILES` for which command takes which. */
const FILES = ["changed", "own", "workspace", "none"] as const;
export const EXPORTED_FILES = ["changed", "workspace", "none"] as const;
export const IMPORTED_FILES = ["own", "workspace", "none"] as const;

/** Every option, in the order of the help. */
export const OPTIONS = {
  prompt: {
    type: "string",
    short: "p",
    value: "text",
    about:
      'Run this prompt without a conversation, or a command such as /help; "-" for standard input. @path adds a file',
  },
  "output-format": {
    type: "string",
    value: "format",
    values: OUTPUT_FORMATS,
    about: "text, json or stream-json (one event per line); default text",
  },
  "input-format": {
    type: "string",
    value: "format",
    values: INPUT_FORMATS,
    about: "text, or stream-json: prompts and answers as lines of JSON on standard input",
  },
  "permission-mode": {
    type: "string",
    value: "mode",
    values: PERMISSION_MODES,
    about: PERMISSION_MODES.join(", "),
  },
  allow: {
    type: "string",
    multiple: true,
    value: "rule",
    about: "Allow calls without approval, such as 'Bash(npm test)'; repeatable",
  },
  deny: {
    type: "string",
    multiple: true,
    value: "rule",
    about: "Deny calls, even if another rule allows them; repeatable",
  },
  "allow-env": {
    type: "string",
    multiple: true,
    value: "name",
    about: "Pass this environment variable to commands; repeatable",
  },
  resume: {
    type: "string",
    value: "id",
    about: "Resume a session; a unique prefix of the id is enough",
  },
  continue: { type: "boolean", short: "c", about: "Resume the last session of this directory" },
  "fork-session": {
    type: "boolean",
    about: "Continue the resumed session in a copy of it",
  },
  "session-id": { type: "string", value: "id", about: "Id of the new session" },
  cwd: {
    type: "string",
    value: "directory",
    completes: "directory",
    about: "Working directory; default the current directory",
  },
  "add-dir": {
    type: "string",
    multiple: true,
    value: "directory",
    completes: "directory",
    about: "Another directory that belongs to the workspace; repeatable",
  },
  provider: {
    type: "string",
    value: "name",
    values: PROVIDER_NAMES,
    about: `${PROVIDER_NAMES.join(", ")}; default chosen by the keys in the environment`,
  },
  model: { type: "string", value: "id", about: "Model of the provider" },
  "max-turns": {
    type: "string",
    value: "n",
    about: "Tool rounds before the final answer is requested; default no limit",
  },
  "max-budget-usd": {
    type: "string",
    value: "n",
    about: "Stop when the session has cost this many dollars; for models with known prices",
  },
  "mcp-config": {
    type: "string",
    multiple: true,
    value: "file",
    completes: "file",
    about: 'MCP servers, as a file or JSON: {"mcpServers": {…}}; repeatable',
  },
  "system-prompt": {
    type: "string",
    value: "text",
    about: "Replace the system prompt; instructions of the project and skills still follow it",
  },
  "append-system-prompt": {
    type: "string",
    value: "text",
    about: "Add this to the end of the system prompt",
  },
  tools: {
    type: "string",
    multiple: true,
    value: "names",
    about: 'Only these built-in tools, such as "Read,Grep"; "" for none, default for all',
  },
  agents: {
    type: "string",
    value: "json",
    completes: "file",
    about: 'Further agents, as JSON or a file: {"name": {"description": …, "prompt": …}}',
  },
  settings: {
    type: "string",
    value: "file",
    completes: "file",
    about: "Settings before those of all other files, as a file or JSON",
  },
  "json-schema": {
    type: "string",
    value: "schema",
    completes: "file",
    about: "Answer with JSON in the form of this JSON Schema, a file or JSON itself",
  },
  theme: {
    type: "string",
    value: "name",
    values: THEME_NAMES,
    about: `Colors of the conversation: ${THEME_NAMES.join(", ")}`,
  },
  remote: {
    type: "string",
    value: "url",
    about: "Use a session on this server; the token is in ROBOTA_TOKEN",
  },
  "trust-workspace": {
    type: "boolean",
    about: "Trust the project's settings for this run: its hooks run, its rules allow calls",
  },
  host: {
    type: "string",
    value: "address",
    about: "With serve and playground: what it listens on; default 127.0.0.1",
  },
  port: {
    type: "string",
    value: "n",
    about: "With serve (default 8787) and playground (default 4173); 0 for any that is free",
  },
  storage: {
    type: "string",
    value: "url",
    about: "With serve: sessions in postgres://… or redis://…, for several servers",
  },
  to: { type: "string", value: "url", about: "With sessions move: the server that it goes to" },
  from: {
    type: "string",
    value: "url",
    about: "With sessions move: the server that it comes from",
  },
  files: {
    type: "string",
    value: "which",
    values: FILES,
    about: "With sessions export: changed, workspace or none; with import: own, workspace or none",
  },
  output: {
    type: "string",
    short: "o",
    value: "file",
    completes: "file",
    about: "With sessions export: a new file instead of standard output",
  },
  help: { type: "boolean", short: "h", about: "Print this help" },
  version: { type: "boolean", short: "v", about: "Print the version" },
} as const satisfies Record<string, CliOption>;

export type OptionName = keyof typeof OPTIONS;
