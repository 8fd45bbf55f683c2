import type { JsonObject } from "../../../messages/message.ts";
import type { BodyDefinition } from "../body/read-body.ts";
import type { Bodies } from "../body/schemas.ts";
import type { Scope } from "../principal/scopes.ts";

/**
 * The single definition of a route: the app serves it, validates bodies by it, and the OpenAPI document describes it.
 *
 * Measured against `@hono/zod-openapi` 1.6.3 and `hono-openapi` 1.3.3, in Node, workerd and Chromium: both read a body without
 * a limit of bytes, depth or silence, and take bytes that aren't UTF-8; on arrays 5,000 levels deep the latter answers 500.
 * `readBody` would stay in front of either, which leaves them to make the document: for 110 kB and 94 kB gzipped with one
 * route, of which Hono is 8, while this, zod/mini and its JSON Schemas are 19 kB beside a first load of 27.
 */
export interface Operation<Body = unknown> {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path in Hono's notation. */
  path: string;
  summary: string;
  body?: BodyDefinition<Body>;
  parameters?: Parameter[];
  /** Media type of a body that is not JSON; it is read as a stream. */
  bodyType?: string;
  /** Responses by status. Those of every operation (401, 500) are added to all of them. */
  responses: Record<number, { description: string; type?: string; schema?: JsonObject }>;
  /** The scope that a token needs; `public` needs no token. */
  scope: Scope | "public";
  /** Additional scopes for some fields of the body. */
  fieldScopes?: Readonly<Record<string, Scope>>;
  /** True when it starts a turn, which the day's tokens and money are for. */
  spends?: boolean;
  /** True when a ticket in the query is as good as a token, where browsers can send no header. */
  takesTicket?: boolean;
}

export interface Parameter {
  name: string;
  in: "query" | "header";
  description: string;
  schema: JsonObject;
}

export const array = (items: JsonObject): JsonObject => ({ type: "array", items });
/** A body by the name of its operation, loaded with the first one. */
export const body = <Name extends keyof Bodies>(
  name: Name,
  options?: { optional: boolean },
): BodyDefinition<Bodies[Name]> => ({
  load: async () => (await import("../body/schemas.ts")).BODIES[name],
  ...options,
});
export const string: JsonObject = { type: "string" };

export const eventStream = "text/event-stream";
export const profile: Parameter = {
  name: "profile",
  in: "query",
  description:
    "The protocol of an existing client, for body and events: `ai-sdk-ui` for `useChat`, `ag-ui` for AG-UI. Or as a parameter of the media type in `Accept`.",
  schema: { enum: ["ai-sdk-ui", "ag-ui"] },
};
export const ndjson = "application/x-ndjson";
export const missing = {
  404: { description: "There is no such session, or it belongs to another owner." },
};
export const refused = { 422: { description: "The body is invalid." } };
