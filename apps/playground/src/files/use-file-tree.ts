import type { DirectoryEntry, FileSystem } from "@robota/runtime";
import { useEffect, useMemo, useState } from "react";

/** One visible row of the tree. */
export interface TreeRow {
  path: string;
  name: string;
  isDirectory: boolean;
  /** Level from 1, as in `aria-level`. */
  level: number;
  open: boolean;
}

export interface FileTree {
  rows: readonly TreeRow[];
  loaded: boolean;
  problem: string;
  toggle: (path: string) => void;
  /** Opens every directory on the way to `path`. */
  reveal: (path: string) => void;
}

type Listings = ReadonlyMap<string, readonly DirectoryEntry[]>;

/** The tree below `root`, read again whenever `revision` changes. Only open directories are read. */
export function useFileTree(fs: FileSystem, root: string, revision: number): FileTree {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set([root]));
  const [listings, setListings] = useState<Listings>(new Map());
  const [problem, setProblem] = useState("");

  useEffect(() => {
    let current = true;
    readListings(fs, open, root).then(
      (read) => {
        if (!current) return;
        setListings(read);
        setProblem("");
      },
      (error: unknown) => {
        if (current) setProblem(error instanceof Error ? error.message : String(error));
      },
    );
    return () => {
      current = false;
    };
  }, [fs, root, open, revision]);

  const rows = useMemo(() => visibleRows(listings, open, root), [listings, open, root]);

  return {
    rows,
    loaded: listings.has(root),
    problem,
    toggle(path) {
      setOpen((before) => {
        const next = new Set(before);
        if (!next.delete(path)) next.add(path);
        return next;
      });
    },
    reveal(path) {
      setOpen((before) => new Set([...before, ...parents(path, root)]));
    },
  };
}

async function readListings(
  fs: FileSystem,
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

function visibleRows(listings: Listings, open: ReadonlySet<string>, root: string): TreeRow[] {
  const rows: TreeRow[] = [];
  const visit = (directory: string, level: number) => {
    const entries = listings.get(directory) ?? [];
    const isDirectory = (entry: DirectoryEntry) => entry.type === "directory";
    const sorted = [...entries.filter(isDirectory), ...entries.filter((e) => !isDirectory(e))];
    for (const entry of sorted) {
      const path = `${directory === "/" ? "" : directory}/${entry.name}`;
      const isOpen = isDirectory(entry) && open.has(path);
      rows.push({ path, name: entry.name, isDirectory: isDirectory(entry), level, open: isOpen });
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
