import { errorMessage } from "../errors.ts";

/** One promise of a port, runnable by any test runner on any host. */
export interface ContractCase {
  name: string;
  /** Moves a lot of data or many entries: give it more time than others, or leave it out of a quick run. */
  slow?: boolean;
  run(): Promise<void>;
}

/** Promises of a port by their names, each with the test of it on a fresh subject. */
export type CaseTable<Subject> = Record<string, (subject: Subject) => Promise<void>>;

/** Gives each test of `table` a subject of its own, which is disposed at the end when it can be. */
export function contractCases<Subject extends object>(
  table: CaseTable<Subject>,
  create: () => Subject | Promise<Subject>,
  options: { slow?: boolean } = {},
): ContractCase[] {
  return Object.entries(table).map(([name, test]) => ({
    name,
    ...options,
    async run() {
      const subject: Subject & Partial<AsyncDisposable> = await create();
      try {
        await test(subject);
      } finally {
        await subject[Symbol.asyncDispose]?.();
      }
    },
  }));
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** Compares as JSON, so for plain data only; bytes go to `assertBytes`. */
export function assertEqual(actual: unknown, expected: unknown, what = "value"): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  assert(got === wanted, `${what}: expected ${wanted}, got ${got}`);
}

/** Compares byte by byte; a text stands for its UTF-8. Large values are reported by their first difference. */
export function assertBytes(
  actual: Uint8Array | undefined,
  expected: Uint8Array | string,
  what = "bytes",
): void {
  assert(actual instanceof Uint8Array, `${what}: expected bytes, got ${typeof actual}`);
  const wanted = toBytes(expected);
  assert(
    actual.length === wanted.length,
    `${what}: expected ${wanted.length} bytes, got ${actual.length}`,
  );
  const at = firstDifference(actual, wanted);
  assert(at < 0, `${what}: byte ${at} should be ${wanted[at]}, is ${actual[at]}`);
}

/** A loop, because a callback for each byte of a large file takes long. */
function firstDifference(one: Uint8Array, other: Uint8Array): number {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return at;
  return -1;
}

/** Fails unless `operation` rejects with an error of that `code` (and of that `name`, when given). */
export async function assertRejects(
  operation: Promise<unknown>,
  code: string,
  name?: string,
): Promise<void> {
  const [result] = await Promise.allSettled([operation]);
  assert(result.status === "rejected", `expected ${code}, but it resolved`);
  const actual = codeOf(result.reason);
  assert(actual === code, `expected ${code}, got ${actual}: ${errorMessage(result.reason)}`);
  if (!name) return;
  const actualName = result.reason instanceof Error ? result.reason.name : "something else";
  assert(actualName === name, `expected a ${name}, got ${actualName}`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "no code";
}

export function toBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}

/** `length` bytes that repeat with a period no block size divides, so that a swapped or lost block shows. */
export function patternBytes(length: number, seed = 0): Uint8Array {
  const bytes = new Uint8Array(length);
  const period = Math.min(251, length);
  for (let index = 0; index < period; index++) bytes[index] = (index + seed) % 251;
  for (let done = period; done < length; done *= 2) bytes.copyWithin(done, 0, done);
  return bytes;
}

/** All 256 byte values, including newlines, NUL and invalid UTF-8. */
export function allBytes(): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, index) => index);
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Reports whether `operation` is still pending after a moment in which it could have settled. */
export async function isPending(operation: Promise<unknown>, milliseconds = 60): Promise<boolean> {
  const pending = delay(milliseconds).then(() => true);
  return Promise.race([pending, operation.then(() => false)]);
}

/** Settles all operations and counts the successes and the error codes. */
export async function outcomes<T>(
  operations: readonly Promise<T>[],
): Promise<{ values: T[]; codes: string[] }> {
  const settled = await Promise.allSettled(operations);
  const values: T[] = [];
  const codes: string[] = [];
  for (const result of settled) {
    if (result.status === "fulfilled") values.push(result.value);
    else codes.push(codeOf(result.reason));
  }
  return { values, codes };
}
