import { ValidationError } from "../errors.ts";
import type { HookExecutors, HookTypeExecutor } from "./executor.ts";

/**
 * Executors by hook type. In a map or a record, the key is the type.
 * @throws {ValidationError} for an invalid executor
 */
export function readExecutors(
  executors: HookExecutors = [],
): ReadonlyMap<string, HookTypeExecutor> {
  return new Map(entriesOf(executors).map(requireExecutor));
}

function entriesOf(executors: HookExecutors): [type: unknown, executor: unknown][] {
  if (executors instanceof Map) return [...executors];
  if (!isIterable(executors)) return Object.entries(executors);
  return Array.from(executors, (executor: { type?: unknown } | undefined) => [
    executor?.type,
    executor,
  ]);
}

function isIterable(executors: HookExecutors): executors is Iterable<HookTypeExecutor> {
  return Symbol.iterator in executors;
}

function requireExecutor([type, executor]: [type: unknown, executor: unknown]): [
  string,
  HookTypeExecutor,
] {
  if (typeof type === "string" && type !== "" && canExecute(executor)) return [type, executor];
  throw new ValidationError(`The executor of hooks ${JSON.stringify(type)} can't be used`, {
    hint: "Give { type, execute(hook, input, context) }, in a list, or in a map or a record by type.",
  });
}

function canExecute(value: unknown): value is HookTypeExecutor {
  return (
    typeof value === "object" &&
    value !== null &&
    "execute" in value &&
    typeof value.execute === "function"
  );
}
