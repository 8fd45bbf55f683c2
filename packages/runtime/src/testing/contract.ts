/** One promise that a port makes, runnable by any test runner on any host. */
export interface ContractCase {
  name: string;
  run(): Promise<void>;
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

export function assertEqual(actual: unknown, expected: unknown, what = "value"): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  assert(got === wanted, `${what}: expected ${wanted}, got ${got}`);
}

/** Fails unless `operation` rejects with an error of that `code`. */
export async function assertRejects(operation: Promise<unknown>, code: string): Promise<void> {
  const error = await operation.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert(error !== undefined, `expected ${code}, but it resolved`);
  const actual = (error as { code?: unknown }).code;
  assert(actual === code, `expected ${code}, got ${String(actual)}: ${String(error)}`);
}
