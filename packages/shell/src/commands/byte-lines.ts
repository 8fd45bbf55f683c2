import { errorMessage } from "@robota/runtime/ports";
import { fromByteString, toByteString } from "../bytes.ts";
import { isBrokenPipe, type ShellCommandContext, type ShellCommandResult } from "../command.ts";
import { readOperand } from "./arguments.ts";

/** A file as a character per byte, so that nothing is lost of what is no UTF-8, and order is the order of bytes. */
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

/**
 * Runs `each` for every operand, or for standard input; what fails is told on stderr as programs do, and the rest goes on.
 */
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

/** `2K` as 2048, `1kB` as 1000, as sizes are given to most programs; undefined when it is no size. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = "", base] = /^(\d+)([bcwKMGTPkmgt]?)(iB|B)?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  if (unit === "b") return Number(digits) * 512;
  if (unit === "w") return Number(digits) * 2;
  const power = unit === "" || unit === "c" ? 0 : "KMGTP".indexOf(unit.toUpperCase()) + 1;
  return Number(digits) * (base === "B" ? 1000 : 1024) ** power;
}
