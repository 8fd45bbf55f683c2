import { diffLines } from "@robota/runtime/log";
import type { DiffLine } from "@robota/runtime/sessions";
import { printable } from "../printable.ts";
import type { HangingLine } from "./hanging-text.ts";
import type { Theme } from "./theme.ts";

/** A file before and after a change; `null` where there is none. */
interface Change {
  path: string;
  before: string | null;
  after: string | null;
}

const SIGNS = { add: "+", remove: "-", context: " " } as const;

/** The lines of a change, with its path, its extent, and line numbers. */
export function styledDiff(change: Change, theme: Theme, maxLines = Infinity): HangingLine[] {
  const lines = diffLines(change);
  const shown = lines.slice(0, maxLines);
  const digits = String(
    shown.reduce((most, { lineNumber }) => Math.max(most, lineNumber), 0),
  ).length;
  const rows = shown.map((line, at) => {
    const gap = theme.dim(`${" ".repeat(digits)} ⋮`);
    const before = isAfterGap(shown[at - 1], line) ? [{ head: gap, body: "" }] : [];
    return [...before, styledLine(line, digits, theme)];
  });
  const rest = lines.length - shown.length;
  return [
    { head: "", body: `${printable(change.path)} ${extentOf(change, lines, theme)}` },
    ...rows.flat(),
    ...(rest > 0 ? [{ head: "", body: theme.dim(`… ${rest} more lines`) }] : []),
  ];
}

/** `+3 -1`, or what happened to the whole file. */
function extentOf({ before, after }: Change, lines: readonly DiffLine[], theme: Theme): string {
  if (after === null) return theme.removed("deleted");
  const count = (type: DiffLine["type"]): number =>
    lines.filter((line) => line.type === type).length;
  const added = theme.added(`+${count("add")}`);
  return before === null ? `${added} new file` : `${added} ${theme.removed(`-${count("remove")}`)}`;
}

function styledLine(
  { type, text, lineNumber }: DiffLine,
  digits: number,
  theme: Theme,
): HangingLine {
  const style = { add: theme.added, remove: theme.removed, context: theme.dim }[type];
  const number = theme.dim(String(lineNumber).padStart(digits));
  const body = printable(text).replaceAll("\t", "    ");
  return { head: `${number} ${style(SIGNS[type])} `, body: style(body) };
}

/** Reports whether lines of the file are left out between these two. */
function isAfterGap(previous: DiffLine | undefined, line: DiffLine): boolean {
  return (
    previous?.type === "context" &&
    line.type === "context" &&
    line.lineNumber > previous.lineNumber + 1
  );
}
