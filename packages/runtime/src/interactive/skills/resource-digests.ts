import { sha256 } from "../../digest.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { walkTree } from "../../virtual/tree-walk.ts";

/** Limit for one skill: more files than anybody reads before deciding on trust. */
const MAX_FILES = 200;
const MAX_BYTES = 4_000_000;

/**
 * The files in a skill's folder besides its `SKILL.md`, one a line with its hash, for the decision on trust: the calls that
 * a skill allows may run them. Links are listed, and not followed.
 */
export async function resourceDigests(
  fs: FileSystem,
  directory: string,
): Promise<{ lines: string } | { problem: string }> {
  const top = await fs.realpath(directory);
  const lines: string[] = [];
  let bytes = 0;
  for await (const { name, path, stat } of walkTree(fs, ".", top)) {
    if (stat.type === "directory" || name === "./SKILL.md") continue;
    bytes += stat.size;
    if (lines.length === MAX_FILES || bytes > MAX_BYTES)
      return {
        problem: `allows calls, and has more than ${MAX_FILES} files or ${MAX_BYTES} bytes beside it, too much to be trusted with`,
      };
    const facts =
      stat.type === "symlink"
        ? `link to ${await fs.readlink(path)}`
        : `sha256 ${await sha256(await fs.readFile(path))}`;
    lines.push(`${name.slice("./".length)}  ${facts}`);
  }
  return { lines: lines.join("\n") };
}
