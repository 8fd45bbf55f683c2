import type { DispatchHook } from "#just-bash";
import { type AccessRules, basename, dirname, resolvePath } from "@robota/runtime/ports";

/** Why a command may not run; a promise when the rules are elsewhere. */
export type RefusesCommand = (
  words: readonly string[],
  cwd: string,
) => Promise<string | undefined> | string | undefined;

/** Whether two rules or one refuse a command, asked for both; `undefined` when there is nobody to ask. */
export function refusesCommandOf(
  rules: Pick<AccessRules, "refusesCommand"> | undefined,
  other: RefusesCommand | undefined,
): RefusesCommand | undefined {
  if (!rules) return other;
  const own: RefusesCommand = (words, cwd) => rules.refusesCommand(words, cwd);
  if (!other) return own;
  return (words, cwd) => own(words, cwd) ?? other(words, cwd);
}

/** Asks about every command by its words, and about `/usr/bin/rm` as about `rm`, which is what it runs. */
export function createCommandGuard(refuses: RefusesCommand): DispatchHook["refuseCommand"] {
  return (words, cwd) => {
    const [command = "", ...args] = words;
    const reason = refuses(words, cwd);
    const program = programOf(command, cwd);
    const shortReason = program === undefined ? undefined : refuses([program, ...args], cwd);
    if (reason === undefined && shortReason === undefined) return undefined;
    return refused(command, [reason, shortReason]);
  };
}

async function refused(
  command: string,
  reasons: readonly (Promise<string | undefined> | string | undefined)[],
) {
  let reason: string | undefined;
  for (const answer of reasons) reason ??= await answer;
  if (reason === undefined) return undefined;
  const stderr = `bash: ${command}: not permitted: ${reason}\n`;
  return { stdout: "", stderr, exitCode: 126 };
}

/** The name of a program of the shell that is called by its path. */
function programOf(command: string, cwd: string): string | undefined {
  if (!command.includes("/")) return undefined;
  const path = resolvePath(cwd, command);
  const directory = dirname(path);
  return directory === "/bin" || directory === "/usr/bin" ? basename(path) : undefined;
}
