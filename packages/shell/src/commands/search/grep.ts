import { decodeText, encodeText, errorMessage, basename } from "@robota/runtime/ports";
import { decompress, isGzip } from "@robota/runtime/virtual";
import { patternToRegExp } from "../shell-pattern.ts";
import {
  isBrokenPipe,
  type ShellCommand,
  type ShellCommandContext,
  type ShellCommandResult,
} from "../../command.ts";
import { explain, parseArguments, readOperand, readTextOperand } from "../arguments.ts";
import { splitLines } from "../byte-lines.ts";
import { type Ancestor, enterDirectory } from "../link-cycles.ts";
import { compilePattern, type Dialect, type Match, type Pattern } from "./pattern.ts";
import { linesAsTheyCome, type NextLines } from "../streams.ts";

type Options = ReadonlyMap<string, string>;

const TROUBLE = 2;
/** Characters of a line that count as one step. */
const CHARACTERS_PER_STEP = 256;

const spec = {
  flags: "EFGPiyvwxclLqsnHhorRIabzTUZ",
  valued: "efmABCdD",
  long: {
    "extended-regexp": "E",
    "fixed-strings": "F",
    "basic-regexp": "G",
    "perl-regexp": "P",
    "ignore-case": "i",
    "no-ignore-case": "no-ignore-case",
    "invert-match": "v",
    "word-regexp": "w",
    "line-regexp": "x",
    count: "c",
    "files-with-matches": "l",
    "files-without-match": "L",
    quiet: "q",
    silent: "q",
    "no-messages": "s",
    "line-number": "n",
    "with-filename": "H",
    "no-filename": "h",
    "only-matching": "o",
    recursive: "r",
    "dereference-recursive": "R",
    text: "a",
    "byte-offset": "b",
    "null-data": "z",
    null: "Z",
    "initial-tab": "T",
    regexp: "e",
    file: "f",
    "max-count": "m",
    "after-context": "A",
    "before-context": "B",
    context: "C",
    color: "color",
    colour: "color",
    include: "include",
    exclude: "exclude",
    "exclude-dir": "exclude-dir",
    "line-buffered": "line-buffered",
    "binary-files": "binary-files",
  },
};

interface Search {
  context: ShellCommandContext;
  options: Options;
  pattern: Pattern;
  program: string;
  /** True if lines are prefixed with file names. */
  isNamed: boolean;
  isIncluded: (path: string) => boolean;
  isExcludedDirectory: (path: string) => boolean;
  output: string[];
  stderr: string;
  hasMatched: boolean;
  /** True once standard input is exhausted. */
  hasReadInput: boolean;
  hasTrouble: boolean;
  /** Messages on stderr that are not failures. */
  notes: string;
}

function grepNamed(program: string, dialect: Dialect): ShellCommand {
  return {
    name: program,
    async run(args, context): Promise<ShellCommandResult> {
      try {
        return await search(program, dialect, args, context);
      } catch (error) {
        if (isBrokenPipe(error)) throw error;
        return { stderr: `${program}: ${errorMessage(error)}\n`, exitCode: TROUBLE };
      }
    },
  };
}

export const grep = grepNamed("grep", "basic");
export const egrep = grepNamed("egrep", "extended");
export const fgrep = grepNamed("fgrep", "fixed");
export const zgrep = grepNamed("zgrep", "basic");

