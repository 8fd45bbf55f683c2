import { errorMessage, RobotaError, requireArgument } from "../../errors.ts";
import type { Platform } from "../../ports/platform.ts";
import type { McpServers } from "../mcp/mcp-options.ts";
import { isAllowed, requireAllowed } from "./authorize.ts";
import { BUILTIN_COMMANDS } from "./builtin/builtin-commands.ts";
import { CommandIndex } from "./command-index.ts";
import type {
  Command,
  CommandCaller,
  CommandContext,
  CommandOutcome,
  CommandResult,
  CommandSource,
} from "./command.ts";
import type { CommandSession } from "./command-session.ts";
import { mentionAt } from "../../session/mentions/mention-words.ts";
import { type CommandCompletion, completionsOf } from "./complete.ts";
import type { MentionCompletion } from "./complete-mention.ts";
import type { PluginManager } from "./plugin-manager.ts";
import type { TrustManager } from "./trust-manager.ts";
import { targetOf } from "./subcommands.ts";

export { resultOfTurn } from "./result-of-turn.ts";

/** The session's side of its commands. */
export interface CommandParts {
  /** In order of precedence, behind the built-in commands. */
  sources: readonly CommandSource[];
  agents: () => readonly { name: string; description: string }[];
  /** Where plugins are installed; absent for a session without settings files. */
  place?: { platform: Platform; cwd: string } | undefined;
  /** Its MCP servers; `undefined` while it has none. */
  servers?: (() => McpServers | undefined) | undefined;
  /** Trust in the workspace; absent for a session without settings files. */
  trust?: (() => Promise<TrustManager>) | undefined;
}

type Shown = Pick<CommandContext, "proposals" | "trustShown">;

/** The commands of one session. */
export class SessionCommands {
  readonly #session: CommandSession;
  readonly #parts: CommandParts;
  readonly #registry = new CommandIndex();
  #mentions: MentionCompletion | undefined;
  /** By kind of caller: a person confirms nothing that only somebody else was shown. */
  readonly #shown: Readonly<Record<CommandCaller["kind"], Shown>> = {
    person: { proposals: new Map(), trustShown: {} },
    model: { proposals: new Map(), trustShown: {} },
    remote: { proposals: new Map(), trustShown: {} },
  };

  constructor(session: CommandSession, parts: CommandParts) {
    this.#session = session;
    this.#parts = parts;
    this.#registry.addSource({ name: "builtin", getCommands: () => BUILTIN_COMMANDS });
    for (const source of parts.sources) this.#registry.addSource(source);
  }

  list(): Promise<Command[]> {
    return this.#registry.getCommands();
  }

  /**
   * Runs a command, or makes the prompt of a turn; `null` for an unknown one. A failing command is a result.
   * @throws {CommandRefusedError} when the caller may not run it
   */
  async prepare(
    typed: string,
    args: string,
    caller: CommandCaller,
  ): Promise<CommandOutcome | null> {
    requireArgument("name", typed);
    requireArgument("args", args);
    requireArgument("caller", caller, "object");
    const name = typed.replace(/^\//, "");
    const found = await this.#registry.find(name);
    if (!found) return null;
    const { command, args: rest } = targetOf(found, args);
    requireAllowed(command, caller);
    try {
      if (!command.prompt) return { result: await this.#execute(command, rest, caller) };
      const prompt = await command.prompt(rest);
      return { prompt: { displayInput: `/${name} ${args}`.trim(), ...prompt } };
    } catch (error) {
      return { result: { message: withHint(error), success: false } };
    }
  }

  /** The completions at the cursor: of a command that is typed, or of a mention. */
  async complete(text: string, at: number | undefined): Promise<CommandCompletion[]> {
    requireArgument("text", text);
    const cursor = at ?? text.length;
    const mention = mentionAt(text, cursor);
    if (mention) {
      const { MentionCompletion } = await import("./complete-mention.ts");
      this.#mentions ??= new MentionCompletion(this.#session);
      return this.#mentions.complete(text, mention, this.#parts.agents());
    }
    const context = await this.#context({ kind: "person" });
    return completionsOf(context.commands, this.#session, context, text, cursor);
  }

  async #execute(command: Command, args: string, caller: CommandCaller): Promise<CommandResult> {
    if (!command.execute) return { message: notHere(command), success: false };
    return command.execute(this.#session, args, await this.#context(caller));
  }

  async #context(caller: CommandCaller): Promise<CommandContext> {
    const { place, agents, trust } = this.#parts;
    const mine = (all: readonly Command[]): Command[] =>
      all.filter((one) => isAllowed(one, caller));
    const commands = mine(await this.list());
    return {
      caller,
      commands,
      agents: agents(),
      problems: this.#registry.problems,
      plugins: place && (() => pluginsAt(place)),
      ...this.#shown[caller.kind],
      trust,
      servers: this.#parts.servers?.(),
      reload: async () => {
        this.#registry.reload();
        return mine(await this.list());
      },
    };
  }
}

/** The error's message, and what to do about it. */
function withHint(error: unknown): string {
  const message = errorMessage(error);
  const hint = error instanceof RobotaError ? error.hint : "";
  if (hint === "" || message.includes(hint)) return message;
  return `${message}${/[.!?]$/.test(message) ? "" : "."} ${hint}`;
}

async function pluginsAt({
  platform,
  cwd,
}: NonNullable<CommandParts["place"]>): Promise<PluginManager> {
  const { BundlePluginManager } = await import("../marketplace/plugin-manager.ts");
  return new BundlePluginManager(platform, { cwd });
}

function notHere({ name, subcommands = [] }: Command): string {
  return subcommands.length === 0
    ? `/${name} is for the program around the session.`
    : `Choose one: ${subcommands.map((sub) => `/${name} ${sub.name}`).join(", ")}.`;
}
