import { useFiles, useTranscript } from "@robota/react";
import type { FileSystem, InteractiveSession } from "@robota/runtime";
import { Suspense, useEffect, useMemo } from "react";
import { FileView } from "../lazy.ts";
import { originalTexts } from "./file-changes.ts";
import { FileTreeView } from "./file-tree.tsx";
import "./files-panel.css";

export interface FilesPanelProps {
  fs: FileSystem;
  root: string;
  revision: number;
  session: InteractiveSession | undefined;
  /** The file that is shown. */
  path: string | undefined;
  onPath: (path: string | undefined) => void;
}

/** The workspace's files, as they are now. */
export function FilesPanel({ fs, root, revision, session, path, onPath }: FilesPanelProps) {
  const timeline = useTranscript(session);
  const tree = useFiles(fs, root, revision);
  const originals = useMemo(() => originalTexts(timeline), [timeline]);
  const { reveal } = tree;

  useEffect(() => {
    if (path) reveal(path);
  }, [path, reveal]);

  return (
    <div data-part="files-panel" data-file={path ? "open" : undefined}>
      <div data-part="files-tree">
        {tree.failure ? (
          <p data-part="file-note">The files can't be read: {tree.failure.message}</p>
        ) : tree.isLoaded && tree.rows.length === 0 ? (
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
