import type { FileSystem } from "@robota/runtime/ports";

/** The chain of directories above the current place of a walk, the nearest first. */
export interface Ancestor {
  readonly real: string;
  /** The name as printed by the program. */
  readonly name: string;
  readonly parent: Ancestor | undefined;
}

/**
 * Enters directory `name` in a walk that follows links. Returns the new chain, or the ancestor that is the same
 * directory: entering it again would never end.
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
