import type { Platform } from "../../ports/platform.ts";
import type { Command, CommandSource } from "../commands/command.ts";
import { LazyCommands } from "../commands/lazy-commands.ts";
import type { WorkspaceTrust } from "../settings/workspace-trust.ts";
import { bundleCommands } from "./bundle-commands.ts";

export interface PluginSourceOptions {
  platform: Platform;
  /** Decides whether the workspace's bundles are among them; when omitted, they are if it was trusted before. */
  trustWorkspace?: WorkspaceTrust | undefined;
}

/**
 * The commands of installed bundles, named `bundle:command`: those in force for a workspace and its person. Files are
 * read with the first request, and again after `reload`.
 */
export class PluginCommandSource implements CommandSource {
  readonly name = "plugins";
  readonly #commands: LazyCommands;

  /** `cwd`: the workspace; the platform's own when omitted. */
  constructor(cwd: string | undefined, options: PluginSourceOptions) {
    this.#commands = new LazyCommands(cwd, options, (loaded) => bundleCommands(loaded.bundles));
  }

  /** @throws {ConfigurationError} for a settings file that can't be read: it may hold what decides on trust */
  getCommands(): Promise<readonly Command[]> {
    return this.#commands.get();
  }

  reload(): void {
    this.#commands.reload();
  }
}
