import { Layers, Settings2 } from "lucide-react";
import { type DragEvent, type ReactNode, useState } from "react";
import { openDialog } from "../layout/open-dialog.ts";
import { loadDropping } from "../lazy.ts";
import type { DroppedItems } from "@robota/adapters-web";
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

/** The dropped entries, taken while the event is handled: afterwards the browser has released them. */
function hold({ items }: DataTransfer): DroppedItems {
  return {
    items: Array.from(items, (item: DroppedItems["items"][number]) => {
      const { kind } = item;
      const [entry, file] = [item.webkitGetAsEntry(), item.getAsFile()];
      const handle = item.getAsFileSystemHandle?.().catch(() => null);
      return {
        kind,
        webkitGetAsEntry: () => entry,
        getAsFile: () => file,
        ...(handle && { getAsFileSystemHandle: () => handle }),
      };
    }),
  };
}

/** Names the files' workspace, leads to others, and accepts dropped files. */
export function WorkspaceFrame({ host, children }: WorkspaceFrameProps) {
  const page = usePage();
  const name = useReadable(workspaceName);
  const [isOver, setIsOver] = useState(false);

  const carriesFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes("Files");

  /** The import code is mostly there by the time of the drop. */
  function onDragEnter(event: DragEvent) {
    if (!carriesFiles(event)) return;
    setIsOver(true);
    // The drop itself loads it again.
    loadDropping().catch(() => undefined);
  }

  function onDrop(event: DragEvent) {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    setIsOver(false);
    const held = hold(event.dataTransfer);
    loadDropping().then(
      ({ startDropped }) => {
        startDropped(host, held);
        openDialog("workspaces");
      },
      (error) => page.reportProblem(error),
    );
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
