import { ChevronRight, File, Folder, FolderOpen } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { UseFiles } from "@robota/react";
import type { FileRow } from "@robota/react/store";
import type { FileChangeKind } from "@robota/runtime/sessions";
import { useReadable } from "@robota/react";
import { isUnsaved, type UnsavedTexts } from "../editor/unsaved.ts";
import type { withDeleted } from "./deleted-rows.ts";
import "./file-tree.css";

export interface FileTreeViewProps {
  tree: UseFiles;
  /** The directory whose entries are on the first level. */
  root: string;
  selected: string | undefined;
  /** The session's changes by path; folders are marked for what is below them. */
  marks: ReadonlyMap<string, FileChangeKind>;
  /** The unsaved texts of these files. */
  unsaved: UnsavedTexts;
  onOpenFile: (path: string) => void;
  /** Called with the row that has the focus. */
  onChoose: (row: FileRow) => void;
}

/** A tree per the ARIA practices: a single tab stop, arrow keys walk and open. */
export function FileTreeView({
  tree,
  root,
  selected,
  marks,
  unsaved,
  onOpenFile,
  onChoose,
}: FileTreeViewProps) {
  const list = useRef<HTMLUListElement>(null);
  const [active, setActive] = useState<string>();
  const rows = useRows(tree.rows, marks, root);
  const drafts = useReadable(unsaved.byPath);
  const current = rows.find((row) => row.path === (active ?? selected)) ?? rows[0];

  function focus(row: FileRow | undefined) {
    if (!row) return;
    setActive(row.path);
    onChoose(row);
    list.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(row.path)}"]`)?.focus();
  }

  function choose(row: FileRow) {
    setActive(row.path);
    onChoose(row);
    if (row.isDirectory) tree.toggle(row.path);
    else onOpenFile(row.path);
  }

  function onKeyDown(event: KeyboardEvent) {
    // Alt and an arrow go to another turn.
    if (event.altKey) return;
    if (!current) return;
    const at = rows.indexOf(current);
    switch (event.key) {
      case "ArrowDown":
        focus(rows[at + 1]);
        break;
      case "ArrowUp":
        focus(rows[at - 1]);
        break;
      case "Home":
        focus(rows[0]);
        break;
      case "End":
        focus(rows.at(-1));
        break;
      case "ArrowRight":
        if (current.isDirectory && !current.isOpen) tree.toggle(current.path);
        else if (current.isOpen) focus(rows[at + 1]);
        break;
      case "ArrowLeft":
        if (current.isOpen) tree.toggle(current.path);
        else focus(rows.findLast((row, index) => index < at && row.level < current.level));
        break;
      case "Enter":
      case " ":
        choose(current);
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  return (
    <ul ref={list} role="tree" aria-label="Files" data-part="file-tree" onKeyDown={onKeyDown}>
      {rows.map((row) => (
        <Row
          key={row.path}
          row={row}
          isCurrent={row === current}
          isSelected={row.path === selected}
          hasDraft={isUnsaved(drafts.get(row.path))}
          mark={marks.get(row.path)}
          onChoose={() => choose(row)}
        />
      ))}
    </ul>
  );
}

/** The rows with those of deleted files, as soon as there are some and the code for them is loaded. */
function useRows(
  rows: readonly FileRow[],
  marks: FileTreeViewProps["marks"],
  root: string,
): readonly FileRow[] {
  const [add, setAdd] = useState<{ withDeleted: typeof withDeleted }>();
  const isNeeded = !add && [...marks.values()].includes("deleted");
  useEffect(() => {
    if (isNeeded) import("./deleted-rows.ts").then(setAdd, () => undefined);
  }, [isNeeded]);
  return add ? add.withDeleted(rows, marks, root) : rows;
}

interface RowProps {
  row: FileRow;
  /** The row that Tab reaches. */
  isCurrent: boolean;
  isSelected: boolean;
  /** True while a person's text for it is not saved. */
  hasDraft: boolean;
  mark: FileChangeKind | undefined;
  onChoose: () => void;
}

function Row({ row, isCurrent, isSelected, hasDraft, mark, onChoose }: RowProps) {
  return (
    <li
      role="treeitem"
      data-path={row.path}
      data-deleted={mark === "deleted" || undefined}
      aria-level={row.level}
      aria-expanded={row.isDirectory ? row.isOpen : undefined}
      aria-selected={isSelected}
      tabIndex={isCurrent ? 0 : -1}
      style={{ paddingInlineStart: 10 + (row.level - 1) * 16 }}
      onClick={onChoose}
    >
      {row.isDirectory ? (
        <ChevronRight data-part="tree-chevron" size={13} aria-hidden="true" />
      ) : (
        <span data-part="tree-indent" />
      )}
      <RowIcon row={row} />
      <span data-part="tree-name">{row.name}</span>
      {hasDraft && <span data-part="tree-unsaved">unsaved</span>}
      <Mark kind={mark} isFolder={row.isDirectory} />
    </li>
  );
}

const signs = { added: "A", modified: "M", deleted: "D" } as const;

function Mark({ kind, isFolder }: { kind: FileChangeKind | undefined; isFolder: boolean }) {
  if (!kind) return null;
  return (
    <span
      data-part="tree-changed"
      data-kind={kind}
      data-folder={isFolder || undefined}
      title={isFolder ? "Contains changes of this session" : `This session ${kind} it`}
    >
      {!isFolder && <span aria-hidden="true">{signs[kind]}</span>}
      <span data-part="visually-hidden">{isFolder ? "contains changes" : kind}</span>
    </span>
  );
}

function RowIcon({ row }: { row: FileRow }) {
  const Icon = row.isDirectory ? (row.isOpen ? FolderOpen : Folder) : File;
  return <Icon size={15} aria-hidden="true" />;
}
