import { ChevronRight, File, Folder, FolderOpen } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import type { UseFiles } from "@robota/react";
import type { FileRow } from "@robota/react/store";
import "./file-tree.css";

export interface FileTreeViewProps {
  tree: UseFiles;
  selected: string | undefined;
  /** Paths that the session changed. */
  changed: ReadonlyMap<string, unknown>;
  onOpenFile: (path: string) => void;
}

/** A tree per the ARIA practices: a single tab stop, arrow keys walk and open. */
export function FileTreeView({ tree, selected, changed, onOpenFile }: FileTreeViewProps) {
  const list = useRef<HTMLUListElement>(null);
  const [active, setActive] = useState<string>();
  const { rows } = tree;
  const current = rows.find((row) => row.path === (active ?? selected)) ?? rows[0];

  function focus(row: FileRow | undefined) {
    if (!row) return;
    setActive(row.path);
    list.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(row.path)}"]`)?.focus();
  }

  function choose(row: FileRow) {
    setActive(row.path);
    if (row.isDirectory) tree.toggle(row.path);
    else onOpenFile(row.path);
  }

  function onKeyDown(event: KeyboardEvent) {
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
        <li
          key={row.path}
          role="treeitem"
          data-path={row.path}
          aria-level={row.level}
          aria-expanded={row.isDirectory ? row.isOpen : undefined}
          aria-selected={row.path === selected}
          tabIndex={row === current ? 0 : -1}
          style={{ paddingInlineStart: 10 + (row.level - 1) * 16 }}
          onClick={() => choose(row)}
        >
          {row.isDirectory ? (
            <ChevronRight data-part="tree-chevron" size={13} aria-hidden="true" />
          ) : (
            <span data-part="tree-indent" />
          )}
          <RowIcon row={row} />
          <span data-part="tree-name">{row.name}</span>
          {changed.has(row.path) && (
            <span data-part="tree-changed" title="Changed in this session">
              <span data-part="visually-hidden">changed</span>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function RowIcon({ row }: { row: FileRow }) {
  const Icon = row.isDirectory ? (row.isOpen ? FolderOpen : Folder) : File;
  return <Icon size={15} aria-hidden="true" />;
}
