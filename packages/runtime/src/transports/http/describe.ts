import type { JsonObject } from "../../messages/message.ts";
import { component } from "./answer-schema.ts";
import { componentSchemas } from "./components.ts";
import { operations } from "./operations.ts";
import type { Operation } from "./operations/operation.ts";

/** The OpenAPI 3.1 document of the routes. */
export async function openApiDocument(): Promise<JsonObject> {
  const schemas = await loadBodySchemas();
  const paths: Record<string, JsonObject> = {};
  for (const [operationId, operation] of Object.entries<Operation>(operations)) {
    const path = openApiPath(operation.path);
    const item = (paths[path] ??= {});
    item[operation.method.toLowerCase()] = describeOperation(
      operationId,
      operation,
      schemas[operationId],
    );
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Robota sessions",
      version: "1",
      description: "Agent sessions over HTTP. Errors are application/problem+json.",
    },
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        ticket: { type: "apiKey", in: "query", name: "ticket", description: "Of POST tickets." },
      },
      schemas: componentSchemas(),
    },
    paths,
  };
}

/** The routes in words, for a language model that has to use them. */
export async function llmsText(): Promise<string> {
  const schemas = await loadBodySchemas();
  const lines = Object.entries<Operation>(operations).map(
    ([id, { method, path, summary, body }]) => {
      const form = body ? ` Body: ${JSON.stringify(schemas[id])}` : "";
      return `- ${method} ${openApiPath(path)}: ${summary}.${form}`;
    },
  );
  return [
    "# Robota sessions",
    "",
    "> Agent sessions over HTTP. Send `Authorization: Bearer <token>`. Errors are application/problem+json with `code` and `hint`.",
    "",
    "A turn: make a session, POST a message with `Accept: text/event-stream`, and when a `permission_request` event comes,",
    "POST the answer to the session's permissions. A broken stream resumes with `Last-Event-ID`; the turn never stopped.",
    "",
    "## Routes",
    "",
    ...lines,
    "",
  ].join("\n");
}

async function loadBodySchemas(): Promise<Readonly<Record<string, JsonObject>>> {
  const { bodySchemas } = await import("./body/json-schemas.ts");
  return bodySchemas();
}

function describeOperation(
  operationId: string,
  operation: Operation,
  schema: JsonObject = {},
): JsonObject {
  const { summary, body, responses, scope } = operation;
  const isPublic = scope === "public";
  const described: JsonObject = {
    operationId,
    summary,
    parameters: [
      ...pathParameters(operation.path),
      ...(operation.parameters ?? []).map((parameter): JsonObject => ({ ...parameter })),
    ],
    responses: Object.fromEntries([
      ...(isPublic
        ? []
        : [
            ["401", problemResponse("The bearer token is missing or unknown.")],
            ["429", problemResponse("A limit is reached; Retry-After says when to try again.")],
            ["403", problemResponse(`The token lacks the scope ${scopesOf(operation)}.`)],
          ]),
      ...Object.entries(responses).map(([status, response]) => [
        status,
        describeResponse(Number(status), response),
      ]),
      ...(body || operation.bodyType
        ? [["408", problemResponse("The body stopped arriving.")]]
        : []),
      ["default", problemResponse("The error.")],
    ]) as JsonObject,
    security: securityOf(operation),
  };
  if (body) {
    described["requestBody"] = {
      required: !body.optional,
      content: { "application/json": { schema } },
    };
  }
  if (operation.bodyType) {
    described["requestBody"] = {
      required: true,
      content: { [operation.bodyType]: { schema: { type: "string" } } },
    };
  }
  return described;
}

/** Alternatives, each with the scope that it has to have. */
function securityOf({ scope, takesTicket }: Operation): JsonObject[] {
  if (scope === "public") return [];
  return [{ bearer: [scope] }, ...(takesTicket ? [{ ticket: [scope] }] : [])];
}

/** The scope of an operation in words, with those of its fields. */
function scopesOf({ scope, fieldScopes = {} }: Operation): string {
  const fields = Object.entries(fieldScopes).map(([name, needed]) => `${needed} for ${name}`);
  return [scope, ...fields].join(", ");
}

function describeResponse(
  status: number,
  { description, schema, type }: Operation["responses"][number],
): JsonObject {
  if (status >= 400) return problemResponse(description);
  if (schema) return { description, content: { [type ?? "application/json"]: { schema } } };
  if (type) return { description, content: { [type]: { schema: { type: "string" } } } };
  return { description };
}

function problemResponse(description: string): JsonObject {
  const schema = component("Problem");
  return { description, content: { "application/problem+json": { schema } } };
}

function pathParameters(path: string): JsonObject[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
  return names.map((name) => ({
    name,
    in: "path",
    required: true,
    // A path in the workspace, its slashes as they are.
    schema:
      name === "path" ? { type: "string" } : { type: "string", pattern: "^[A-Za-z0-9_-]{1,64}$" },
  }));
}

function openApiPath(path: string): string {
  return path.replaceAll(/:(\w+)(?:\{\.\+\})?/g, "{$1}");
}
