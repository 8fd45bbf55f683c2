import type { ShellCommandContext } from "../../command.ts";
import { type Arguments, parseArguments, readTextOperand } from "../arguments.ts";
import { splitLines } from "../byte-lines.ts";
import { typesOf } from "./rg-types.ts";

export type Options = Arguments["options"];

const LONG: Readonly<Record<string, string>> = {
  "after-context": "A",
  "before-context": "B",
  "byte-offset": "b",
  "case-sensitive": "s",
  color: "color",
  column: "column",
  context: "C",
  "context-separator": "context-separator",
  count: "c",
  "count-matches": "count-matches",
  "field-match-separator": "field-match-separator",
  file: "f",
  files: "files",
  "files-with-matches": "l",
  "files-without-match": "files-without-match",
  "fixed-strings": "F",
  follow: "L",
  glob: "g",
  "glob-case-insensitive": "glob-case-insensitive",
  heading: "heading",
  hidden: ".",
  iglob: "iglob",
  "ignore-case": "i",
  "include-zero": "include-zero",
  "invert-match": "v",
  json: "json",
  "line-number": "n",
  "line-regexp": "x",
  "max-count": "m",
  "max-depth": "d",
  multiline: "U",
  "multiline-dotall": "multiline-dotall",
  "no-column": "no-column",
  "no-config": "no-config",
  "no-filename": "I",
  "no-heading": "no-heading",
  "no-hidden": "no-hidden",
  "no-ignore": "no-ignore",
  "no-ignore-vcs": "no-ignore",
  "no-json": "no-json",
  "no-line-number": "N",
  "no-messages": "no-messages",
  "no-require-git": "no-require-git",
  null: "0",
  "only-matching": "o",
  passthru: "passthru",
  pcre2: "P",
  pretty: "p",
  quiet: "q",
  regexp: "e",
  replace: "r",
  "search-zip": "z",
  "smart-case": "S",
  sort: "sort",
  sortr: "sortr",
  text: "a",
  threads: "j",
  trim: "trim",
  type: "t",
  "type-list": "type-list",
  "type-not": "T",
  unrestricted: "u",
  vimgrep: "vimgrep",
  "with-filename": "H",
  "word-regexp": "w",
};

/** Long options whose value may be the next word. */
const VALUED = new Set([
  "color",
  "context-separator",
  "field-match-separator",
  "iglob",
  "sort",
  "sortr",
]);

/** Options that each ask for another kind of output. */
const MODES = new Set([
  "c",
  "count-matches",
  "files",
  "files-without-match",
  "json",
  "l",
  "no-json",
  "type-list",
]);

/** The last of these options, which decides. */
function modeOf(given: Arguments["given"]): string | undefined {
  let mode: string | undefined;
  for (const [name] of given) {
    if (name === "no-json") mode = mode === "json" ? undefined : mode;
    else if (MODES.has(name)) mode = name;
  }
  return mode;
}

/** The lines around a match that are printed with it. */
export function contextOf(options: Options): { before: number; after: number } {
  if (options.has("passthru"))
    return { before: Number.POSITIVE_INFINITY, after: Number.POSITIVE_INFINITY };
  const around = Number(options.get("C") ?? 0);
  return {
    before: Number(options.get("B") ?? around),
    after: Number(options.get("A") ?? around),
  };
}

/** A search as its words ask for it. */
export interface Request {
  readonly options: Options;
  readonly given: Arguments["given"];
  /** Patterns, of which any may match. */
  readonly sources: readonly string[];
  readonly paths: readonly string[];
  /** How much `-u` lifts: ignored files, then hidden ones, then binary ones. */
  readonly freedom: number;
}

/** @throws {Error} without a pattern, or for an unknown option or type */
export async function parseRequest(
  args: readonly string[],
  context: ShellCommandContext,
): Promise<Request> {
  const words = args.flatMap((arg, at) => {
    const name = arg.startsWith("--") ? arg.slice(2) : "";
    const before = args[at - 1] ?? "";
    if (before.startsWith("--") && VALUED.has(before.slice(2))) return [];
    return VALUED.has(name) ? [`--${name}=${args[at + 1] ?? ""}`] : [arg];
  });
  const { given, operands } = parseArguments(words, {
    flags: "abcFHiIlLnNopPqsSuUvwxz0.",
    valued: "ABCdefgjmrtT",
    long: LONG,
  });
  const mode = modeOf(given);
  const options = new Map(given.filter(([name]) => name === mode || !MODES.has(name)));
  const sources: string[] = [];
  for (const [name, value] of given) {
    if (name === "e") sources.push(value);
    if (name !== "f") continue;
    // One by one: spreading many would overflow the stack.
    for (const line of splitLines(await readTextOperand(context, value))) sources.push(line);
  }
  const paths = [...operands];
  const isListing = options.has("files") || options.has("type-list");
  if (!isListing && !options.has("e") && !options.has("f")) {
    const first = paths.shift();
    if (first === undefined) throw new Error("the pattern is missing");
    sources.push(first);
  }
  for (const [name, value] of given) if (name === "t" || name === "T") typesOf(value);
  const freedom = given.filter(([name]) => name === "u").length;
  return { options, given, sources, paths, freedom };
}
