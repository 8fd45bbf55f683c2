import type { Hono } from "hono";
import type { SessionEnvironment } from "./session-routes.ts";

/** The methods that an app serves a path with, as an `Allow` header lists them; none for a path that it does not know. */
export function methodsOf(app: Hono<SessionEnvironment>, path: string): string[] {
  const methods = app.routes
    // The others are no routes but what stands before them.
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
