import { operationList } from "../operations.ts";
import type { Operation } from "../operations/operation.ts";

/** The operation behind a request; `undefined` when nothing is served there. */
export function operationOf(method: string, path: string): Operation | undefined {
  // Hono answers HEAD wherever it answers GET.
  const served = method === "HEAD" ? "GET" : method;
  return operationList.find(
    (operation) => operation.method === served && matchesPath(operation.path, path),
  );
}

/** Reports whether a path is one of a pattern in Hono's notation, in which `:name{.+}` stands for the whole rest. */
export function matchesPath(pattern: string, path: string): boolean {
  const expected = pattern.split("/");
  const given = path.split("/");
  const hasRest = expected.at(-1)?.endsWith("{.+}") ?? false;
  if (hasRest ? given.length < expected.length : given.length !== expected.length) return false;
  return expected.every((part, index) =>
    part.startsWith(":") ? given[index] !== "" : part === given[index],
  );
}
