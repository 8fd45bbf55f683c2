import type { DirectoryEntry } from "@robota/runtime";
import type { FileRow, FileTreeState, FileTreeStore, WatchableFiles } from "./file-tree.ts";
import type { Cell } from "./readable.ts";

/** The open directories of a file tree. */
export type OpenDirectories = Pick<FileTreeStore, "toggle" | "reveal" | "refresh">;

type Listings = ReadonlyMap<string, readonly DirectoryEntry[]>;

/** Opens `root` alone, and keeps the rows in `state`. Calls `fail` with the error of the last reading. */
export function openDirectories(
  fs: WatchableFiles,
  root: string,
  state: Cell<FileTreeState>,
  fail: (cause: unknown) => void,
): OpenDirectories {
  let open: ReadonlySet<string> = new Set([root]);
  let listings: Listings = new Map();
  let reading = 0;

  const read = async (): Promise<void> => {
    const own = ++reading;
    try {
      const found = await readListings(fs, open, root);
      if (own !== reading) return;
      listings = found;
      state.set({ rows: visibleRows(listings, open, root), isLoaded: true, failure: undefined });
    } catch (cause) {
      if (own === reading) fail(cause);
    }
  };
  const change = (directories: ReadonlySet<string>): void => {
    open = directories;
    state.set({ ...state.get(), rows: visibleRows(listings, open, root) });
    void read();
  };

  return {
    toggle(path) {
      const next = new Set(open);
      if (!next.delete(path)) next.add(path);
      change(next);
    },
    reveal(path) {
      const missing = parents(path, root).filter((parent) => !open.has(parent));
      if (missing.length > 0) change(new Set([...open, ...missing]));
    },
    refresh: () => void read(),
  };
}

async function readListings(
  fs: WatchableFiles,
  open: ReadonlySet<string>,
  root: string,
): Promise<Listings> {
  const read = await Promise.all(
    [...open].map(async (path) => {
      try {
        return [path, await fs.readdir(path)] as const;
      } catch (error) {
        // A directory removed while it was open has no rows any more.
        if (path === root) throw error;
        return undefined;
      }
    }),
  );
  return new Map(read.filter((listing) => listing !== undefined));
}

function visibleRows(listings: Listings, open: ReadonlySet<string>, root: string): FileRow[] {
  const rows: FileRow[] = [];
  const visit = (directory: string, level: number): void => {
    const entries = listings.get(directory) ?? [];
    const isDirectory = (entry: DirectoryEntry): boolean => entry.type === "directory";
    const sorted = [
      ...entries.filter(isDirectory),
      ...entries.filter((each) => !isDirectory(each)),
    ];
    for (const entry of sorted) {
      const path = `${directory === "/" ? "" : directory}/${entry.name}`;
      const isOpen = isDirectory(entry) && open.has(path);
      rows.push({ path, name: entry.name, isDirectory: isDirectory(entry), level, isOpen });
      if (isOpen) visit(path, level + 1);
    }
  };
  visit(root, 1);
  return rows;
}

function parents(path: string, root: string): string[] {
  const found: string[] = [];
  let at = path.lastIndexOf("/");
  while (at > root.length) {
    found.push(path.slice(0, at));
    at = path.lastIndexOf("/", at - 1);
  }
  return found;
}
