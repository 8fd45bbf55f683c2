import type { FileSystem } from "@robota/runtime";
import { Suspense, useEffect, useMemo } from "react";
import { FileView } from "../lazy.ts";
import type { ConversationView } from "../state/conversation.ts";
import { originalTexts } from "./file-changes.ts";
import { FileTreeView } from "./file-tree.tsx";
import { useFileTree } from "./use-file-tree.ts";
import "./files-panel.css";

export interface FilesPanelProps {
  fs: FileSystem;
  root: string;
  revision: number;
  timeline: ConversationView["timeline"];
  /** The file that is shown. */
  path: string | undefined;
  onPath: (path: string | undefined) => void;
}

/** The workspace's files, as they are now. */
export function FilesPanel({ fs, root, revision, timeline, path, onPath }: FilesPanelProps) {
  const tree = useFileTree(fs, root, revision);
  const originals = useMemo(() => originalTexts(timeline), [timeline]);
  const { reveal } = tree;

  useEffect(() => {
    if (path) reveal(path);
    // `reveal` is a new function with every render; the path alone says when to open directories.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [path]);

  return (
    <div data-part="files-panel" data-file={path ? "open" : undefined}>
      <div data-part="files-tree">
        {tree.problem ? (
          <p data-part="file-note">The files can't be read: {tree.problem}</p>
        ) : tree.loaded && tree.rows.length === 0 ? (
          <p data-part="file-note">The workspace is empty.</p>
        ) : (
          <FileTreeView tree={tree} selected={path} changed={originals} onOpenFile={onPath} />
        )}
      </div>
      {path && (
        <Suspense>
          <FileView
            key={path}
            fs={fs}
            path={path}
            revision={revision}
            original={originals.get(path)}
            onClose={() => onPath(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}