async function search(
  program: string,
  dialect: Dialect,
  args: readonly string[],
  context: ShellCommandContext,
): Promise<ShellCommandResult> {
  const plain = args.map((arg) => (/^-\d+$/.test(arg) ? `-C${arg.slice(1)}` : arg));
  const { options, given, operands } = parseArguments(plain, spec);
  // Not by spreading into `push`: many would overflow the stack.
  let sources: string[] = [];
  for (const [name, value] of given) {
    if (name === "e") sources = sources.concat(value.split("\n"));
    if (name !== "f") continue;
    sources = sources.concat(splitLines(await readTextOperand(context, value)));
  }
  const files = [...operands];
  if (!options.has("e") && !options.has("f")) {
    const first = files.shift();
    if (first === undefined) throw new Error("no pattern was given");
    sources = first.split("\n");
  }
  const chosen = given.findLast(([name]) => "EFGP".includes(name))?.[0];
  const dialects: Record<string, Dialect> = { E: "extended", F: "fixed", G: "basic", P: "perl" };
  const isDeep = options.has("r") || options.has("R") || options.get("d") === "recurse";
  const patternsOf = (name: string): RegExp[] =>
    given
      .filter(([option]) => option === name)
      .map(([, value]) => patternToRegExp(value.replace(/\/$/, "")));
  const [included, excluded, directories] = ["include", "exclude", "exclude-dir"].map(patternsOf);
  const task: Search = {
    context,
    options,
    program,
    pattern: await compilePattern(sources.length > 0 ? sources : ["(?!)"], {
      dialect: dialects[chosen ?? ""] ?? dialect,
      isCaseIgnored: (options.has("i") || options.has("y")) && !options.has("no-ignore-case"),
      isWord: options.has("w"),
      isLine: options.has("x"),
      isWide: true,
    }),
    isNamed: options.has("H") || (files.length > 1 && !options.has("h")),
    isIncluded: (path) =>
      (included?.length === 0 || included?.some((one) => one.test(basename(path))) === true) &&
      excluded?.some((one) => one.test(basename(path))) !== true,
    isExcludedDirectory: (path) => directories?.some((one) => one.test(basename(path))) === true,
    output: [],
    stderr: "",
    hasMatched: false,
    hasReadInput: given.some(([name, value]) => name === "f" && value === "-"),
    hasTrouble: false,
    notes: "",
  };
  // Without a pattern no line can match, so nothing is counted either.
  const isHopeless = options.get("m") === "0" || (sources.length === 0 && !options.has("v"));
  if (isHopeless && !options.has("L")) return { exitCode: 1 };
  const roots = files.length > 0 ? files : [isDeep ? "" : "-"];
  for (const root of roots) {
    if (isDeep && root !== "-") await searchTree(task, root, true);
    else if (root === "-" || task.isIncluded(root)) await searchFile(task, root);
    if (task.hasMatched && options.has("q")) return { exitCode: 0 };
  }
  const failed = task.stderr !== "" || task.hasTrouble;
  return {
    stdout: encodeText(task.output.join("")),
    stderr: options.has("s") ? "" : task.stderr + task.notes,
    exitCode: failed ? TROUBLE : task.hasMatched ? 0 : 1,
  };
}

async function searchTree(
  task: Search,
  name: string,
  isRoot: boolean,
  parent?: Ancestor,
): Promise<void> {
  const { fs, resolve, signal } = task.context;
  if (signal.aborted) return;
  const path = resolve(name === "" ? "." : name);
  try {
    const isFollowed = isRoot || task.options.has("R");
    const { type } = await (isFollowed ? fs.stat(path) : fs.lstat(path));
    if (type === "symlink") return;
    if (type === "file") {
      if (task.isIncluded(path)) await searchFile(task, name);
      return;
    }
    if (!isRoot && task.isExcludedDirectory(path)) return;
    const { entered, loop } = task.options.has("R")
      ? await enterDirectory(fs, { name, path }, parent)
      : {};
    if (loop) {
      task.notes += `${task.program}: ${name}: warning: recursive directory loop\n`;
      return;
    }
    if (!task.options.has("h")) task.isNamed = true;
    const names = (await fs.readdir(path)).map((entry) => entry.name);
    const start = name === "" ? "" : name.endsWith("/") ? name : `${name}/`;
    for (const child of names.sort((one, other) => (one < other ? -1 : 1))) {
      await searchTree(task, `${start}${child}`, false, entered);
      if (task.hasMatched && task.options.has("q")) return;
    }
  } catch (error) {
    task.stderr += `${task.program}: ${name}: ${explain(error)}\n`;
  }
}

async function searchFile(task: Search, name: string): Promise<void> {
  const { context, options, program } = task;
  const end = options.has("z") ? "\0" : "\n";
  const isAtEnd = name === "-" && task.hasReadInput;
  task.hasReadInput ||= name === "-";
  const coming =
    name === "-" && !isAtEnd && end === "\n" && program !== "zgrep"
      ? linesAsTheyCome(context)
      : undefined;
  let text: string;
  let lines: string[];
  try {
    if (coming) {
      lines = (await coming())?.lines ?? [];
      text = lines.join(end);
    } else {
      const bytes = isAtEnd ? new Uint8Array() : await readOperand(context, name);
      text = decodeText(
        program === "zgrep" && isGzip(bytes) ? await decompress(bytes, "gzip") : bytes,
      );
      lines = splitLines(text, end);
    }
  } catch (error) {
    const message = errorMessage(error);
    task.stderr += `${program}: ${message}\n`;
    task.hasTrouble = true;
    return;
  }
  const isBinary =
    !options.has("a") && !options.has("z") && (text.includes("\0") || text.includes("\uFFFD"));
  if (isBinary && (options.has("I") || options.get("binary-files") === "without-match")) return;
  const label = name === "-" ? "(standard input)" : name;
  const isListing = options.has("l") || options.has("L") || options.has("q") || options.has("c");
  const printed = await searchLines(task, {
    lines,
    coming,
    label,
    isBinary: isBinary && !isListing,
    end,
  });
  if (printed > 0) task.hasMatched = true;
  if (options.has("q")) return;
  if (options.has("l") || options.has("L")) {
    if (printed > 0 === options.has("l")) {
      task.output.push(`${label}${options.has("Z") ? "\0" : "\n"}`);
    }
  } else if (options.has("c")) {
    task.output.push(`${task.isNamed ? `${label}:` : ""}${printed}\n`);
  } else if (isBinary && printed > 0) {
    task.notes += `${program}: ${label}: binary file matches\n`;
  }
}

