import {
  isBrokenPipe,
  type ShellCommand,
  type ShellCommandContext,
  type ShellCommandResult,
} from "../../command.ts";
import { encodeText } from "@robota/runtime/ports";
import { parseArguments, readTextOperand, type Arguments } from "../arguments.ts";
import { createPrinter } from "../streams.ts";

const FAILED_COMMAND = 123;
const ENDED = 124;
const KILLED_COMMAND = 125;
/** Default maximum of words per command line. */
const MAX_WORDS = 5_000;

/** Runs commands sequentially, even with `-P`: `-0 -d -I -i -L -n -P -r -t -a -E -s -x`. */
export const xargs: ShellCommand = {
  name: "xargs",
  async run(args, context): Promise<ShellCommandResult> {
    const { options, operands } = parseArguments(
      args,
      {
        flags: "0rtpxio",
        valued: "InPdLsEa",
        long: {
          null: "0",
          "no-run-if-empty": "r",
          verbose: "t",
          replace: "I",
          "max-args": "n",
          "max-procs": "P",
          "max-lines": "L",
          "max-chars": "s",
          delimiter: "d",
          "arg-file": "a",
          eof: "E",
          exit: "x",
        },
      },
      { stopAtOperand: true },
    );
    const mark = options.has("i") ? "{}" : options.get("I");
    const [program = "echo", ...fixed] = operands;
    const printer = createPrinter(context);
    let [stderr, exitCode] = ["", 0];
    const limit = mark === undefined ? options.get("s") : undefined;
    const room = Number(limit ?? Number.POSITIVE_INFINITY) - lengthOf([program, ...fixed]);
    for await (const batch of batchesOf(context, { options, mark, room })) {
      if (context.signal.aborted) break;
      const words =
        mark === undefined
          ? [...fixed, ...batch]
          : fixed.map((word) => word.replaceAll(mark, batch[0] ?? ""));
      if (options.has("t")) stderr += `${[program, ...words].join(" ")}\n`;
      const result = await context.run(program, words, "");
      try {
        await printer.print(result.stdout);
      } catch (error) {
        if (context.signal.aborted || !isBrokenPipe(error)) throw error;
        // The program wrote to a closed pipe.
        const message = `${stderr}xargs: ${program}: terminated by signal 13\n`;
        return { stdout: printer.rest(), stderr: message, exitCode: KILLED_COMMAND };
      }
      stderr += result.stderr;
      if (result.exitCode === 126 || result.exitCode === 127) {
        exitCode = result.exitCode;
        break;
      }
      if (result.exitCode === 255) {
        stderr += `xargs: ${program}: exited with status 255; aborting\n`;
        exitCode = ENDED;
        break;
      }
      if (result.exitCode !== 0) exitCode = FAILED_COMMAND;
    }
    return { stdout: printer.rest(), stderr, exitCode };
  },
};

/** The arguments of each run: as soon as they are complete, while more input is written. */
async function* batchesOf(
  context: ShellCommandContext,
  { options, mark, room }: Batching,
): AsyncGenerator<string[]> {
  const size = mark === undefined ? Number(options.get("L") ?? options.get("n") ?? MAX_WORDS) : 1;
  if (!(size > 0)) throw new Error("value for the option should be >= 1");
  const last = options.get("E");
  let [waiting, hasRun, isOver]: [string[][], boolean, boolean] = [[], false, false];
  for await (const text of partsOf(context, options)) {
    let items = itemsOf(text, options, mark);
    const end = last === undefined ? -1 : items.findIndex(([word]) => word === last);
    if (end !== -1) [items, isOver] = [items.slice(0, end), true];
    waiting = waiting.concat(items);
    let at = 0;
    for (;;) {
      const items = waiting.slice(at, at + size);
      const fitting = fittingIn(items, room);
      if (fitting === 0 && items.length > 0) throw new Error("argument line too long");
      // More input may complete the last ones.
      if (fitting < size && fitting === items.length) break;
      hasRun = true;
      yield items.slice(0, fitting).flat();
      at += fitting;
    }
    waiting = waiting.slice(at);
    if (isOver) break;
  }
  if (waiting.length > 0) yield waiting.flat();
  else if (!hasRun && mark === undefined && !options.has("r")) yield [];
}

