import type { McpServers } from "../mcp/mcp-options.ts";
import type { TrustManager } from "./trust-manager.ts";
import type { CommandSession } from "./command-session.ts";
import type { PluginManager, PluginProposal } from "./plugin-manager.ts";

/** The outcome of a command. */
export interface CommandResult {
  /** Message for a person. */
  message: string;
  success: boolean;
  /** The same for programs, as JSON. Anything outside the session is for the caller to do by it. */
  data?: Record<string, unknown>;
}

/**
 * The effect of a command: `read` only shows something, `write` changes the conversation, the files or the session's
 * name, `privilege` changes what the agent may do.
 */
export type CommandScope = "read" | "write" | "privilege";

/** The caller of a command: a person at the session, its model, or a remote caller with these scopes. */
export type CommandCaller =
  | { kind: "person" }
  | { kind: "model" }
  | { kind: "remote"; scopes: readonly CommandScope[] };

/** The context of a command's run, besides its arguments. */
export interface CommandContext {
  caller: CommandCaller;
  /** The commands of the session that the caller may run, in display order. */
  commands: readonly Command[];
  /** The agents that the session's model can delegate work to. */
  agents: readonly { name: string; description: string }[];
  /** Absent for a session without settings files. */
  plugins?: (() => Promise<PluginManager>) | undefined;
  /** Absent while the session has none. */
  servers?: McpServers | undefined;
  /** Changes of plugins that a caller of this kind was shown in this session and has not decided on, by plugin. */
  proposals: Map<string, PluginProposal>;
  /** Absent for a session without settings files. */
  trust?: (() => Promise<TrustManager>) | undefined;
  /** The digest of the workspace's parts that a caller of this kind was shown last. */
  trustShown: { digest?: string | undefined };
  /** The sources of commands that failed, each with its reason. */
  problems: readonly string[];
  /** Reads the commands of all sources again, and resolves to them. */
  reload: () => Promise<readonly Command[]>;
}

/** A value that an argument may have, for a menu. */
export interface CommandArgument {
  value: string;
  description: string;
}

/**
 * A slash command, called as `/name arguments`. It has `execute`, or `prompt`, or neither: then the client implements
 * it, and it is only listed here.
 */
export interface Command {
  /** As it is typed, without the slash. A namespace ends in a colon: `plugin:audit`. */
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** Kind of its origin: `builtin`, `skill`, `plugin`, `project`, `user`. */
  readonly source: string;
  readonly aliases?: readonly string[] | undefined;
  /** The arguments as a person reads them: `[focus]`, `<name>`. */
  readonly argumentHint?: string | undefined;
  /** Commands that its first argument may name. They run in its place, with the other arguments. */
  readonly subcommands?: readonly Command[] | undefined;
  /** `write` when omitted. A subcommand has that of its command unless it says otherwise, and so with `callers`. */
  readonly scope?: CommandScope | undefined;
  /** Its allowed callers; a person and remote callers when omitted. A model never runs one of the scope `privilege`. */
  readonly callers?: readonly CommandCaller["kind"][] | undefined;
  /** Runs at once, also while a turn is open. A thrown error becomes a failed result. `args`: the text after the name. */
  execute?(
    session: CommandSession,
    args: string,
    context: CommandContext,
  ): Promise<CommandResult> | CommandResult;
  /** Values for the argument that is being typed, beside the subcommands. `args`: those before it. */
  complete?(
    session: CommandSession,
    args: string,
    context: CommandContext,
  ): Promise<readonly CommandArgument[]> | readonly CommandArgument[];
  /** Makes the prompt of a turn from the text after the name. Never executes any of it. */
  prompt?(args: string): Promise<CommandPrompt> | CommandPrompt;
}

/** A command as a client's menu shows it. */
export type CommandInfo = Pick<
  Command,
  "name" | "description" | "source" | "argumentHint" | "aliases"
>;

/** A command that has run, or the prompt that it made and that a turn has to run. */
export type CommandOutcome =
  | { result: CommandResult; prompt?: undefined }
  | { prompt: CommandPrompt; result?: undefined };

/** The prompt that a command made, and how to run it. */
export interface CommandPrompt {
  /** The text for the model. */
  text: string;
  /** The text for the history in its place; `/name arguments` when omitted. */
  displayInput?: string | undefined;
  /** The skill behind it, whose invocation the history shows. */
  skillName?: string | undefined;
  /** The skill's permission rules, such as `Bash(git status)`, which are in force in the turn; for a menu. */
  allowedTools?: readonly string[] | undefined;
}

/** A source of commands: built in, skills, plugins, files of a person or a project. */
export interface CommandSource {
  /** Unique among the sources of a registry. */
  readonly name: string;
  /** All of them, in display order. Called often: a source that reads files keeps what it read until `reload`. */
  getCommands(): readonly Command[] | Promise<readonly Command[]>;
  /** True while it surely has none: the code for commands need not be loaded for it. */
  isEmpty?(): boolean;
  /** Clears its cache, so that the next list is read anew. */
  reload?(): void;
}
