import { fstatSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { PromptCommand } from "./arguments/commands.ts";
import { UsageError } from "./arguments/usage-error.ts";

const MAX_INPUT_BYTES = 10_000_000;
/** Timeout for programs that start this one with an open pipe and never write to it. */
const DEFAULT_WAIT_MS = 3000;

/** The prompt of a command, or the lines of JSON on standard input. @throws as `readPrompt` */
export async function readInput(
  { prompt, inputFormat }: PromptCommand,
  note: (text: string) => void,
): Promise<string | AsyncIterable<string>> {
  if (inputFormat === "stream-json") {
    // From its making on it keeps lines that come before they are asked for; the interface itself drops them.
    return createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  }
  return readPrompt(prompt, note);
}

/** Reports whether a person can read a question and type the answer. */
export function isAttended({ prompt, inputFormat }: PromptCommand): boolean {
  // A typed prompt, or lines of a program, end the input.
  const isFree = prompt !== "-" && inputFormat !== "stream-json";
  return isFree && process.stdin.isTTY && process.stderr.isTTY;
}

/**
 * The prompt followed by piped input, as in `cat log | robota -p "explain"`; `-` is replaced by it.
 * @throws {UsageError} when it is too long, or `-` finds nothing
 */
async function readPrompt(prompt: string, note: (text: string) => void): Promise<string> {
  if (prompt === "-") {
    const whole = await readAll(process.stdin);
    if (whole.trim() === "") throw new UsageError("standard input has no prompt");
    return whole;
  }
  if (!isPiped()) return prompt;
  const piped = await readAll(process.stdin, { note, waitMs: DEFAULT_WAIT_MS });
  return piped.trim() === "" ? prompt : `${prompt}\n\n${piped}`;
}

/** Reports whether standard input is a file, a pipe or a socket, and neither a terminal nor `/dev/null`. */
function isPiped(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFile() || input.isFIFO() || input.isSocket();
  } catch {
    // Closed by the program that started this one.
    return false;
  }
}

async function readAll(
  stream: Readable,
  patience?: { note: (text: string) => void; waitMs: number },
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  if (patience) {
    timer = setTimeout(() => {
      patience.note("No data on standard input; use </dev/null to skip the wait.");
      stream.destroy();
    }, patience.waitMs);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      length += chunk.length;
      if (length > MAX_INPUT_BYTES) {
        throw new UsageError(
          `standard input has more than ${MAX_INPUT_BYTES / 1e6} MB: name the file in the prompt instead`,
        );
      }
      chunks.push(chunk);
    }
  } catch (error) {
    // Aborted above.
    if (error instanceof UsageError || length > 0) throw error;
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString("utf8");
}
