import type { PermissionRequest, ToolArgs } from "@robota/runtime";
import type { FileChange } from "@robota/runtime/tools";
import { countLines } from "../diff/change-summary.ts";
import { wordsOf } from "../tools/describe-tool.ts";
import { shortPath } from "../ui/format.ts";

/** Longer objects are cut in the title; the dock shows them whole below. */
const MAX_OBJECT = 90;

/** A request's title: what it wants to do, and to what. */
export interface RequestTitle {
  /** `Run`, `Edit`, `Fetch`. */
  verb: string;
  /** The command, path or address, on one line. */
  object: string;
  /** Lines added and removed, where the title is about one file. */
  counts?: { added: number; removed: number } | undefined;
}

/** The title for a call, with the change it would make where that is known. */
export function requestTitle(
  { tool, args }: { tool: string; args: ToolArgs },
  preview?: PermissionRequest["preview"],
): RequestTitle {
  const words = wordsOf(tool);
  const named = words && args[words.argument];
  if (!words || typeof named !== "string") return { verb: "Use", object: tool };
  const { verb, isCommand, replaces = verb } = words;
  const object = oneLine(isCommand ? named : shortPath(named));
  const [change, ...others] = preview?.changes ?? [];
  if (isCommand || !change || others.length > 0) return { verb, object };
  return { verb: fileVerb(change, replaces), object, counts: countLines(change) };
}

/** The title as a text: `Edit src/rules.js (+1 −1)?` */
export function titleText({ verb, object, counts }: RequestTitle): string {
  return `${verb} ${object}${counts ? ` (${countsText(counts)})` : ""}?`;
}

/** `+1 −1`, `+3`, `−20`. */
export function countsText({ added, removed }: { added: number; removed: number }): string {
  const parts = [added > 0 ? `+${added}` : "", removed > 0 ? `−${removed}` : ""].filter(Boolean);
  return parts.join(" ") || "no lines";
}

function fileVerb({ before, after }: FileChange, replaces: string): string {
  if (before === null) return "Create";
  return after === null ? "Delete" : replaces;
}

function oneLine(text: string): string {
  const line = text.trim().replace(/(?<![ \t])[ \t]*\n\s*/g, " ⏎ ");
  return line.length > MAX_OBJECT ? `${line.slice(0, MAX_OBJECT - 1)}…` : line;
}
