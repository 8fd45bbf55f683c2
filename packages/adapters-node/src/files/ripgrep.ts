import { spawn } from "node:child_process";
import { constants, lstat } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { SoughtTexts } from "@robota/runtime/ports";

/** Limit for all arguments of one run: well below that of any system. */
const MAX_ARGUMENT_BYTES = 256 * 1024;
/** Overhead of an argument: its terminator and its pointer. */
const ARGUMENT_COST = 9;
/** A program that does not answer soon is unusable. */
const ANSWER_MS = 5000;
const VERSION = /^ripgrep (?:1[1-9]|[2-9]\d)\./;

/** Turns off every feature that could skip, change or follow something, or read a setting. */
const ARGUMENTS = [
  "--no-config",
  "--no-ignore",
  "--hidden",
  "--text",
  "--no-mmap",
  "--color=never",
  "--files-with-matches",
  "--null",
  "--fixed-strings",
];

let onPath: Promise<string | undefined> | undefined;

/** The ripgrep program on this process's PATH. Searched once. */
export function ripgrepOnPath(): Promise<string | undefined> {
  onPath ??= findRipgrep(process.env["PATH"] ?? "");
  return onPath;
}

async function findRipgrep(path: string): Promise<string | undefined> {
  // Programs in the working directory are never started.
  for (const directory of path.split(delimiter).filter(isAbsolute)) {
    const program = join(directory, "rg");
    try {
      await access(program, constants.X_OK);
    } catch {
      continue;
    }
    const { output } = await run(
      program,
      ["--no-config", "--version"],
      AbortSignal.timeout(ANSWER_MS),
    );
    if (VERSION.test(output)) return program;
  }
  return undefined;
}

/**
 * Reports for each path whether it may contain one of the texts. Irregular, large and unreadable files may; and so may
 * every file of a failed run, since its cause is unknown.
 */
export async function siftFiles(
  program: string,
  paths: readonly string[],
  { anyOf, ignoreCase, maxBytes }: SoughtTexts,
  signal: AbortSignal,
): Promise<boolean[] | undefined> {
  const options = [
    ...ARGUMENTS,
    ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...anyOf.map((text) => `--regexp=${text}`),
    "--",
  ];
  const left = MAX_ARGUMENT_BYTES - sizeOf(options);
  if (left < MAX_ARGUMENT_BYTES / 2) return undefined;
  const sizes = await Promise.all(paths.map(sizeOfFile));
  signal.throwIfAborted();
  const mayHold = sizes.map((size) => size === undefined || size > maxBytes);
  const files = paths.filter((_, index) => !mayHold[index]);
  const holding = new Set<string>();
  for (const part of inParts(files, left)) {
    const { exitCode, output } = await run(program, [...options, ...part], signal);
    signal.throwIfAborted();
    const wentWell = exitCode === 0 || exitCode === 1;
    for (const path of wentWell ? output.split("\0") : part) holding.add(path);
  }
  return paths.map((path, index) => mayHold[index] === true || holding.has(path));
}

/** Size of a regular file. */
function sizeOfFile(path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    lstat(path, (error, stats) => resolve(error || !stats.isFile() ? undefined : stats.size));
  });
}

function* inParts(paths: readonly string[], most: number): Generator<string[]> {
  let part: string[] = [];
  let size = 0;
  for (const path of paths) {
    const added = sizeOf([path]);
    if (size + added > most && part.length > 0) {
      yield part;
      part = [];
      size = 0;
    }
    part.push(path);
    size += added;
  }
  if (part.length > 0) yield part;
}

function sizeOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + Buffer.byteLength(word) + ARGUMENT_COST, 0);
}

interface Answer {
  /** `undefined` when the program could not be run to its end. */
  exitCode: number | undefined;
  output: string;
}

function run(program: string, args: readonly string[], signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const stdout: Buffer[] = [];
    const end = (exitCode?: number): void =>
      resolve({ exitCode, output: Buffer.concat(stdout).toString() });
    try {
      const child = spawn(program, args, {
        stdio: ["ignore", "pipe", "ignore"],
        // Needs nothing of this process's environment.
        env: {},
        signal,
        killSignal: "SIGKILL",
      });
      child.stdout.on("data", (data: Buffer) => stdout.push(data));
      child.on("error", () => end());
      child.on("close", (code) => end(code ?? undefined));
    } catch {
      end();
    }
  });
}