interface Batching {
  readonly options: Arguments["options"];
  readonly mark: string | undefined;
  /** Bytes for the words of a run. */
  readonly room: number;
}

/** Bytes of words in a command line, each with what ends it. */
function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + encodeText(word).length + 1, 0);
}

/** The number of items whose words have room. */
function fittingIn(items: readonly (readonly string[])[], room: number): number {
  if (room === Number.POSITIVE_INFINITY) return items.length;
  let length = 0;
  const over = items.findIndex((words) => (length += lengthOf(words)) > room);
  return over === -1 ? items.length : over;
}

/** Reads the input in chunks that end at a word boundary. */
async function* partsOf(
  context: ShellCommandContext,
  options: Arguments["options"],
): AsyncGenerator<string> {
  const { nextInput } = context;
  const file = options.get("a");
  if (file !== undefined || !nextInput) {
    yield await readTextOperand(context, file ?? "-");
    return;
  }
  const end = delimiterIn(options);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for (;;) {
    const part = await nextInput();
    text += decoder.decode(part, { stream: part !== undefined });
    if (!part) break;
    let at = text.lastIndexOf(end ?? "\n");
    // A backslash escapes a newline within a word.
    while (end === undefined && at > 0 && text.charAt(at - 1) === "\\")
      at = text.lastIndexOf("\n", at - 1);
    if (at === -1) continue;
    const next = at + (end ?? "\n").length;
    yield text.slice(0, next);
    text = text.slice(next);
  }
  if (text !== "") yield text;
}

/** Lists of words that stay together: one line's words when lines are counted, single words otherwise. */
function itemsOf(
  text: string,
  options: Arguments["options"],
  mark: string | undefined,
): string[][] {
  const delimiter = delimiterIn(options);
  if (mark !== undefined) {
    const lines =
      delimiter === undefined
        ? text.split("\n").map((line) => unquoted(line.replace(/^[ \t]+/, "")))
        : split(text, delimiter);
    return lines.filter((line) => line !== "").map((line) => [line]);
  }
  if (options.has("L")) {
    const lines = text.split("\n").map((line) => wordsOf(line));
    return lines.filter((words) => words.length > 0);
  }
  const words = delimiter === undefined ? wordsOf(text) : split(text, delimiter);
  return words.map((word) => [word]);
}

function delimiterIn(options: Arguments["options"]): string | undefined {
  return options.has("0") ? "\0" : delimiterOf(options.get("d"));
}

function delimiterOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return { "\\n": "\n", "\\t": "\t", "\\0": "\0", "\\\\": "\\" }[text] ?? text;
}

function split(text: string, delimiter: string): string[] {
  if (text === "") return [];
  return (text.endsWith(delimiter) ? text.slice(0, -delimiter.length) : text).split(delimiter);
}

/** Splits words at blanks; quotes and backslashes join them. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  const pattern = /(?:"([^"\n]*)"|'([^'\n]*)'|\\([\s\S])|([^\s"'\\]+))|(\s+)|(["'])/g;
  let word: string | undefined;
  for (const [, double, single, escaped, plain, blank, unmatched] of text.matchAll(pattern)) {
    if (unmatched !== undefined) {
      const kind = unmatched === '"' ? "double" : "single";
      throw new Error(
        `unmatched ${kind} quote; by default quotes are special to xargs unless you use the -0 option`,
      );
    }
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + (double ?? single ?? escaped ?? plain ?? "");
  }
  if (word !== undefined) words.push(word);
  return words;
}

function unquoted(line: string): string {
  return line.replace(
    /"([^"]*)"|'([^']*)'|\\(.)/g,
    (_whole, double?: string, single?: string, escaped?: string) =>
      double ?? single ?? escaped ?? "",
  );
}
