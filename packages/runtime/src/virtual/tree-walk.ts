import type { FileStat, FileSystem } from "../ports/file-system.ts";

export interface Found {
  /** Name as a program prints it: the operand and the path below it. */
  name: string;
  path: string;
  stat: FileStat;
}

/** `name` and everything below it, directories before their entries, names in order; links are not followed. */
export async function* walkTree(
  fs: FileSystem,
  name: string,
  path: string,
  isSkipped: (name: string) => boolean = () => false,
): AsyncGenerator<Found> {
  if (isSkipped(name)) return;
  const stat = await fs.lstat(path);
  yield { name, path, stat };
  if (stat.type !== "directory") return;
  const names = (await fs.readdir(path)).map((entry) => entry.name);
  for (const child of names.sort((one, other) => (one < other ? -1 : 1))) {
    const separator = name.endsWith("/") ? "" : "/";
    yield* walkTree(fs, `${name}${separator}${child}`, `${path}/${child}`, isSkipped);
  }
}
