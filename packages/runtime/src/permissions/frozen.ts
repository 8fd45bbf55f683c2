import type { ToolArgs } from "../messages/message.ts";

/** A deeply frozen copy, so that the judged arguments are the ones that run. */
export function frozenArgs(args: ToolArgs): ToolArgs {
  return Object.freeze(
    Object.fromEntries(Object.entries(args).map(([key, value]) => [key, frozen(value)])),
  );
}

function frozen(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(frozen));
  if (typeof value !== "object" || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects other than plain data come from the tool's own check, and stay unchanged.
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, frozen(inner)])),
  );
}
