import type { PermissionRequest, ToolArgs } from "@robota/runtime";
import type { FileChange } from "@robota/runtime/tools";
import { countLines } from "../diff/change-summary.ts";
import { shortPath } from "../ui/format.ts";

/** Longer objects are cut in the title; the dock shows them whole below. */
const MAX_OBJECT = 90;

/** What a request is about, as the title of its question. */
export interface RequestTitle {
  /** `Run`, `Edit`, `Fetch`. */
  verb: string;
  /** The command, path or address, on one line. */
  object: string;
  /** Lines added and removed, where the title is about one file. */
  counts?: { added: number; removed: number } | undefined;
}

const verbs: Readonly<Record<string, { verb: string; argument: string }>> = {
  Bash: { verb: "Run", argument: "command" },
  Read: { verb: "Read", argument: "filePath" },
  Write: { verb: "Write", argument: "filePath" },
  Edit: { verb: "Edit", argument: "filePath" },
  Glob: { verb: "List", argument: "pattern" },
  Grep: { verb: "Search for", argument: "pattern" },
  WebFetch: { verb: "Fetch", argument: "url" },
  WebSearch: { verb: "Search the web for", argument: "query" },
  Agent: { verb: "Start the agent", argument: "subagent_type" },
  Skill: { verb: "Use the skill", argument: "skill" },
};

/** The title for a call, with the change it would make where that is known. */
export function requestTitle(
  { tool, args }: { tool: string; args: ToolArgs },
  preview?: PermissionRequest["preview"],
): RequestTitle {
  const known = verbs[tool];
  const named = known && args[known.argument];
  if (!known || typeof named !== "string") return { verb: "Use", object: tool };
  const object = oneLine(tool === "Bash" ? named : shortPath(named));
  const [change, ...others] = preview?.changes ?? [];
  if (tool === "Bash" || !change || others.length > 0) return { verb: known.verb, object };
  return { verb: fileVerb(tool, change), object, counts: countLines(change) };
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

function fileVerb(tool: string, { before, after }: FileChange): string {
  if (before === null) return "Create";
  if (after === null) return "Delete";
  return tool === "Write" ? "Overwrite" : "Edit";
}

function oneLine(text: string): string {
  const line = text.trim().replace(/[ \t]*\n\s*/g, " ⏎ ");
  return line.length > MAX_OBJECT ? `${line.slice(0, MAX_OBJECT - 1)}…` : line;
}
