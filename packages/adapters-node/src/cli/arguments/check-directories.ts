import { stat } from "node:fs/promises";
import type { CliCommand } from "./commands.ts";
import { UsageError } from "./usage-error.ts";

/** Commands that tell of the directory or make it themselves. */
const OWN_WORD: ReadonlySet<CliCommand["name"]> = new Set(["doctor", "init"]);

/**
 * Checks that the directories which a command works in are there: a mistyped one would otherwise be an empty project.
 *
 * @throws {UsageError}
 */
export async function checkDirectories(command: CliCommand): Promise<void> {
  if (OWN_WORD.has(command.name)) return;
  if ("cwd" in command) await checkDirectory("--cwd", command.cwd);
  if (!("addDirs" in command)) return;
  for (const directory of command.addDirs) await checkDirectory("--add-dir", directory);
}

async function checkDirectory(option: string, path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return;
  const problem = found ? "is not a directory" : "does not exist";
  throw new UsageError(`${option}: ${path} ${problem}`);
}
