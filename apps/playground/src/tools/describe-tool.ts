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

/** The words for a tool's calls. */
export interface ToolWords {
  icon: LucideIcon;
  /** Its main argument. */
  argument: string;
  /** The verb for that argument, as a question begins. */
  verb: string;
  /** The name of this kind of call, where a mode asks before it. */
  subject?: string;
  /** The main argument is a command line. */
  isCommand?: boolean;
  /** The verb for a file that is there already. */
  replaces?: string;
  /** Many finished calls in a few words, for tools that only look at files. */
  looked?: (count: number) => string;
}

const files = "changes to files";
const network = "network requests";

/** The built-in tools. */
const known: Readonly<Record<string, ToolWords>> = {
  Bash: {
    icon: SquareTerminal,
    argument: "command",
    verb: "Run",
    subject: "commands",
    isCommand: true,
  },
  Read: {
    icon: FileText,
    argument: "filePath",
    verb: "Read",
    looked: (count) => (count === 1 ? "read 1 file" : `read ${count} files`),
  },
  Write: {
    icon: FilePlus,
    argument: "filePath",
    verb: "Write",
    subject: files,
    replaces: "Overwrite",
  },
  Edit: { icon: FilePen, argument: "filePath", verb: "Edit", subject: files, replaces: "Edit" },
  Glob: {
    icon: FolderSearch,
    argument: "pattern",
    verb: "List",
    looked: (count) => `listed files${times(count)}`,
  },
  Grep: {
    icon: Search,
    argument: "pattern",
    verb: "Search for",
    looked: (count) => `searched${times(count)}`,
  },
  WebFetch: { icon: Globe, argument: "url", verb: "Fetch", subject: network },
  WebSearch: { icon: Globe, argument: "query", verb: "Search the web for", subject: network },
  Skill: { icon: BookOpen, argument: "skill", verb: "Use the skill" },
  Agent: { icon: Bot, argument: "description", verb: "Start an agent for" },
};

/** The words for a built-in tool. */
export function wordsOf(tool: string): ToolWords | undefined {
  return known[tool];
}

export function describeTool(tool: string, args: ToolArgs): ToolDescription {
  const entry = known[tool];
  const named = entry && args[entry.argument];
  const first = named ?? Object.values(args).find((value) => typeof value === "string");
  const main = typeof first === "string" ? shortPath(first.trim()).replace(/[ \t\n]+/g, " ") : "";
  return { icon: entry?.icon ?? Wrench, main };
}

function times(count: number): string {
  if (count === 1) return "";
  return count === 2 ? " twice" : ` ${count} times`;
}
