import { useFiles, useReadable } from "@robota/react";
import type { FileSystem } from "@robota/runtime";
import { useEffect, useMemo, useState } from "react";
import { marksOf, useChangedFiles } from "../changes/changed-files.ts";
import { WORKSPACE_ROOT } from "../constants.ts";
import { shownPath } from "../layout/view.ts";
import { FileToolbar, FileView } from "../lazy.ts";
import { useCurrentSession, useHost, usePage } from "../state/page-context.ts";
import { RegionBoundary } from "../ui/region-boundary.tsx";
import { WorkspaceFrame } from "../workspaces/workspace-frame.tsx";
import { FileTreeView } from "./file-tree.tsx";
import "./files-panel.css";

/** The workspace's files, as they are now. */
export function FilesPanel() {
  const host = useHost();
  return (
    host && (
      <WorkspaceFrame host={host}>
        <Files fs={host.fs} />
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

function Files({ fs }: { fs: FileSystem }) {
  const { local, remote } = useCurrentSession();
  const revision = useReadable(usePage().filesRevision);
  const path = useReadable(shownPath);
  const page = usePage();
  const [chosenPath, setChosenPath] = useState<string>();
  const tree = useFiles(fs, WORKSPACE_ROOT, revision);
  const changed = useChangedFiles();
  const marks = useMemo(() => marksOf(changed), [changed]);
  const { reveal } = tree;

  useEffect(() => {
    if (path) reveal(path);
  }, [path, reveal]);

  return (
    <div data-part="files-panel" data-file={path ? "open" : undefined}>
      {remote && (
        <p data-part="file-note">
          This session’s files are on its server. These are the ones of this browser.
        </p>
      )}
      <RegionBoundary name="The tools for files">
        <FileToolbar
          fs={local?.workspace.fs ?? fs}
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
            own={local?.workspace.fs ?? fs}
            isChanged={marks.has(path)}
            onClose={() => closeFile(path)}
          />
        </RegionBoundary>
      )}
    </div>
  );
}
