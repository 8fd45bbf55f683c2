import type { FileSystem } from "@robota/runtime/ports";

/** The directories that lead to a place of a walk, the nearest first. */
export interface Ancestor {
  readonly real: string;
  /** As the program prints it. */
  readonly name: string;
  readonly parent: Ancestor | undefined;
}

/**
 * A walk that follows links enters directory `name` here. Answers the new chain, or the ancestor that the directory is:
 * who enters that once more never comes to an end.
 */
export async function enterDirectory(
  fs: Pick<FileSystem, "realpath">,
  { name, path }: { name: string; path: string },
  parent: Ancestor | undefined,
): Promise<{ entered: Ancestor; loop?: never } | { entered?: never; loop: Ancestor }> {
  const real = await fs.realpath(path);
  for (let at = parent; at; at = at.parent) if (at.real === real) return { loop: at };
  return { entered: { real, name, parent } };
}
