import type { WorkspaceInfo } from "@robota/adapters-web";
import { Pencil, Trash2 } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { IconButton } from "../ui/button.tsx";
import { ConfirmDeletion } from "../ui/confirm-deletion.tsx";
import { RenameForm } from "../ui/rename-form.tsx";

export interface WorkspaceRowProps {
  workspace: WorkspaceInfo;
  isOpen: boolean;
  onOpen: () => void;
  onRename: (name: string) => void;
  onDelete: () => void;
}

/** One row of the workspace list. The open one can't be deleted. */
export function WorkspaceRow(props: WorkspaceRowProps) {
  const { workspace, isOpen, onOpen, onRename, onDelete } = props;
  const [mode, setMode] = useState<"shown" | "renaming" | "asking">("shown");
  const { name } = workspace;

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "F2") setMode("renaming");
    else if (event.key === "Delete" && !isOpen) setMode("asking");
    else return;
    event.preventDefault();
  }

  if (mode === "asking") {
    return <ConfirmDeletion name={name} onDelete={onDelete} onKeep={() => setMode("shown")} />;
  }
  if (mode === "renaming") {
    return (
      <RenameForm
        label="Name of the workspace"
        name={name}
        onDone={(next) => {
          setMode("shown");
          if (next) onRename(next);
        }}
      />
    );
  }
  return (
    <div data-part="workspace-row" onKeyDown={onKeyDown}>
      <button type="button" aria-current={isOpen ? "true" : undefined} onClick={onOpen}>
        <span data-part="workspace-name">{name}</span>
        <span data-part="workspace-note">
          {isOpen ? "open here" : `since ${new Date(workspace.createdAt).toLocaleDateString()}`}
        </span>
      </button>
      <IconButton
        label={`Rename ${name}`}
        icon={<Pencil size={14} />}
        onClick={() => setMode("renaming")}
      />
      <IconButton
        label={isOpen ? `Delete ${name}: open another one first` : `Delete ${name}`}
        icon={<Trash2 size={14} />}
        disabled={isOpen}
        onClick={() => setMode("asking")}
      />
    </div>
  );
}
