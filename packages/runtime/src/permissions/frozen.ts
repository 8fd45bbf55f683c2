import type { ToolArgs } from "../messages/message.ts";

/** A copy that nobody can change any more, so that what was looked at is what runs. */
export function frozenArgs(args: ToolArgs): ToolArgs {
  return Object.freeze(
    Object.fromEntries(Object.entries(args).map(([key, value]) => [key, frozen(value)])),
  );
}

function frozen(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(frozen));
  if (typeof value !== "object" || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Anything but plain data is made by the tool's own check, and stays as it is.
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, frozen(inner)])),
  );
}
