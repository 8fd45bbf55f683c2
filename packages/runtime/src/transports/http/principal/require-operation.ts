import type { MiddlewareHandler } from "hono";
import { operationList } from "../operations.ts";
import type { Operation } from "../operations/operation.ts";
import { type HttpProblem, methodNotAllowed, noSuchRoute } from "../problem.ts";
import type { SessionEnvironment } from "../session-environment.ts";
import { matchesPath, operationOf } from "./operation-of.ts";
import { type Principal, requireScope } from "./principal.ts";

/** Lets through what the principal may do. An operation that declares no scope is served to nobody. */
export const requireOperation: MiddlewareHandler<SessionEnvironment> = async (context, next) => {
  const { method, path } = context.req;
  const operation = operationOf(method, path);
  if (!operation) throw notServed(path);
  if (operation.scope !== "public") requireScope(context.var.principal, operation.scope);
  await next();
};

/** @throws {HttpProblem} 403 for a field of the body that needs more than its operation */
export function requireFieldScopes(
  { fieldScopes = {} }: Pick<Operation, "fieldScopes">,
  body: object,
  principal: Principal,
): void {
  for (const [field, scope] of Object.entries(fieldScopes)) {
    if (Reflect.get(body, field) !== undefined) requireScope(principal, scope, `Setting ${field}`);
  }
}

function notServed(path: string): HttpProblem {
  const methods = operationList
    .filter((operation) => matchesPath(operation.path, path))
    .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  if (methods.length > 0) return methodNotAllowed([...new Set(methods)].toSorted());
  return noSuchRoute();
}
