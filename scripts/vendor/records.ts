/** awk over what is still being written, as `scripts/vendor.ts` builds it into just-bash. */
import type { ProgramStream } from "./interpreter.ts";

/** The part of a running program of awk that is used here. */
interface Awk {
  output: string;
  exitCode: number;
  shouldExit: boolean;
  shouldNextFile: boolean;
  /** Whether records are counted on. Added here. */
  isContinued?: boolean;
}

const BROKEN_PIPE = 141;
const encoder = new TextEncoder();

/** Whether the program takes its records one by one, and lines are what they are. */
export function canReadRecords(
  stream: ProgramStream | undefined,
  args: readonly string[],
): stream is ProgramStream {
  return stream?.read !== undefined && !args.some((arg) => /getline|\bRS\b/.test(arg));
}

/** Runs a program over its records as they come, and hands on what it prints for them. */
export async function readRecords(
  { read, write }: ProgramStream,
  awk: Awk,
  run: (records: string) => Promise<void>,
): Promise<void> {
  let rest = "";
  for (let part = await read?.(); !awk.shouldExit && !awk.shouldNextFile; part = await read?.()) {
    const text = rest + (part ?? "");
    const end = part === undefined ? text.length : text.lastIndexOf("\n") + 1;
    rest = text.slice(end);
    if (end > 0) await run(text.slice(0, end));
    awk.isContinued = true;
    const { output } = awk;
    if (write && output !== "") {
      awk.output = "";
      try {
        await write(bytesOf(output));
      } catch {
        awk.exitCode = BROKEN_PIPE;
        awk.shouldExit = true;
      }
    }
    if (part === undefined) break;
  }
}

function bytesOf(text: string): string {
  let bytes = "";
  for (const byte of encoder.encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}
