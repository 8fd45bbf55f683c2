import type { Hono } from "hono";
import type { SessionEnvironment } from "./session-routes.ts";

/** The methods an app serves on a path, for an `Allow` header; empty for an unknown path. */
export function methodsOf(app: Hono<SessionEnvironment>, path: string): string[] {
  const methods = app.routes
    // `ALL` marks middleware, not routes.
    .filter(({ method, path: pattern }) => method !== "ALL" && matches(pattern, path))
    // Hono answers HEAD wherever it answers GET.
    .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...new Set(methods)].toSorted();
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split("/");
  const given = path.split("/");
  return (
    expected.length === given.length &&
    expected.every((part, index) =>
      part.startsWith(":") ? given[index] !== "" : part === given[index],
    )
  );
}
