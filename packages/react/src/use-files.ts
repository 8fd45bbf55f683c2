import { useEffect, useMemo } from "react";
import {
  createFileTree,
  type FileTreeState,
  type FileTreeStore,
  type WatchableFiles,
} from "./store/file-tree.ts";
import { useReadable } from "./use-readable.ts";

export type UseFiles = FileTreeState & Pick<FileTreeStore, "toggle" | "reveal" | "refresh">;

/**
 * The tree of files below `root`. Files of a browser tab are followed by themselves; those of other platforms are read
 * again whenever `revision` is another value, such as the id of the last turn.
 * @example
 * function Files({ platform }: { platform: Platform }) {
 *   const { rows, toggle } = useFiles(platform.fs, "/workspace");
 *   return rows.map((row) => (
 *     <button key={row.path} style={{ marginLeft: `${row.level}rem` }} onClick={() => toggle(row.path)}>
 *       {row.name}
 *     </button>
 *   ));
 * }
 */
export function useFiles(fs: WatchableFiles, root: string, revision?: unknown): UseFiles {
  const tree = useMemo(() => createFileTree(fs, root), [fs, root]);
  const state = useReadable(tree);
  useEffect(() => tree.refresh(), [tree, revision]);
  return { ...tree, ...state };
}
