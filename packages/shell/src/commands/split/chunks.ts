import { concatBytes } from "@robota/runtime/ports";
import { lineEnd } from "./pieces.ts";

/** A division into a number of parts. */
export interface Chunks {
  /** The number of the only part to print, from 1. */
  readonly only: number | undefined;
  split(bytes: Uint8Array, end: number): Uint8Array[];
}

/** Parses `N`, `K/N`, `l/N`, `l/K/N`, `r/N` and `r/K/N`. @throws {Error} for anything else */
export function parseChunks(text: string): Chunks {
  const [, kind, chosen, number = ""] = /^(?:([lr])\/)?(?:(\d+)\/)?(\d+)$/.exec(text) ?? [];
  const count = Number(number);
  if (number === "" || count === 0) throw new Error(`invalid number of chunks: '${text}'`);
  const only = chosen === undefined ? undefined : Number(chosen);
  if (only !== undefined && (only === 0 || only > count))
    throw new Error(`invalid chunk number: '${chosen}'`);
  const split = kind === "r" ? inTurns : kind === "l" ? byWholeLines : bySize;
  return { only, split: (bytes, end) => split(bytes, count, end) };
}

function bySize(bytes: Uint8Array, count: number): Uint8Array[] {
  const size = Math.floor(bytes.length / count);
  return Array.from({ length: count }, (_part, at) =>
    bytes.subarray(at * size, at === count - 1 ? bytes.length : (at + 1) * size),
  );
}

/** A line belongs to the part that it begins in. */
function byWholeLines(bytes: Uint8Array, count: number, end: number): Uint8Array[] {
  const size = Math.floor(bytes.length / count);
  const starts = Array.from({ length: count }, (_part, at) => {
    const from = at * size;
    if (from === 0) return at === 0 ? 0 : bytes.length;
    return bytes[from - 1] === end ? from : lineEnd(bytes, from, end);
  });
  return starts.map((start, at) => bytes.subarray(start, starts[at + 1] ?? bytes.length));
}

function inTurns(bytes: Uint8Array, count: number, end: number): Uint8Array[] {
  const parts = Array.from({ length: count }, (): Uint8Array[] => []);
  for (let [at, line] = [0, 0]; at < bytes.length; line++) {
    const next = lineEnd(bytes, at, end);
    parts[line % count]?.push(bytes.subarray(at, next));
    at = next;
  }
  return parts.map((lines) => concatBytes(lines));
}
