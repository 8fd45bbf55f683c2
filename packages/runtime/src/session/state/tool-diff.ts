import type { DiffLine, diffLines } from "./diff-lines.ts";
import type { ToolState } from "./tool-state.ts";

let compare: typeof diffLines | undefined;

/**
 * Loads the diff library for `withDiff`. Without it, such as on a page that is offline, tools are shown without a diff.
 */
export async function loadDiff(): Promise<void> {
  try {
    compare ??= (await import("./diff-lines.ts")).diffLines;
  } catch {
    // The changes themselves are in the tool's state.
  }
}

/** A tool's state with the diff of its first change, which is computed on first access. */
export function withDiff(state: ToolState): ToolState {
  const [change] = state.changes ?? [];
  const linesOf = compare;
  if (!change || !linesOf) return state;
  let lines: DiffLine[] | undefined;
  return {
    ...state,
    diffFile: change.path,
    get diffLines() {
      return (lines ??= linesOf(change));
    },
  };
}