interface Searched {
  lines: string[];
  /** A source of further lines while they are written. */
  coming: NextLines | undefined;
  label: string;
  isBinary: boolean;
  end: string;
}

/** Prints the output for a file; resolves to the number of selected lines. */
async function searchLines(
  task: Search,
  { lines, coming, label, isBinary, end }: Searched,
): Promise<number> {
  const { options, pattern, context } = task;
  const has = async (at: number): Promise<boolean> => {
    if (at < lines.length || !coming) return at < lines.length;
    // Flushes the matches so far before waiting for the next lines.
    const turn = context.print?.(encodeText(task.output.splice(0).join("")));
    if (turn) await turn;
    const next = await coming();
    for (const line of next?.lines ?? []) lines.push(line);
    return next !== undefined;
  };
  const isSilent = isBinary || ["l", "L", "q", "c"].some((name) => options.has(name));
  const most = Number(options.get("m") ?? Number.POSITIVE_INFINITY);
  const isInverted = options.has("v");
  const around = Number(options.get("C") ?? 0);
  const after = Number(options.get("A") ?? around);
  const before = Number(options.get("B") ?? around);
  const isColored = options.get("color") === "always";
  const hasContext = after > 0 || before > 0;
  let [selected, lastPrinted, pending, offset] = [0, -1, 0, 0];
  const offsets: number[] = [];
  const print = (at: number, separator: ":" | "-", text: string, byte: number): void => {
    if (hasContext && lastPrinted !== -1 && at > lastPrinted + 1) task.output.push("--\n");
    const paint = (code: string, part: string): string =>
      isColored && part !== "" ? `\u001b[${code}m\u001b[K${part}\u001b[m\u001b[K` : part;
    const mark = paint("36", separator);
    const name = task.isNamed ? `${paint("35", label)}${options.has("Z") ? "\0" : mark}` : "";
    const number = options.has("n") ? `${paint("32", String(at + 1))}${mark}` : "";
    const position = options.has("b") ? `${byte}${mark}` : "";
    const tab = options.has("T") && name + number + position !== "" ? "\t" : "";
    task.output.push(`${name}${number}${position}${tab}${text}${end}`);
    lastPrinted = at;
  };
  for (let at = 0; selected < most && (at < lines.length || (await has(at))); at++) {
    const line = lines[at] ?? "";
    const turn = context.pace(1 + line.length / CHARACTERS_PER_STEP);
    if (turn) await turn;
    offsets[at] = offset;
    if (options.has("b")) offset += encodeText(line).length + 1;
    const match = pattern.find(line, 0);
    if ((match === undefined) !== isInverted) {
      if (pending > 0 && !isSilent && !options.has("o")) {
        print(at, "-", line, offsets[at] ?? 0);
        pending -= 1;
      }
      continue;
    }
    selected += 1;
    if (options.has("q") || options.has("l") || options.has("L")) return selected;
    if (isSilent) continue;
    if (options.has("o")) {
      if (!isInverted)
        printMatches(task, line, match, (text, start) =>
          print(at, ":", text, (offsets[at] ?? 0) + start),
        );
      continue;
    }
    for (let earlier = Math.max(lastPrinted + 1, at - before); earlier < at; earlier++) {
      print(earlier, "-", lines[earlier] ?? "", offsets[earlier] ?? 0);
    }
    print(at, ":", isColored && !isInverted ? colored(task, line, match) : line, offsets[at] ?? 0);
    pending = after;
    if (selected >= most) {
      for (let later = at + 1; pending > 0 && (await has(later)); later++, pending--) {
        print(later, "-", lines[later] ?? "", 0);
      }
    }
  }
  return selected;
}

function printMatches(
  { pattern, options }: Search,
  line: string,
  first: Match | undefined,
  print: (text: string, start: number) => void,
): void {
  const isColored = options.get("color") === "always";
  for (let match = first; match;) {
    const { start, end } = match;
    if (end > start) {
      const text = line.slice(start, end);
      print(
        isColored ? `\u001b[01;31m\u001b[K${text}\u001b[m\u001b[K` : text,
        encodeText(line.slice(0, start)).length,
      );
    }
    const next: number = end > start ? end : end + 1;
    match = next > line.length ? undefined : pattern.find(line, next);
  }
}

function colored({ pattern }: Search, line: string, first: Match | undefined): string {
  let [text, reached] = ["", 0];
  for (let match = first; match;) {
    const { start, end } = match;
    text += line.slice(reached, start);
    if (end > start) text += `\u001b[01;31m\u001b[K${line.slice(start, end)}\u001b[m\u001b[K`;
    reached = end;
    const next: number = end > start ? end : end + 1;
    match = next > line.length ? undefined : pattern.find(line, next);
  }
  return text + line.slice(reached);
}
