import type { FileSystem, Shell } from "@robota/runtime";
import {
  changesBetween,
  contentOf,
  describeFile,
  directory,
  environment,
  writtenMs,
  type Answer,
  type Entry,
  type Tree,
} from "./cases.ts";

/** A copy of the starting tree that goes back to its start after each command. */
export interface Workplace {
  /** Runs the command here; its answer has the form of the recorded ones. */
  answer(command: string): Promise<Answer & { errors: string }>;
}

export async function createWorkplace(
  { fs, shell }: { fs: FileSystem; shell: Pick<Shell, "exec"> },
  start: Tree,
): Promise<Workplace> {
  const write = async (path: string, entry: Entry): Promise<void> => {
    const file = `${directory}/${path}`;
    await fs.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    if (typeof entry === "object" && "link" in entry) return fs.symlink(entry.link, file);
    if (typeof entry === "object" && "directory" in entry) return fs.mkdir(file);
    await fs.writeFile(file, contentOf(entry));
    await fs.chmod(file, typeof entry === "object" && entry.executable ? 0o755 : 0o644);
    await fs.utimes(file, writtenMs);
  };
  await fs.mkdir(directory, { recursive: true });
  for (const [path, entry] of Object.entries(start)) await write(path, entry);

  const restore = async (changes: Record<string, Entry | null>): Promise<void> => {
    for (const path of Object.keys(changes)) {
      // A parent of what the start has may have become something else.
      let top = path;
      while (!(top in start) && top.includes("/")) {
        const parent = top.slice(0, top.lastIndexOf("/"));
        if (Object.keys(start).some((known) => known.startsWith(`${parent}/`))) break;
        top = parent;
      }
      await fs.remove(`${directory}/${top}`, { recursive: true, force: true });
    }
    for (const path of Object.keys(changes)) {
      const entry = start[path];
      if (entry !== undefined) await write(path, entry);
    }
    for (const [path, entry] of Object.entries(start)) {
      if (Object.keys(changes).some((changed) => path.startsWith(`${changed}/`))) {
        await write(path, entry);
      }
    }
  };

  return {
    async answer(command) {
      const { stdout, stderr, exitCode } = await shell.exec(command, {
        cwd: directory,
        env: environment,
        stdin: "",
      });
      const changes = changesBetween(start, await readTree(fs, start));
      if (changes) await restore(changes);
      return {
        stdout,
        stderr: stderr !== "",
        exitCode,
        ...(changes ? { files: changes } : {}),
        errors: stderr,
      };
    },
  };
}

/** Reads the present tree. A file of the start with the same time and size is taken as unchanged. */
async function readTree(
  fs: FileSystem,
  start: Tree,
  path = directory,
  tree: Tree = {},
): Promise<Tree> {
  const entries = await fs.readdir(path).catch(() => []);
  const keyOf = (file: string): string => file.slice(directory.length + 1);
  if (entries.length === 0 && path !== directory) tree[keyOf(path)] = { directory: true };
  await Promise.all(
    entries.map(async ({ name, type }) => {
      const file = `${path}/${name}`;
      const key = keyOf(file);
      if (type === "directory") return readTree(fs, start, file, tree);
      if (type === "symlink") {
        tree[key] = { link: await fs.readlink(file) };
        return tree;
      }
      const { mode, mtimeMs, size } = await fs.stat(file);
      const executable = (mode & 0o100) !== 0;
      const before = start[key];
      const isKept =
        before !== undefined &&
        mtimeMs === writtenMs &&
        !(typeof before === "object" && ("link" in before || "directory" in before)) &&
        contentOf(before).length === size &&
        executable === (typeof before === "object" && before.executable === true);
      tree[key] = isKept ? before : describeFile(await fs.readFile(file), executable);
      return tree;
    }),
  );
  return tree;
}

/** True for equal answers. Bytes that are not UTF-8 can't be told from U+FFFD in a shell's result. */
export function isSame(expected: Answer, actual: Answer): boolean {
  const text = ({ stdout }: Answer): string =>
    typeof stdout === "string" ? stdout : new TextDecoder().decode(contentOf(stdout));
  return (
    text(expected) === text(actual) &&
    expected.stderr === actual.stderr &&
    expected.exitCode === actual.exitCode &&
    JSON.stringify(sorted(expected.files)) === JSON.stringify(sorted(actual.files))
  );
}

function sorted(files: Answer["files"]): unknown {
  return Object.entries(files ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
}
