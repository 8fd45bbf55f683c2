import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Platform } from "@robota/runtime";
import { detectProject, type ProjectCommands } from "@robota/runtime/settings";
import { errnoOf } from "../files/file-error.ts";
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
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: "wx" });
    process.stdout.write(`Wrote ${printable(path)}\n`);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    process.stdout.write(`Kept ${printable(path)}\n`);
  }
}
