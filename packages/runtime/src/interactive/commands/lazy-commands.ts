import type { Platform } from "../../ports/platform.ts";
import { workingDirectory } from "../../ports/working-directory.ts";
import { type LoadedSettings, loadSettings } from "../settings/load-settings.ts";
import type { WorkspaceTrust } from "../settings/workspace-trust.ts";
import type { Command } from "./command.ts";

/** The place of commands that come with settings, and the trust in it. */
export interface SettingsCommandOptions {
  platform: Platform;
  trustWorkspace?: WorkspaceTrust | undefined;
}

/** Commands of a workspace and its person, read with the first request and again after `reload`. */
export class LazyCommands {
  readonly #read: () => Promise<readonly Command[]>;
  #commands: Promise<readonly Command[]> | undefined;

  /** `cwd`: the workspace; the platform's own when omitted. `commandsIn`: those of the settings in force there. */
  constructor(
    cwd: string | undefined,
    { platform, trustWorkspace }: SettingsCommandOptions,
    commandsIn: (loaded: LoadedSettings) => readonly Command[],
  ) {
    this.#read = async () => {
      const place = { cwd: workingDirectory(cwd, platform), trustWorkspace };
      return commandsIn(await loadSettings(platform, place));
    };
  }

  /** A failure is not kept: the next request reads again. */
  get(): Promise<readonly Command[]> {
    this.#commands ??= this.#read().catch((error: unknown) => {
      this.reload();
      throw error;
    });
    return this.#commands;
  }

  reload(): void {
    this.#commands = undefined;
  }
}
