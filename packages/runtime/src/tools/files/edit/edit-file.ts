import { ToolFailure } from "../../failure.ts";
import { describeChange } from "./change.ts";
import { findText, type Occurrence } from "./find-text.ts";
import {
  changeFile,
  type ChangeTarget,
  openKnownText,
  type PlannedChange,
  previewChange,
} from "./planned-change.ts";
import { encodeText, lineEnding, type LineEnding, withLineEnding } from "../text-file.ts";
import { counted } from "../../text-limit.ts";
import type { ToolContext, ToolPreview, ToolResult } from "../../tool.ts";

const MAX_LISTED_LINES = 20;

export type EditArgs = {
  filePath: string;
  oldString: string;
  newString: string;
  replaceAll?: boolean;
};

/** The preview of an edit, for the person who approves it. */
export async function previewEdit(
  args: EditArgs,
  context: ToolContext,
): Promise<ToolPreview | undefined> {
  return previewChange(context, args.filePath, (target) => planEdit(args, target, context));
}

/** Runs the Edit tool. */
export async function editFile(args: EditArgs, context: ToolContext): Promise<ToolResult> {
  const plan = (target: ChangeTarget) => planEdit(args, target, context);
  const { change, replacements } = await changeFile(context, args.filePath, plan);
  const { path } = change;
  const { diff, startLine = 1 } = await describeChange(change);
  const output = `Edited ${path} (${counted(replacements, "replacement")}).\n${diff}`;
  return { success: true, output, changes: [change], startLine, data: { path, replacements } };
}

interface PlannedEdit extends PlannedChange {
  replacements: number;
}

async function planEdit(
  args: EditArgs,
  target: ChangeTarget,
  context: ToolContext,
): Promise<PlannedEdit> {
  const { path } = target;
  const file = await openKnownText(context, target);
  const found = await occurrences(path, file.text, args);
  const after = replace(file.text, found, args.newString.toWellFormed());
  if (after === file.text) throw noChange();
  return {
    change: { path, before: file.text, after },
    bytes: encodeText(after, file),
    replacements: found.length,
  };
}

async function occurrences(
  path: string,
  text: string,
  { oldString, newString, replaceAll = false }: EditArgs,
): Promise<Occurrence[]> {
  if (oldString === "") {
    throw new ToolFailure("invalid_arguments", "oldString is empty.", {
      hint: "Name the text to replace, or use Write for the whole file.",
    });
  }
  if (oldString === newString) throw noChange();
  const found = findText(text, oldString);
  if (found.length === 0) {
    const { explainMissing } = await import("./explain-missing.ts");
    throw new ToolFailure("no_match", `oldString is not in ${path}.`, {
      hint: explainMissing(text, oldString),
    });
  }
  if (found.length > 1 && !replaceAll) {
    const lines = found.slice(0, MAX_LISTED_LINES).map(({ line }) => line);
    const more = found.length > lines.length ? ", …" : "";
    throw new ToolFailure(
      "several_matches",
      `oldString is in ${path} ${found.length} times, at lines ${lines.join(", ")}${more}.`,
      { hint: "Include lines around it to make it unique, or set replaceAll." },
    );
  }
  return found;
}

function noChange(): ToolFailure {
  return new ToolFailure("no_change", "oldString and newString are the same.", {
    hint: "Line endings don't count: those of the file are preserved.",
  });
}

function replace(text: string, found: readonly Occurrence[], replacement: string): string {
  const usual = lineEnding(text) ?? firstLineEnding(text);
  let result = "";
  let copied = 0;
  for (const { start, end } of found) {
    const ending = firstLineEnding(text.slice(start, end)) ?? usual;
    result += text.slice(copied, start);
    result += ending ? withLineEnding(replacement, ending) : replacement;
    copied = end;
  }
  return result + text.slice(copied);
}

function firstLineEnding(text: string): LineEnding | undefined {
  const feed = text.indexOf("\n");
  if (feed === -1) return undefined;
  return text[feed - 1] === "\r" ? "\r\n" : "\n";
}
