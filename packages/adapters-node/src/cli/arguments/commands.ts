import type { PermissionMode } from "@robota/runtime";
import type { ThemeName } from "../conversation/theme-names.ts";
import type { ProviderName } from "../provider.ts";
import type { INPUT_FORMATS, OUTPUT_FORMATS } from "./options.ts";

export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Options of the sessions that a command opens. */
export interface SessionChoices {
  permissionMode?: PermissionMode | undefined;
  allow: string[];
  deny: string[];
  /** Names of variables that commands get as well. */
  allowEnv: string[];
  provider?: ProviderName | undefined;
  model?: string | undefined;
  maxTurns?: number | undefined;
  /** US dollars. */
  maxBudget?: number | undefined;
  /** Files or JSON. */
  mcpConfig: string[];
  systemPrompt?: string | undefined;
  appendSystemPrompt?: string | undefined;
  /** Names of built-in tools; all of them when omitted. */
  tools?: readonly string[] | undefined;
  /** A file or JSON. */
  agents?: string | undefined;
  /** A file or JSON. */
  settings?: string | undefined;
  /** Trusts the project's settings for this run. */
  trustWorkspace: boolean;
}

/** One turn without a conversation. */
export interface PromptCommand extends SessionChoices {
  name: "prompt";
  /** `-` stands for standard input. Empty when lines of standard input are the prompts. */
  prompt: string;
  inputFormat: (typeof INPUT_FORMATS)[number];
  outputFormat: OutputFormat;
  /** A file or JSON: the form of every answer. */
  jsonSchema?: string | undefined;
  /** Absolute. */
  cwd: string;
  /** Absolute directories beside it. */
  addDirs: string[];
  /** The id of a session, or the last one of the directory. */
  resume?: { id: string } | "last" | undefined;
  /** Continues in a copy of the resumed session. */
  forkSession: boolean;
  /** Id of the new session. */
  sessionId?: string | undefined;
  /** Address of the server whose session it is; absent for one of this machine. */
  remote?: string | undefined;
}

/** A conversation at the terminal. Its options are those of a prompt, which begins it unless it is empty. */
export type ConversationCommand = Omit<PromptCommand, "name"> & {
  name: "conversation";
  theme: ThemeName;
};

/** Serves an editor over standard input and output. */
export interface AcpCommand extends SessionChoices {
  name: "acp";
}

/** Serves sessions over HTTP. */
export interface ServeCommand extends SessionChoices {
  name: "serve";
  host: string;
  port: number;
  /** Directory of its sessions, absolute. */
  cwd: string;
  /** Address of the database with the sessions; this machine's own storage when omitted. */
  storage?: string | undefined;
}

/** Serves the playground, whose sessions run in the visitor's tab. */
export interface PlaygroundCommand {
  name: "playground";
  host: string;
  port: number;
}

/** Serves a session to an MCP client; its options are those of a prompt. */
export type McpCommand = Omit<PromptCommand, "name"> & { name: "mcp" };

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

/** Writes a session as lines of JSON. */
export interface ExportCommand {
  name: "export-session";
  id: string;
  /** The files that go along; those that the session changed when omitted. */
  files?: "changed" | "workspace" | "none" | undefined;
  /** A new file, absolute; standard output when omitted. */
  output?: string | undefined;
}

/** Makes a session of such lines. */
export interface ImportCommand {
  name: "import-session";
  /** A file, absolute, or `-` for standard input. */
  source: string;
  /** Where its files go: into a view of its own when omitted. */
  files?: "own" | "workspace" | "none" | undefined;
  /** Absolute. */
  cwd: string;
}

/** Shells that completions can be written for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type ShellName = (typeof SHELLS)[number];

export type CliCommand =
  | PromptCommand
  | ConversationCommand
  | AcpCommand
  | McpCommand
  | ServeCommand
  | PlaygroundCommand
  | { name: "help" | "version" }
  | { name: "list-sessions"; outputFormat: OutputFormat }
  | { name: "show-session"; id: string; outputFormat: OutputFormat }
  | { name: "rename-session"; id: string; newName: string }
  | { name: "delete-session" | "replay-session"; id: string }
  /** The words behind `/rewind`: none to list the turns. */
  | { name: "rewind-session"; id: string; words: string[] }
  | ExportCommand
  | ImportCommand
  | MoveCommand
  | { name: "completion"; shell: ShellName }
  | { name: "doctor"; cwd: string; outputFormat: OutputFormat }
  | { name: "init"; cwd: string };
