import { parseSize } from "../byte-lines.ts";
import type { Printer } from "../streams.ts";
import { HEX } from "./hex-tables.ts";

/** Length of the parts that a dump is printed in. */
export const PART_CHARACTERS = 16_384;

/** Prints a dump as it is made. */
export async function printParts(printer: Printer, parts: AsyncIterable<string>): Promise<void> {
  for await (const part of parts) await printer.print(part);
}

/** Two hexadecimal digits. */
export function hex(byte: number, isUpper = false): string {
  const text = HEX[byte] ?? "";
  return isUpper ? text.toUpperCase() : text;
}

/** Parses the number of an option: decimal with a unit, or hexadecimal. */
export function parseNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^0x/i.test(text) ? Number(text) : parseSize(text);
  if (value === undefined || Number.isNaN(value)) throw new Error(`invalid number '${text}'`);
  return value;
}

/** Splits bytes into the rows of a dump, each with its offset. */
export function* rowsOf(
  bytes: Uint8Array,
  width: number,
): Generator<readonly [number, Uint8Array]> {
  for (let at = 0; at < bytes.length; at += width) yield [at, bytes.subarray(at, at + width)];
}
