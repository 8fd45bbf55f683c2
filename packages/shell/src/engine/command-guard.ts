import { type AccessRules, basename, dirname, resolvePath } from "@robota/runtime/ports";
import type { Guard } from "./run/process.ts";

/** Returns the reason to refuse a command; a promise when the rules are elsewhere. */
export type RefusesCommand = (
  words: readonly string[],
  cwd: string,
) => Promise<string | undefined> | string | undefined;

/** Combines two checks, either of which may refuse a command; `undefined` without any. */
export function refusesCommandOf(
  rules: Pick<AccessRules, "refusesCommand"> | undefined,
  other: RefusesCommand | undefined,
): RefusesCommand | undefined {
  if (!rules) return other;
  const own: RefusesCommand = (words, cwd) => rules.refusesCommand(words, cwd);
  if (!other) return own;
  return (words, cwd) => own(words, cwd) ?? other(words, cwd);
}

/** Checks every command by its words, and `/usr/bin/rm` as `rm`, the command that it runs. */
export function createCommandGuard(refuses: RefusesCommand): Guard {
  return {
    async refuses({ words, cwd }) {
      const [command = "", ...args] = words;
      const program = programOf(command, cwd);
      const answers = [
        refuses(words, cwd),
        ...(program === undefined ? [] : [refuses([program, ...args], cwd)]),
      ];
      let reason: string | undefined;
      for (const answer of answers) reason ??= await answer;
      return reason;
    },
  };
}

/** The name of a shell command called by its path. */
function programOf(command: string, cwd: string): string | undefined {
  if (!command.includes("/")) return undefined;
  const path = resolvePath(cwd, command);
  const directory = dirname(path);
  return directory === "/bin" || directory === "/usr/bin" ? basename(path) : undefined;
}
