import type { Platform } from "../../ports/platform.ts";
import { workingDirectory } from "../../ports/working-directory.ts";
import type { Command, CommandSource } from "../commands/command.ts";
import { loadSettings } from "../settings/load-settings.ts";
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
  readonly #cwd: string | undefined;
  readonly #options: PluginSourceOptions;
  #commands: Promise<readonly Command[]> | undefined;

  /** `cwd`: the workspace; the platform's own when omitted. */
  constructor(cwd: string | undefined, options: PluginSourceOptions) {
    this.#cwd = cwd;
    this.#options = options;
  }

  /** @throws {ConfigurationError} for a settings file that can't be read: it may decide on trust */
  getCommands(): Promise<readonly Command[]> {
    this.#commands ??= this.#read().catch((error: unknown) => {
      this.reload();
      throw error;
    });
    return this.#commands;
  }

  reload(): void {
    this.#commands = undefined;
  }

  async #read(): Promise<readonly Command[]> {
    const { platform, trustWorkspace } = this.#options;
    const cwd = workingDirectory(this.#cwd, platform);
    const { bundles } = await loadSettings(platform, { cwd, trustWorkspace });
    return bundleCommands(bundles);
  }
}
