import type { FileChange } from "@robota/runtime/tools";
import { useMemo, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Exact } from "../ui/exact-text.tsx";
import { shortPath } from "../ui/format.ts";
import { type DiffRow, diffRows } from "./diff-rows.ts";
import "./diff-view.css";

const FIRST_ROWS = 300;

export interface DiffViewProps {
  change: FileChange;
  /** Shows every line at once, for approvals. */
  isWhole?: boolean;
}

/** One file's change, as a unified diff. */
export function DiffView({ change, isWhole = false }: DiffViewProps) {
  const diff = useMemo(() => diffRows(change.before ?? "", change.after ?? ""), [change]);
  const [showAll, setShowAll] = useState(isWhole);
  const rows = diff?.rows ?? [];
  const shown = showAll ? rows : rows.slice(0, FIRST_ROWS);
  const state = change.before === null ? "new file" : change.after === null ? "deleted" : undefined;

  return (
    <figure data-part="diff">
      <figcaption>
        <span data-part="diff-path">
          <Exact text={shortPath(change.path)} />
        </span>
        {state && <span data-part="diff-state">{state}</span>}
        {diff && (
          <span data-part="diff-counts">
            <span data-kind="added" aria-label={`${diff.added} lines added`}>
              +{diff.added}
            </span>
            <span data-kind="removed" aria-label={`${diff.removed} lines removed`}>
              −{diff.removed}
            </span>
          </span>
        )}
      </figcaption>
      {rows.length > 0 && (
        <div data-part="diff-rows" role="group" aria-label="Changed lines" tabIndex={0}>
          <table>
            <tbody>
              {shown.map((row, index) => (
                <Row key={index} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {!diff && <p data-part="diff-note">This change is too large to compare line by line.</p>}
      {diff?.rows.length === 0 && (
        <p data-part="diff-note">{state ? "The file is empty." : "The text is the same."}</p>
      )}
      {shown.length < rows.length && (
        <Button look="bare" onClick={() => setShowAll(true)}>
          Show all {rows.length} lines
        </Button>
      )}
    </figure>
  );
}

const signs = { added: "+", removed: "−", context: "" } as const;

function Row({ row }: { row: DiffRow }) {
  if (row.kind === "gap") {
    return (
      <tr data-kind="gap">
        <td colSpan={4}>{row.hidden === 1 ? "1 line" : `${row.hidden} lines`} unchanged</td>
      </tr>
    );
  }
  return (
    <tr data-kind={row.kind}>
      <td data-part="line-number" data-number={row.before ?? ""} />
      <td data-part="line-number" data-number={row.after ?? ""} />
      <td data-part="sign">{signs[row.kind]}</td>
      <td data-part="line">
        {row.parts.map((part, index) =>
          part.changed ? (
            <mark key={index}>
              <Exact text={part.text} />
            </mark>
          ) : (
            <Exact key={index} text={part.text} />
          ),
        )}
      </td>
    </tr>
  );
}
