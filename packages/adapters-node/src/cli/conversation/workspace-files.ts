import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";

const MAX_FILES = 20_000;
const MAX_OUTPUT_BYTES = 4_000_000;
const GIT_TIMEOUT_MS = 3000;
/** Directories without files that a person would name, in a project that git does not know. */
const SKIPPED = new Set(["node_modules", ".git", "dist", "target", ".venv", "__pycache__"]);

/** Paths of files below a directory, relative to it, for completion: what git knows or would add, else what is there. */
export async function workspaceFiles(cwd: string): Promise<string[]> {
  return (await filesOfGit(cwd)) ?? walk(cwd);
}

async function filesOfGit(cwd: string): Promise<string[] | undefined> {
  // Without the project's own configuration, which could name a program to run.
  const args = ["-c", "core.fsmonitor=false", "ls-files", "-z", "-co", "--exclude-standard"];
  try {
    const { stdout } = await promisify(execFile)("git", args, {
      cwd,
      maxBuffer: MAX_OUTPUT_BYTES,
      timeout: GIT_TIMEOUT_MS,
    });
    return [...new Set(stdout.split("\0"))].filter((path) => path !== "").slice(0, MAX_FILES);
  } catch {
    // No git, no repository, or one too large for a menu.
    return undefined;
  }
}

async function walk(cwd: string): Promise<string[]> {
  const files: string[] = [];
  const open = [cwd];
  for (let directory = open.shift(); directory !== undefined; directory = open.shift()) {
    if (files.length >= MAX_FILES) break;
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) open.push(path);
      if (entry.isFile()) files.push(relative(cwd, path).replaceAll(sep, "/"));
    }
  }
  return files;
}
