import type { FileChange } from "@robota/runtime/tools";
import { ChevronRight } from "lucide-react";
import { type CSSProperties, useId, useMemo, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Exact } from "../ui/exact-text.tsx";
import { shortPath } from "../ui/format.ts";
import { type DiffRow, diffRows } from "./diff-rows.ts";
import "./diff-view.css";

const FIRST_ROWS = 300;
/** Rows that are laid out together; those out of sight cost nothing. */
const ROWS_OF_PIECE = 400;

export interface DiffViewProps {
  change: FileChange;
  /** Shows every line at once, without a scroller of its own, for approvals. */
  isWhole?: boolean;
  /** Gives the head a way to fold the lines away. `onFold` gets the wish. */
  isOpen?: boolean;
  onFold?: (open: boolean) => void;
}

/** One file's change, as a unified diff. */
export function DiffView({ change, isWhole = false, isOpen = true, onFold }: DiffViewProps) {
  const id = useId();
  const diff = useMemo(() => diffRows(change.before ?? "", change.after ?? ""), [change]);
  const [showAll, setShowAll] = useState(isWhole);
  const rows = diff?.rows ?? [];
  const shown = showAll ? rows : rows.slice(0, FIRST_ROWS);
  const state = stateOf(change);
  const head = (
    <>
      <span data-part="diff-path">
        <Exact text={shortPath(change.path)} />
      </span>
      {state && (
        <span data-part="diff-state" data-state={state}>
          {state}
        </span>
      )}
      {diff && <Counts added={diff.added} removed={diff.removed} />}
    </>
  );

  return (
    <figure data-part="diff" data-whole={isWhole || undefined}>
      <figcaption>
        {onFold ? (
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => onFold(!isOpen)}
          >
            <ChevronRight size={14} aria-hidden="true" />
            {head}
          </button>
        ) : (
          head
        )}
      </figcaption>
      <div id={id} hidden={!isOpen}>
        {isOpen && rows.length > 0 && <Rows rows={shown} isWhole={isWhole} />}
        {!diff && (
          <p data-part="diff-note">
            This change is too large to compare line by line. The new text follows.
          </p>
        )}
        {!diff && isOpen && <pre data-part="diff-plain">{plain(change)}</pre>}
        {diff?.rows.length === 0 && (
          <p data-part="diff-note">{state ? "The file is empty." : "The text is the same."}</p>
        )}
        {shown.length < rows.length && (
          <Button look="bare" onClick={() => setShowAll(true)}>
            Show all {rows.length.toLocaleString("en")} lines
          </Button>
        )}
      </div>
    </figure>
  );
}

function stateOf({ before, after }: FileChange): "new file" | "deleted" | undefined {
  if (before === null) return "new file";
  return after === null ? "deleted" : undefined;
}

/** The text that stays, or the one that goes. */
function plain({ before, after }: FileChange) {
  return <Exact text={after ?? before ?? ""} />;
}

function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span data-part="diff-counts">
      <span data-kind="added">
        {added > 0 && <span aria-hidden="true">+{added}</span>}
        <span data-part="visually-hidden">{added === 1 ? "1 line" : `${added} lines`} added, </span>
      </span>
      <span data-kind="removed">
        {removed > 0 && <span aria-hidden="true">−{removed}</span>}
        <span data-part="visually-hidden">{removed} removed</span>
      </span>
    </span>
  );
}

/** The lines, in pieces of bounded size. Whole diffs scroll with what is around them. */
function Rows({ rows, isWhole }: { rows: readonly DiffRow[]; isWhole: boolean }) {
  const digits = Math.max(2, String(lastNumber(rows)).length);
  const pieces = Array.from({ length: Math.ceil(rows.length / ROWS_OF_PIECE) }, (_, index) =>
    rows.slice(index * ROWS_OF_PIECE, (index + 1) * ROWS_OF_PIECE),
  );
  return (
    <div
      data-part="diff-rows"
      role="group"
      aria-label="Changed lines"
      tabIndex={isWhole ? undefined : 0}
      style={{ "--digits": digits } as CSSProperties}
    >
      {pieces.map((lines, at) => (
        <div key={at} data-part="diff-piece" style={{ "--rows": lines.length } as CSSProperties}>
          {lines.map((row, index) => (
            <Row key={index} row={row} />
          ))}
        </div>
      ))}
    </div>
  );
}

function lastNumber(rows: readonly DiffRow[]): number {
  const last = rows.findLast((row) => row.kind !== "gap");
  return Math.max(last?.before ?? 0, last?.after ?? 0);
}

const signs = { added: "+", removed: "−", context: "" } as const;

function Row({ row }: { row: DiffRow }) {
  if (row.kind === "gap") {
    const lines = row.hidden === 1 ? "1 line" : `${row.hidden.toLocaleString("en")} lines`;
    return (
      <div data-part="diff-row" data-kind="gap">
        {lines} unchanged
      </div>
    );
  }
  return (
    <div data-part="diff-row" data-kind={row.kind}>
      <span data-part="line-number" data-number={row.before ?? ""} />
      <span data-part="line-number" data-number={row.after ?? ""} />
      <span data-part="sign">{signs[row.kind]}</span>
      <span data-part="line" dir="auto">
        {row.parts.map((part, index) =>
          part.changed ? (
            <mark key={index}>
              <Exact text={part.text} />
            </mark>
          ) : (
            <Exact key={index} text={part.text} />
          ),
        )}
      </span>
    </div>
  );
}
