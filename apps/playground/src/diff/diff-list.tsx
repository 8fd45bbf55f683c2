import type { FileChange } from "@robota/runtime/tools";
import { useMemo, useState } from "react";
import { Button } from "../ui/button.tsx";
import { changeWords, countLines } from "./change-summary.ts";
import { DiffView } from "./diff-view.tsx";

/** Changes with more lines in all start folded, as a list of files. */
const OPEN_LINES = 160;

export interface DiffListProps {
  changes: readonly FileChange[];
  /** Shows every line of an opened file, for approvals. */
  isWhole?: boolean;
}

/** Changes of files: one as its diff, several as a list that folds out, with what happens to them in words. */
export function DiffList({ changes, isWhole = false }: DiffListProps) {
  const [first, ...others] = changes;
  const startsOpen = useMemo(() => isShort(changes), [changes]);
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  if (!first) return null;
  if (others.length === 0) return <DiffView change={first} isWhole={isWhole} />;

  const isOpen = ({ path }: FileChange): boolean => chosen.get(path) ?? startsOpen;
  const isAllOpen = changes.every(isOpen);
  const setAll = (open: boolean) => setChosen(new Map(changes.map(({ path }) => [path, open])));

  return (
    <section data-part="diff-list" aria-label="Changed files">
      <header>
        <strong>{changeWords(changes)}</strong>
        <Button look="bare" onClick={() => setAll(!isAllOpen)}>
          {isAllOpen ? "Fold all" : "Show all changes"}
        </Button>
      </header>
      {changes.map((change) => (
        <DiffView
          key={change.path}
          change={change}
          isWhole={isWhole}
          isOpen={isOpen(change)}
          onFold={(open) => setChosen((before) => new Map(before).set(change.path, open))}
        />
      ))}
    </section>
  );
}

function isShort(changes: readonly FileChange[]): boolean {
  let lines = 0;
  for (const change of changes) {
    const counts = countLines(change);
    lines += counts ? counts.added + counts.removed : OPEN_LINES;
    if (lines > OPEN_LINES) return false;
  }
  return true;
}
