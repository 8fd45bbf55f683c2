import { useFiles, useReadable, useSelected } from "@robota/react";
import { createCell, type EventRow, type Readable, sessionStore } from "@robota/react/store";
import type { FileSystem } from "@robota/runtime";
import { useEffect, useState } from "react";
import { useMarks } from "../changes/changed-files.ts";
import { WORKSPACE_ROOT } from "../constants.ts";
import { unsavedIn } from "../editor/unsaved.ts";
import { shownPath } from "../layout/view.ts";
import { FileToolbar, FileView } from "../lazy.ts";
import { useCurrentSession, useHost, usePage } from "../state/page-context.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { RegionBoundary } from "../ui/region-boundary.tsx";
import { WorkspaceFrame } from "../workspaces/workspace-frame.tsx";
import { FileTreeView } from "./file-tree.tsx";
import { beginsWithCopy } from "./own-copy.ts";
import "./files-panel.css";

const OwnFiles = lazyPart(async () => (await import("./own-files.tsx")).OwnFiles);

/** The session's files, as they are now: those of the workspace, or its own. */
export function FilesPanel() {
  const host = useHost();
  const { session, local, remote } = useCurrentSession();
  const hasCopy = useSelected(local ? sessionStore(local).rows : noRows, beginsWithCopy);
  if (session && (remote || hasCopy)) {
    return (
      <RegionBoundary name="The session’s files">
        <OwnFiles key={session.sessionId} session={session} />
      </RegionBoundary>
    );
  }
  return (
    host && (
      <WorkspaceFrame host={host}>
        <Files id="workspace" fs={host.fs} own={local?.workspace.fs ?? host.fs} />
      </WorkspaceFrame>
    )
  );
}

/** Closes the file, and gives the focus back to its row in the tree: a phone shows the tree only then. */
function closeFile(path: string): void {
  shownPath.set(undefined);
  requestAnimationFrame(() => {
    const row = `[data-part=file-tree] [data-path="${CSS.escape(path)}"]`;
    document.querySelector<HTMLElement>(row)?.focus();
  });
}

const noRows: Readable<readonly EventRow[]> = createCell([]);

export interface FilesProps {
  /** Tells these files from those of other sessions; unsaved texts stay with them. */
  id: string;
  /** The files to show. */
  fs: FileSystem;
  /** The same files, where a person's changes go. */
  own: FileSystem;
  /** False where folders exist only with the files in them. */
  keepsFolders?: boolean;
}

/** A tree of files, and the one that is open. */
export function Files({ id, fs, own, keepsFolders = true }: FilesProps) {
  const revision = useReadable(usePage().filesRevision);
  const path = useReadable(shownPath);
  const page = usePage();
  const [chosenPath, setChosenPath] = useState<string>();
  const tree = useFiles(fs, WORKSPACE_ROOT, revision);
  const marks = useMarks();
  const unsaved = unsavedIn(id);
  const { reveal } = tree;

  useEffect(() => {
    if (path) reveal(path);
  }, [path, reveal]);

  return (
    <div data-part="files-panel" data-file={path ? "open" : undefined}>
      <RegionBoundary name="The tools for files">
        <FileToolbar
          fs={own}
          keepsFolders={keepsFolders}
          unsaved={unsaved}
          chosen={tree.rows.find((row) => row.path === (chosenPath ?? path))}
          onProblem={(error) => page.reportProblem(error)}
        />
      </RegionBoundary>
      <div data-part="files-tree">
        {tree.failure ? (
          <p data-part="file-note">The files can't be read: {tree.failure.message}</p>
        ) : tree.isLoaded && tree.rows.length === 0 ? (
          <p data-part="file-note">The workspace is empty.</p>
        ) : (
          <FileTreeView
            tree={tree}
            root={WORKSPACE_ROOT}
            selected={path}
            marks={marks}
            unsaved={unsaved}
            onOpenFile={shownPath.set}
            onChoose={(row) => setChosenPath(row.path)}
          />
        )}
      </div>
      {path && (
        <RegionBoundary key={path} name="This file">
          <FileView
            fs={fs}
            path={path}
            revision={revision}
            own={own}
            unsaved={unsaved}
            isChanged={marks.has(path)}
            onClose={() => closeFile(path)}
          />
        </RegionBoundary>
      )}
    </div>
  );
}
