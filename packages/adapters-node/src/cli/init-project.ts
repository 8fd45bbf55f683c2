import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Platform } from "@robota/runtime";
import { detectProject, type ProjectCommands } from "@robota/runtime/settings";
import { errnoOf } from "../files/file-error.ts";
import { UsageError } from "./arguments/usage-error.ts";
import { printable } from "./printable.ts";

/**
 * Writes a project's first instructions and settings, from what its files say about it. A file that is there stays as
 * it is. Resolves to the exit code.
 */
export async function initProject(cwd: string, platform: Platform): Promise<number> {
  const { commands } = await detectProject(platform.fs, cwd);
  await writeNew(join(cwd, "AGENTS.md"), instructionsFor(commands));
  await writeNew(join(cwd, ".robota/settings.json"), settingsFor(commands));
  return 0;
}

function instructionsFor(commands: ProjectCommands): string {
  const lines = Object.entries(commands).map(([name, command]) => `- ${name}: \`${command}\``);
  const checks = lines.length > 0 ? lines.join("\n") : "- test: (the command that runs the tests)";
  return `# Instructions for agents

What this project is, and what to know before changing it.

## Commands

${checks}
`;
}

/** Checks of the project that run without approval. */
function settingsFor(commands: ProjectCommands): string {
  const allow = Object.values(commands).map((command) => `Bash(${command})`);
  return `${JSON.stringify({ permissions: { allow } }, null, 2)}\n`;
}

async function writeNew(path: string, text: string): Promise<void> {
  await makeDirectory(dirname(path));
  try {
    await writeFile(path, text, { flag: "wx" });
    process.stdout.write(`Wrote ${printable(path)}\n`);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    process.stdout.write(`Kept ${printable(path)}\n`);
  }
}

/** @throws {UsageError} where a file is in the way */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    if (!/^(?:EEXIST|ENOTDIR)$/.test(errnoOf(cause))) throw cause;
    throw new UsageError(`${path} can't be a directory: a file is in the way`, { cause });
  }
}
