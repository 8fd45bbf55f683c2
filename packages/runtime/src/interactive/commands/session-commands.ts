import { errorMessage } from "../../errors.ts";
import type { Platform } from "../../ports/platform.ts";
import { isAllowed, requireAllowed } from "./authorize.ts";
import { BUILTIN_COMMANDS } from "./builtin/builtin-commands.ts";
import { CommandIndex } from "./command-index.ts";
import type {
  Command,
  CommandCaller,
  CommandOutcome,
  CommandResult,
  CommandSource,
  PluginManager,
} from "./command.ts";
import type { CommandSession } from "./command-session.ts";
import { type CommandCompletion, completionsOf } from "./complete.ts";

import { targetOf } from "./subcommands.ts";

export { resultOfTurn } from "./result-of-turn.ts";

/** The session's side of its commands. */
export interface CommandParts {
  /** In order of precedence, behind the built-in commands. */
  sources: readonly CommandSource[];
  agents: readonly { name: string; description: string }[];
  /** Where plugins are installed; absent for a session without settings files. */
  place?: { platform: Platform; cwd: string } | undefined;
}

/** The commands of one session. */
export class SessionCommands {
  readonly #session: CommandSession;
  readonly #parts: CommandParts;
  readonly #registry = new CommandIndex();

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
      return { result: { message: errorMessage(error), success: false } };
    }
  }

  /** The completions at the cursor. */
  async complete(text: string, cursor: number): Promise<CommandCompletion[]> {
    return completionsOf(await this.list(), this.#session, text, cursor);
  }

  async #execute(command: Command, args: string, caller: CommandCaller): Promise<CommandResult> {
    const { place } = this.#parts;
    const mine = (all: readonly Command[]): Command[] =>
      all.filter((one) => isAllowed(one, caller));
    if (!command.execute) return { message: notHere(command), success: false };
    return command.execute(this.#session, args, {
      caller,
      commands: mine(await this.list()),
      agents: this.#parts.agents,
      problems: this.#registry.problems,
      plugins: place && (() => installedPlugins(place)),
      reload: async () => {
        this.#registry.reload();
        return mine(await this.list());
      },
    });
  }
}

async function installedPlugins({
  platform,
  cwd,
}: NonNullable<CommandParts["place"]>): Promise<PluginManager> {
  const { BundlePluginInstaller } = await import("../bundles/bundle-plugin-installer.ts");
  return new BundlePluginInstaller(platform, { cwd });
}

function notHere({ name, subcommands = [] }: Command): string {
  return subcommands.length === 0
    ? `/${name} is for the program around the session.`
    : `Choose one: ${subcommands.map((sub) => `/${name} ${sub.name}`).join(", ")}.`;
}
