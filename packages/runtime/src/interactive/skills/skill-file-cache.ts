import type { FileStat, FileSystem } from "../../ports/file-system.ts";
import type { SkillFile } from "./skill.ts";

/**
 * Milliseconds after which a file counts as settled: one that was written just now may change again without another time
 * of change.
 */
const SETTLED_MS = 2_000;

/** Skill files as they were read, so that each turn of a session reads only those that have changed since. */
export class SkillFileCache {
  readonly #now: () => number;
  readonly #kept = new Map<string, { stat: FileStat; file: SkillFile }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The file at this path as it is kept, or as `read` finds it. */
  async get(
    fs: FileSystem,
    path: string,
    { scope, read }: { scope: SkillFile["scope"]; read: () => Promise<SkillFile | undefined> },
  ): Promise<SkillFile | undefined> {
    const stat = await fs.stat(path).catch(() => undefined);
    const kept = this.#kept.get(path);
    if (stat && kept && isSame(stat, kept.stat) && kept.file.scope === scope) return kept.file;
    this.#kept.delete(path);
    const file = await read();
    // The time is from before the read: a file that changed meanwhile is read again.
    if (stat && file?.skill && isAlone(file) && this.#now() - stat.mtimeMs > SETTLED_MS)
      this.#kept.set(path, { stat, file });
    return file;
  }
}

function isSame(one: FileStat, other: FileStat): boolean {
  return one.mtimeMs === other.mtimeMs && one.size === other.size && one.type === other.type;
}

/** False for a skill that is trusted together with the files beside it. */
function isAlone({ scope, skill }: SkillFile): boolean {
  return scope === "user" || !skill?.directory || skill.allowedTools.length === 0;
}
