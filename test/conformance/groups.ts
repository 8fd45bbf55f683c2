import type { Case } from "./cases.ts";
import type { Tree } from "./cases.ts";
import differences from "./differences.json" with { type: "json" };
import archive from "./answers/compare-archive.json" with { type: "json" };
import awk from "./answers/awk.json" with { type: "json" };
import commands from "./answers/commands.json" with { type: "json" };
import edit from "./answers/edit.json" with { type: "json" };
import files from "./answers/files.json" with { type: "json" };
import json from "./answers/json.json" with { type: "json" };
import look from "./answers/look.json" with { type: "json" };
import numbers from "./answers/numbers.json" with { type: "json" };
import pipes from "./answers/pipes.json" with { type: "json" };
import script from "./answers/script.json" with { type: "json" };
import search from "./answers/search.json" with { type: "json" };
import text from "./answers/text.json" with { type: "json" };
import tree from "./tree.json" with { type: "json" };

export interface Group {
  name: string;
  /** In a few words, for the documentation. */
  title: string;
  cases: readonly Case[];
}

// The recorder's output, whose shape TypeScript can't narrow from JSON.
const casesOf = (recorded: unknown): readonly Case[] => recorded as readonly Case[];

export const groups: readonly Group[] = [
  { name: "search", title: "Search", cases: casesOf(search) },
  { name: "look", title: "Look at files", cases: casesOf(look) },
  { name: "edit", title: "Edit", cases: casesOf(edit) },
  { name: "files", title: "Copy, move, make, remove, xargs", cases: casesOf(files) },
  { name: "text", title: "Sort, cut, join, count, encode", cases: casesOf(text) },
  { name: "commands", title: "Options of programs", cases: casesOf(commands) },
  { name: "awk", title: "awk", cases: casesOf(awk) },
  { name: "json", title: "jq", cases: casesOf(json) },
  { name: "compare-archive", title: "Compare and archive", cases: casesOf(archive) },
  { name: "numbers", title: "Numbers and dates", cases: casesOf(numbers) },
  { name: "pipes", title: "Pipes and redirections", cases: casesOf(pipes) },
  { name: "script", title: "Scripts", cases: casesOf(script) },
];

/** The files that every command starts with. */
export const start: Tree = tree as Tree;

/** Command lines that answer otherwise, by the reason. */
export const reasons: Readonly<Record<string, readonly string[]>> = differences;

export const different: ReadonlySet<string> = new Set(Object.values(reasons).flat());
