import { Layers, Settings2 } from "lucide-react";
import { type DragEvent, type ReactNode, useState } from "react";
import { openDialog } from "../layout/open-dialog.ts";
import { loadDropping } from "../lazy.ts";
import type { AgentHost } from "../agent-host.ts";
import { useReadable } from "@robota/react";
import { usePage } from "../state/page-context.ts";
import { workspaceName } from "../state/preferences.ts";
import { Button } from "../ui/button.tsx";
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
    openDialog("workspaces");
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
        <Button look="bare" icon={<Settings2 size={15} />} onClick={() => openDialog("workspaces")}>
          Workspaces
        </Button>
      </div>
      {children}
      {isOver && <p data-part="workspace-drop">Drop to import into this workspace</p>}
    </div>
  );
}
