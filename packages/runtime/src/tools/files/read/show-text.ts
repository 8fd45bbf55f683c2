import { ToolFailure } from "../../failure.ts";
import { count, cutEnd } from "../../text-cut.ts";
import { counted } from "../../text-limit.ts";
import type { Pace } from "../pacer.ts";

const MAX_LINE_LENGTH = 2000;
/** Bytes that can be needed of a line: a character takes up to four. */
const MAX_LINE_BYTES = 4 * MAX_LINE_LENGTH + 4;
/** Maximum characters of one answer; the rest is read with `offset`. */
const MAX_CHARACTERS = 100_000;
/** Maximum number of lines: even an empty one takes eight characters. */
const MAX_LINES = MAX_CHARACTERS / 8;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export interface TextRange {
  /** First line, from 1. */
  offset: number;
  /** Maximum number of lines. */
  limit: number;
}

export interface ShowOptions extends TextRange {
  /** Reads on to the end of the text to count its lines. */
  countAll: boolean;
  pace: Pace;
}

export interface ShownText {
  /** Lines with their numbers. */
  text: string;
  /** Number of the last line in `text`. */
  last: number;
  /** Lines of the whole text; `undefined` when its end was not reached. */
  total: number | undefined;
}

/**
 * Numbers the lines of a UTF-8 text that arrives in chunks of any size. Only visible lines are kept and decoded, so
 * neither a large text nor a long line takes memory.
 * @throws {ToolFailure} `out_of_range` when the text ends before `offset`
 */
export async function showText(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  { offset, limit, countAll, pace }: ShowOptions,
): Promise<ShownText> {
  const collector = createCollector(offset, Math.min(limit, MAX_LINES));
  let isWhole = true;
  for await (const piece of pieces) {
    const turn = pace(piece.length);
    if (turn) await turn;
    collector.take(piece);
    if (collector.isFull() && !countAll) {
      isWhole = false;
      break;
    }
  }
  const { lines, total } = collector.end();
  if (lines.length === 0 && total > 0) {
    throw new ToolFailure("out_of_range", `${path} has only ${counted(total, "line")}.`, {
      hint: `Read it with an offset of up to ${total}.`,
    });
  }
  const shown: string[] = [];
  let characters = 0;
  for (const [index, line] of lines.entries()) {
    const text = `${String(offset + index).padStart(6)}\t${showLine(line)}`;
    characters += text.length + 1;
    if (characters > MAX_CHARACTERS && index > 0) break;
    shown.push(text);
  }
  return {
    text: shown.join("\n"),
    last: offset - 1 + shown.length,
    total: isWhole ? total : undefined,
  };
}

interface Line {
  /** Its beginning; the whole line unless it is longer than needed. */
  head: Uint8Array;
  /** Length in bytes, without the line ending. */
  length: number;
}

interface Collector {
  take(piece: Uint8Array): void;
  /** True when all visible lines have been read. */
  isFull(): boolean;
  end(): { lines: Line[]; total: number };
}

function createCollector(offset: number, limit: number): Collector {
  const lines: Line[] = [];
  let total = 0;
  let keptBytes = 0;
  /** The line that the last piece ended in. */
  let heads: Uint8Array[] = [];
  let headBytes = 0;
  let length = 0;
  let lastByte = 0;

  const isFull = (): boolean => lines.length >= limit || keptBytes > 4 * MAX_CHARACTERS;
  const isWanted = (): boolean => total + 1 >= offset && !isFull();
  const extend = (part: Uint8Array): void => {
    if (part.length === 0) return;
    length += part.length;
    lastByte = part.at(-1)!;
    if (headBytes >= MAX_LINE_BYTES || !isWanted()) return;
    // A copy, so that a few bytes don't hold a whole piece in memory.
    const head = part.slice(0, MAX_LINE_BYTES - headBytes);
    heads.push(head);
    headBytes += head.length;
  };
  const endLine = (): void => {
    if (isWanted()) {
      const visible = lastByte === CARRIAGE_RETURN && length > 0 ? length - 1 : length;
      const head = join(heads).subarray(0, visible);
      lines.push({ head, length: visible });
      keptBytes += head.length;
    }
    total += 1;
    heads = [];
    headBytes = length = lastByte = 0;
  };
  return {
    isFull,
    take(piece) {
      let start = 0;
      for (let feed = piece.indexOf(LINE_FEED); feed !== -1;) {
        extend(piece.subarray(start, feed));
        endLine();
        start = feed + 1;
        feed = piece.indexOf(LINE_FEED, start);
      }
      extend(piece.subarray(start));
    },
    end() {
      if (length > 0) endLine();
      return { lines, total };
    },
  };
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function showLine({ head, length }: Line): string {
  const decoded = utf8.decode(head);
  if (decoded.length <= MAX_LINE_LENGTH) return decoded;
  const shown = cutEnd(decoded, MAX_LINE_LENGTH);
  const left = length - new TextEncoder().encode(shown).length;
  return `${shown} [… ${count(left)} more bytes]`;
}
