import { errorMessage } from "@robota/runtime/ports";
import { fromByteString, toByteString } from "../bytes.ts";
import { isBrokenPipe, type ShellCommandContext, type ShellCommandResult } from "../command.ts";
import { readOperand } from "./arguments.ts";

/** Reads a file with one character per byte, so that invalid UTF-8 is preserved and the order is that of bytes. */
export async function readByteString(context: ShellCommandContext, path: string): Promise<string> {
  return toByteString(await readOperand(context, path));
}

/** The lines without their ends. */
export function splitLines(text: string, end = "\n"): string[] {
  if (text === "") return [];
  return (text.endsWith(end) ? text.slice(0, -end.length) : text).split(end);
}

export function joinLines(lines: readonly string[], end = "\n"): Uint8Array {
  return fromByteString(lines.length === 0 ? "" : lines.join(end) + end);
}

/** Runs `each` for every operand, or for standard input; a failure is reported on stderr, and the rest continues. */
export async function forEachOperand(
  program: string,
  operands: readonly string[],
  each: (operand: string) => Promise<void>,
): Promise<Required<Pick<ShellCommandResult, "stderr" | "exitCode">>> {
  let stderr = "";
  for (const operand of operands.length > 0 ? operands : ["-"]) {
    try {
      await each(operand);
    } catch (error) {
      if (isBrokenPipe(error)) throw error;
      stderr += `${program}: ${errorMessage(error)}\n`;
    }
  }
  return { stderr, exitCode: stderr === "" ? 0 : 1 };
}

/** Parses sizes as most programs take them: `2K` as 2048, `1kB` as 1000; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = "", base] = /^(\d+)([bcwKMGTPkmgt]?)(iB|B)?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  if (unit === "b") return Number(digits) * 512;
  if (unit === "w") return Number(digits) * 2;
  const power = unit === "" || unit === "c" ? 0 : "KMGTP".indexOf(unit.toUpperCase()) + 1;
  return Number(digits) * (base === "B" ? 1000 : 1024) ** power;
}
