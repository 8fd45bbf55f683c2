import type { FileSystem } from "@robota/runtime";
import { Download, FilePlus, FolderPlus, Pencil, Trash2, Upload } from "lucide-react";
import { useState } from "react";
import { WORKSPACE_ROOT } from "../constants.ts";
import type { UnsavedTexts } from "../editor/unsaved.ts";
import { shownPath } from "../layout/view.ts";
import { announce } from "../ui/announcer.tsx";
import { IconButton } from "../ui/button.tsx";
import { ConfirmDeletion } from "../ui/confirm-deletion.tsx";
import { shortPath } from "../ui/format.ts";
import { FilePickerButton } from "../ui/file-picker-button.tsx";
import { RenameForm } from "../ui/rename-form.tsx";
import {
  create,
  type FileAction,
  move,
  moveUnsaved,
  pathBelow,
  placeOf,
  typedPath,
  upload,
} from "./file-actions.ts";
import "./file-toolbar.css";

export interface FileToolbarProps {
  fs: FileSystem;
  /** False where folders exist only with the files in them. */
  keepsFolders: boolean;
  /** The unsaved texts of these files. */
  unsaved: UnsavedTexts;
  /** The row that is chosen in the tree. */
  chosen: { path: string; isDirectory: boolean } | undefined;
  onProblem: (error: unknown) => void;
}

/** New files and folders, and what can be done with the chosen one. */
export function FileToolbar(props: FileToolbarProps) {
  const { fs, keepsFolders, unsaved, chosen, onProblem } = props;
  const [action, setAction] = useState<FileAction>();
  const name = chosen && shortPath(chosen.path);
  const run = (work: () => Promise<string>) => {
    setAction(undefined);
    work().then(announce, onProblem);
  };

  function onTyped(text: string | undefined) {
    const path = text === undefined ? undefined : typedPath(text, WORKSPACE_ROOT);
    if (text === undefined) return setAction(undefined);
    if (!path) return onProblem(new Error("Choose a name inside the workspace"));
    run(async () => {
      if (action === "move" && chosen) {
        await move(fs, chosen.path, path);
        moveUnsaved(unsaved, chosen.path, path);
        // A file in a moved folder stays open at its new place.
        const shown = pathBelow(shownPath.get(), chosen.path);
        if (shown !== undefined) shownPath.set(path + shown);
        return `Moved to ${shortPath(path)}`;
      }
      await create(fs, path, action === "folder" ? "folder" : "file");
      if (action === "file") shownPath.set(path);
      return `Created ${shortPath(path)}`;
    });
  }

  if (action === "delete" && chosen) {
    const remove = async () => {
      await fs.remove(chosen.path, { recursive: true });
      moveUnsaved(unsaved, chosen.path);
      if (pathBelow(shownPath.get(), chosen.path) !== undefined) shownPath.set(undefined);
      return `Deleted ${shortPath(chosen.path)}`;
    };
    return (
      <ConfirmDeletion
        name={shortPath(chosen.path)}
        onDelete={() => run(remove)}
        onKeep={() => setAction(undefined)}
      />
    );
  }
  if (action) {
    return (
      <RenameForm
        label={action === "move" ? "New path" : `Path of the new ${action}`}
        name={action === "move" ? (name ?? "") : suggestedPath(chosen, action)}
        onDone={onTyped}
      />
    );
  }
  return (
    <div data-part="file-toolbar" role="group" aria-label="Files">
      <IconButton
        label="New file"
        icon={<FilePlus size={15} />}
        onClick={() => setAction("file")}
      />
      {keepsFolders && (
        <IconButton
          label="New folder"
          icon={<FolderPlus size={15} />}
          onClick={() => setAction("folder")}
        />
      )}
      <FilePickerButton
        label="Upload files"
        icon={<Upload size={15} />}
        onFiles={(files) => run(() => take(fs, placeOf(chosen, WORKSPACE_ROOT), files))}
      />
      {chosen && <ChosenTools fs={fs} chosen={chosen} onAction={setAction} run={run} />}
    </div>
  );
}

interface ChosenToolsProps {
  fs: FileSystem;
  chosen: { path: string; isDirectory: boolean };
  onAction: (action: FileAction) => void;
  run: (work: () => Promise<string>) => void;
}

/** The actions on the chosen row. */
function ChosenTools({ fs, chosen, onAction, run }: ChosenToolsProps) {
  const name = shortPath(chosen.path);
  return (
    <>
      <IconButton
        label={`Rename or move ${name}`}
        icon={<Pencil size={15} />}
        onClick={() => onAction("move")}
      />
      <IconButton
        label={`Download ${name}`}
        icon={<Download size={15} />}
        onClick={() => run(async () => (await import("./download.ts")).download(fs, chosen))}
      />
      <IconButton
        label={`Delete ${name}`}
        icon={<Trash2 size={15} />}
        onClick={() => onAction("delete")}
      />
    </>
  );
}

/** Uploads files, and shows the first one. */
async function take(fs: FileSystem, folder: string, files: readonly File[]): Promise<string> {
  const paths = await upload(fs, folder, files);
  shownPath.set(paths[0]);
  return `Uploaded ${paths.map((path) => shortPath(path)).join(", ")}`;
}

function suggestedPath(chosen: FileToolbarProps["chosen"], kind: FileAction): string {
  const place = placeOf(chosen, WORKSPACE_ROOT);
  const folder = place === WORKSPACE_ROOT ? "" : `${shortPath(place)}/`;
  return `${folder}new${kind === "file" ? ".txt" : ""}`;
}
