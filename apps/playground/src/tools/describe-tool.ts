import type { ToolArgs } from "@robota/runtime";
import {
  BookOpen,
  Bot,
  FilePen,
  FilePlus,
  FileText,
  FolderSearch,
  Globe,
  type LucideIcon,
  Search,
  SquareTerminal,
  Wrench,
} from "lucide-react";
import { shortPath } from "../ui/format.ts";

export interface ToolDescription {
  icon: LucideIcon;
  /** The most significant argument, in one line. */
  main: string;
}

/** Icons of the built-in tools, and their main argument. */
const known: Readonly<Record<string, { icon: LucideIcon; argument: string }>> = {
  Bash: { icon: SquareTerminal, argument: "command" },
  Read: { icon: FileText, argument: "filePath" },
  Write: { icon: FilePlus, argument: "filePath" },
  Edit: { icon: FilePen, argument: "filePath" },
  Glob: { icon: FolderSearch, argument: "pattern" },
  Grep: { icon: Search, argument: "pattern" },
  WebFetch: { icon: Globe, argument: "url" },
  WebSearch: { icon: Globe, argument: "query" },
  Skill: { icon: BookOpen, argument: "skill" },
  Agent: { icon: Bot, argument: "description" },
};

export function describeTool(tool: string, args: ToolArgs): ToolDescription {
  const entry = known[tool];
  const named = entry && args[entry.argument];
  const first = named ?? Object.values(args).find((value) => typeof value === "string");
  const main = typeof first === "string" ? shortPath(first.trim()).replace(/[ \t\n]+/g, " ") : "";
  return { icon: entry?.icon ?? Wrench, main };
}
