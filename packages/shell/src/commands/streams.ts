import { concatBytes, encodeText } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../command.ts";
import { toByteString } from "../bytes.ts";
import { readByteString, splitLines } from "./byte-lines.ts";

/** What a program prints: handed on where somebody waits for it, and kept for the end elsewhere. */
export interface Printer {
  /** Await what it answers, unless it is `undefined`. */
  print(output: Uint8Array | string): Promise<void> | undefined;
  /** What has not been handed on. */
  rest(): Uint8Array;
}

export function createPrinter({ print }: Pick<ShellCommandContext, "print">): Printer {
  const kept: Uint8Array[] = [];
  return {
    print(output) {
      const bytes = typeof output === "string" ? encodeText(output) : output;
      if (print) return print(bytes);
      kept.push(bytes);
      return undefined;
    },
    rest: () => concatBytes(kept),
  };
}

/** The parts of standard input as they come; `undefined` at the end. */
export function inputOf(context: ShellCommandContext): () => Promise<Uint8Array | undefined> {
  if (context.nextInput) return context.nextInput;
  let hasRead = false;
  return async () => {
    if (hasRead) return undefined;
    hasRead = true;
    return context.stdinBytes();
  };
}

/** The next lines that are piped in, without their ends; `undefined` when there are no more. */
export type NextLines = () => Promise<{ lines: string[]; isLastOpen: boolean } | undefined>;

/** Standard input line by line while it is being written; `undefined` where it is all there. */
export function linesAsTheyCome({ nextInput }: ShellCommandContext): NextLines | undefined {
  if (!nextInput) return undefined;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest: string | undefined = "";
  return async () => {
    while (rest !== undefined) {
      const part = await nextInput();
      const text: string = rest + decoder.decode(part, { stream: part !== undefined });
      if (!part) {
        rest = undefined;
        return text === "" ? undefined : { lines: [text], isLastOpen: true };
      }
      const end = text.lastIndexOf("\n") + 1;
      rest = text.slice(end);
      if (end > 0) return { lines: splitLines(text.slice(0, end)), isLastOpen: false };
    }
    return undefined;
  };
}

/** The lines of a file, or of standard input as they come, some at a time: without their ends, a character per byte. */
export async function* byteLinesOf(
  context: ShellCommandContext,
  operand: string,
  end = "\n",
): AsyncGenerator<string[]> {
  const { nextInput } = context;
  if (operand !== "-" || !nextInput) {
    yield splitLines(await readByteString(context, operand), end);
    return;
  }
  let rest = "";
  for (let part = await nextInput(); part; part = await nextInput()) {
    const text = rest + toByteString(part);
    const next = text.lastIndexOf(end) + 1;
    rest = text.slice(next);
    if (next > 0) yield splitLines(text.slice(0, next), end);
  }
  if (rest !== "") yield [rest];
}
