import type { Platform } from "../../ports/platform.ts";
import type { Command, CommandSource } from "../commands/command.ts";
import { LazyCommands } from "../commands/lazy-commands.ts";
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
  readonly #commands: LazyCommands;

  /** `cwd`: the workspace; the platform's own when omitted. */
  constructor(cwd: string | undefined, options: SkillSourceOptions) {
    this.#commands = new LazyCommands(cwd, options, (loaded) =>
      skillCommands(skillsInForce(loaded.skills)),
    );
  }

  /** @throws {ConfigurationError} for a settings file that can't be read: it may hold what decides on trust */
  getCommands(): Promise<readonly Command[]> {
    return this.#commands.get();
  }

  reload(): void {
    this.#commands.reload();
  }
}
