import type { Hono } from "hono";
import { matchesPath } from "./principal/operation-of.ts";
import type { SessionEnvironment } from "./session-environment.ts";

/** The methods an app serves on a path, for an `Allow` header; empty for an unknown path. */
export function methodsOf(app: Hono<SessionEnvironment>, path: string): string[] {
  const methods = app.routes
    // `ALL` marks middleware, not routes.
    .filter(({ method, path: pattern }) => method !== "ALL" && matchesPath(pattern, path))
    // Hono answers HEAD wherever it answers GET.
    .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...new Set(methods)].toSorted();
}
