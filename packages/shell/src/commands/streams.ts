import { concatBytes, encodeText } from "@robota/runtime/ports";
import type { ShellCommandContext } from "../command.ts";
import { toByteString } from "../bytes.ts";
import { readByteString, splitLines } from "./byte-lines.ts";

/** The output of a program: streamed to a waiting reader, and buffered until the end otherwise. */
export interface Printer {
  /** Prints. Await the result, unless it is `undefined`. */
  print(output: Uint8Array | string): Promise<void> | undefined;
  /** Output not yet streamed. */
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

/** Chunks of standard input as they arrive; `undefined` at the end. */
export function inputOf(context: ShellCommandContext): () => Promise<Uint8Array | undefined> {
  if (context.nextInput) return context.nextInput;
  let hasRead = false;
  return async () => {
    if (hasRead) return undefined;
    hasRead = true;
    return context.input();
  };
}

/** Reads the next piped lines, without their ends; `undefined` at the end. */
export type NextLines = () => Promise<{ lines: string[]; isLastOpen: boolean } | undefined>;

/** Reads standard input line by line while it is written; `undefined` when it is already complete. */
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

/** The lines of a file, or of standard input as they arrive, in batches: without their ends, one character per byte. */
export async function* byteLinesOf(
  context: ShellCommandContext,
  operand: string,
  end = "\n",
): AsyncGenerator<string[]> {
  for await (const part of bytePartsOf(context, operand, end)) yield splitLines(part, end);
}

/** The same as texts, each of whole lines; the last may have no end. */
export async function* bytePartsOf(
  context: ShellCommandContext,
  operand: string,
  end: string,
): AsyncGenerator<string> {
  const { nextInput } = context;
  if (operand !== "-" || !nextInput) {
    yield await readByteString(context, operand);
    return;
  }
  let rest = "";
  for (let part = await nextInput(); part; part = await nextInput()) {
    const text = rest + toByteString(part);
    const next = text.lastIndexOf(end) + 1;
    rest = text.slice(next);
    if (next > 0) yield text.slice(0, next);
  }
  if (rest !== "") yield rest;
}
