/**
 * Makes each loop of a compiled module count its iterations, and periodically ask its host whether to continue. Then no
 * computation can block the host: no search through an array of 2^53 missing elements, no regular expression, no sort.
 *
 * The count is shared by all loops. The host is called with a 1 in place of a runtime, which is a larger number. To end
 * the loop, the host throws, since a loop of compiled code has no other way out; the module can't be used afterwards.
 * The response 2 asks for a pause, as everywhere in QuickJS here.
 */
import { numberAt, numberBytes } from "./wasm-parts.ts";

/** Iterations between two checks: about a millisecond of interpreting, a few of searching missing elements. */
const ROUNDS = 200_000;

interface Questions {
  /** Index of the global that counts down. */
  counter: number;
  /** Indices of the functions that ask and that wait. */
  asks: number;
  waits: number;
}

/** Adds a global to the section, for the remaining iterations. */
export function withCounter(section: Uint8Array): { globals: Uint8Array; counter: number } {
  const [count, first] = numberAt(section, 0);
  // A mutable 32-bit integer; its value; the end.
  const added = [0x7f, 1, 0x41, ...signedBytes(ROUNDS), 0x0b];
  const globals = Buffer.concat([
    Uint8Array.from(numberBytes(count + 1)),
    section.subarray(first),
    Uint8Array.from(added),
  ]);
  return { globals, counter: count };
}

/** Adds the check to the start of each iteration of each loop in a function body. */
export function withAskingLoops(body: Uint8Array, questions: Questions): Uint8Array {
  const question = Uint8Array.from(questionOf(questions));
  const parts: Uint8Array[] = [];
  let copied = 0;
  let at = afterLocals(body);
  while (at < body.length) {
    const isLoop = body[at] === LOOP;
    at = afterInstruction(body, at);
    if (!isLoop) continue;
    parts.push(body.subarray(copied, at), question);
    copied = at;
  }
  parts.push(body.subarray(copied));
  return Buffer.concat(parts);
}

function questionOf({ counter, asks, waits }: Questions): number[] {
  const get = [0x23, ...numberBytes(counter)];
  const set = [0x24, ...numberBytes(counter)];
  const takeOne = [...get, 0x41, 1, 0x6b, ...set];
  const startAgain = [0x41, ...signedBytes(ROUNDS), ...set];
  const ask = [0x41, 1, 0x10, ...numberBytes(asks)];
  const wait = [0x41, 0, 0x41, 0, 0x41, 0, 0x10, ...numberBytes(waits), 0x1a];
  const waitIfAnsweredTwo = [0x41, 2, 0x46, 0x04, 0x40, ...wait, 0x0b];
  return [...takeOne, ...get, 0x45, 0x04, 0x40, ...startAgain, ...ask, ...waitIfAnsweredTwo, 0x0b];
}

const LOOP = 0x03;
/** Instructions by number of integer operands; all others, except for those below, have none. */
const ONE = new Set([0x02, 0x03, 0x04, 0x0c, 0x0d, 0x10, 0x12, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2]);
const TWO = new Set([0x11, 0x13]);
const BRANCH_TABLE = 0x0e;
const TYPED_SELECT = 0x1c;
const [FLOAT, DOUBLE] = [0x43, 0x44];
/** Prefix of extended instructions: the number of integers that follow each opcode. */
const EXTENDED = 0xfc;
const EXTENDED_INTEGERS = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];

function afterInstruction(bytes: Uint8Array, at: number): number {
  const code = bytes[at] ?? 0;
  const next = at + 1;
  if (ONE.has(code)) return afterIntegers(bytes, next, 1);
  if (TWO.has(code)) return afterIntegers(bytes, next, 2);
  // Variables and tables; loads and stores.
  if (code >= 0x20 && code <= 0x26) return afterIntegers(bytes, next, 1);
  if (code >= 0x28 && code <= 0x3e) return afterIntegers(bytes, next, 2);
  if (code === FLOAT) return next + 4;
  if (code === DOUBLE) return next + 8;
  if (code === BRANCH_TABLE || code === TYPED_SELECT) {
    const [count, first] = numberAt(bytes, next);
    return afterIntegers(bytes, first, code === BRANCH_TABLE ? count + 1 : count);
  }
  if (code === EXTENDED) {
    const [number, first] = numberAt(bytes, next);
    const integers = EXTENDED_INTEGERS[number];
    if (integers === undefined) throw new Error(`an unknown instruction: 0xfc ${number}`);
    return afterIntegers(bytes, first, integers);
  }
  const isPlain = code <= 0x01 || code === 0x05 || code === 0x0b || code === 0x0f;
  if (!isPlain && code !== 0x1a && code !== 0x1b && code !== 0xd1 && (code < 0x45 || code > 0xc4))
    throw new Error(`an unknown instruction: 0x${code.toString(16)}`);
  return next;
}

function afterIntegers(bytes: Uint8Array, at: number, count: number): number {
  for (let left = count; left > 0; left--) {
    while ((bytes[at] ?? 0) >= 0x80) at += 1;
    at += 1;
  }
  return at;
}

function afterLocals(body: Uint8Array): number {
  const [groups, first] = numberAt(body, 0);
  // Local declarations: each is a count and a type.
  return afterIntegers(body, first, groups * 2);
}

function signedBytes(value: number): number[] {
  const low = value & 0x7f;
  const rest = value >> 7;
  const isLast = rest === 0 && (low & 0x40) === 0;
  return isLast ? [low] : [low | 0x80, ...signedBytes(rest)];
}
