import { Layers, Settings2 } from "lucide-react";
import { type DragEvent, type ReactNode, useState } from "react";
import { loadDropping, WorkspacesDialog } from "../lazy.ts";
import type { AgentHost } from "../agent-host.ts";
import { useReadable } from "@robota/react";
import { workspaceAddress } from "../state/current-workspace.ts";
import { usePage } from "../state/page-context.ts";
import { workspaceName } from "../state/preferences.ts";
import { Button } from "../ui/button.tsx";
import { RegionBoundary } from "../ui/region-boundary.tsx";
import "./workspace-frame.css";

export interface WorkspaceFrameProps {
  host: AgentHost;
  /** The files. */
  children: ReactNode;
}

type Dropping = Awaited<ReturnType<typeof loadDropping>>;

/** Names the files' workspace, leads to others, and accepts dropped files. */
export function WorkspaceFrame({ host, children }: WorkspaceFrameProps) {
  const page = usePage();
  const name = useReadable(workspaceName);
  const filesRevision = useReadable(page.filesRevision);
  const activity = useReadable(page.activity);
  const [isManaging, setIsManaging] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const [dropping, setDropping] = useState<Dropping>();

  const carriesFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes("Files");

  /** The import code must be loaded before the drop: afterwards the browser has released the files. */
  function onDragEnter(event: DragEvent) {
    if (!carriesFiles(event)) return;
    setIsOver(true);
    if (!dropping) loadDropping().then(setDropping, (error) => page.reportProblem(error));
  }

  function onDrop(event: DragEvent) {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    setIsOver(false);
    if (!dropping) return page.reportProblem("The page was not ready yet. Drop it again.");
    dropping.startDropped(host, event.dataTransfer);
    setIsManaging(true);
  }

  async function open(id: string) {
    setIsManaging(false);
    await page.close();
    location.assign(workspaceAddress(id));
  }

  return (
    <div
      data-part="workspace-frame"
      data-over={isOver || undefined}
      onDragEnter={onDragEnter}
      onDragOver={(event) => carriesFiles(event) && event.preventDefault()}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
      }}
      onDrop={onDrop}
    >
      <div data-part="workspace-bar">
        <Layers size={15} aria-hidden="true" />
        <span title={name}>{name}</span>
        <Button look="bare" icon={<Settings2 size={15} />} onClick={() => setIsManaging(true)}>
          Workspaces
        </Button>
      </div>
      {children}
      {isOver && <p data-part="workspace-drop">Drop to import into this workspace</p>}
      {isManaging && (
        <RegionBoundary name="Workspaces">
          <WorkspacesDialog
            host={host}
            filesRevision={filesRevision}
            isWorking={activity.size > 0}
            onOpen={(id) => void open(id).catch((error: unknown) => page.reportProblem(error))}
            onClose={() => setIsManaging(false)}
          />
        </RegionBoundary>
      )}
    </div>
  );
}
