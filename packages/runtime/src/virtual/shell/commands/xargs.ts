import { decodeText } from "../bytes.ts";
import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../command.ts";
import { parseArguments, readTextOperand, type Arguments } from "./arguments.ts";

const FAILED_COMMAND = 123;
const ENDED = 124;
/** Words of one command line when nothing limits them. */
const MOST_WORDS = 5_000;

/** Runs one command after another, also with `-P`: `-0 -d -I -i -L -n -P -r -t -a -E -s -x`. */
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
    const text = await readTextOperand(context, options.get("a") ?? "-");
    const mark = options.has("i") ? "{}" : options.get("I");
    const [program = "echo", ...fixed] = operands;
    const batches = batchesOf(text, options, mark);
    let [stderr, exitCode] = ["", 0];
    const output: string[] = [];
    for (const batch of batches) {
      if (context.signal.aborted) break;
      const words =
        mark === undefined
          ? [...fixed, ...batch]
          : fixed.map((word) => word.replaceAll(mark, batch[0] ?? ""));
      if (options.has("t")) stderr += `${[program, ...words].join(" ")}\n`;
      const result = await runOne(context, program, words);
      output.push(result.stdout);
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
    return { stdout: output.join(""), stderr, exitCode };
  },
};

async function runOne(
  { run }: ShellCommandContext,
  program: string,
  words: readonly string[],
): Promise<{ stdout: string; stderr: string; exitCode: number }> {
  const { stdout, stderr, exitCode } = await run(program, words, "");
  return { stdout: typeof stdout === "string" ? stdout : decodeText(stdout), stderr, exitCode };
}

function batchesOf(
  text: string,
  options: Arguments["options"],
  mark: string | undefined,
): string[][] {
  const delimiter = options.has("0") ? "\0" : delimiterOf(options.get("d"));
  if (mark !== undefined) {
    const lines =
      delimiter === undefined
        ? text.split("\n").map((line) => unquoted(line.replace(/^[ \t]+/, "")))
        : split(text, delimiter);
    return lines.filter((line) => line !== "").map((line) => [line]);
  }
  const perLines = options.get("L");
  if (perLines !== undefined) {
    const lines = text
      .split("\n")
      .map((line) => wordsOf(line))
      .filter((words) => words.length > 0);
    return chunks(lines, Number(perLines)).map((group) => group.flat());
  }
  let words = delimiter === undefined ? wordsOf(text) : split(text, delimiter);
  const last = options.get("E");
  if (last !== undefined && words.includes(last)) words = words.slice(0, words.indexOf(last));
  if (words.length === 0) return options.has("r") ? [] : [[]];
  return chunks(words, Number(options.get("n") ?? MOST_WORDS));
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  if (!(size > 0)) throw new Error("value for the option should be >= 1");
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

function delimiterOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return { "\\n": "\n", "\\t": "\t", "\\0": "\0", "\\\\": "\\" }[text] ?? text;
}

function split(text: string, delimiter: string): string[] {
  if (text === "") return [];
  return (text.endsWith(delimiter) ? text.slice(0, -delimiter.length) : text).split(delimiter);
}

/** Words between blanks; quotes and backslashes hold them together. */
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
