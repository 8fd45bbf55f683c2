import { UsageError } from "./usage-error.ts";

/** @throws {UsageError} */
export function oneOf<Value extends string>(
  option: string,
  values: readonly Value[],
  given: string | undefined,
): Value | undefined {
  if (given === undefined) return undefined;
  const found = values.find((value) => value === given);
  if (found) return found;
  throw new UsageError(`${option} is one of ${values.join(", ")}, not "${given}"`);
}

/** @throws {UsageError} */
export function toCount(option: string, text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new UsageError(`${option} is a whole number above 0, not "${text}"`);
}

/** @throws {UsageError} */
export function toAmount(option: string, text: string): number {
  const amount = Number(text);
  if (text.trim() !== "" && Number.isFinite(amount) && amount > 0) return amount;
  throw new UsageError(`${option} is a number above 0, not "${text}"`);
}

/** @throws {UsageError} */
export function toPort(option: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`${option} is a number from 0 to 65535, not "${text}"`);
}
