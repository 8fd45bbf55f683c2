import type { Platform } from "../../ports/platform.ts";
import { workingDirectory } from "../../ports/working-directory.ts";
import type { Command, CommandSource } from "../commands/command.ts";
import { loadSettings } from "../settings/load-settings.ts";
import type { WorkspaceTrust } from "../settings/workspace-trust.ts";
import { skillCommands } from "./skill-commands.ts";
import { skillsInForce } from "./skills-in-force.ts";

export interface SkillSourceOptions {
  platform: Platform;
  /** Decides whether the workspace's skills are among them; when omitted, they are if it was trusted before. */
  trustWorkspace?: WorkspaceTrust | undefined;
}

/**
 * The skills of a workspace and its person as commands: those of `.robota`, `.claude` and `~/.robota` in their
 * folders `skills` and `commands`, of `~/.claude/commands` and of `.agents/skills`, where the first of a name counts. Files are read with the first request, and
 * again after `reload`.
 */
export class SkillCommandSource implements CommandSource {
  readonly name = "skills";
  readonly #cwd: string | undefined;
  readonly #options: SkillSourceOptions;
  #commands: Promise<readonly Command[]> | undefined;

  /** `cwd`: the workspace; the platform's own when omitted. */
  constructor(cwd: string | undefined, options: SkillSourceOptions) {
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
    const { skills } = await loadSettings(platform, { cwd, trustWorkspace });
    return skillCommands(skillsInForce(skills));
  }
}
