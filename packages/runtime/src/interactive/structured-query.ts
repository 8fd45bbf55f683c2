import { ResponseCheck, type ResponseFormat } from "../agent/structured-output.ts";
import type { JsonObject } from "../messages/message.ts";
import type { ChatOptions, Provider } from "../providers/provider.ts";
import { withOptions } from "../providers/with-model.ts";
import { validateArgs } from "../tools/validate-args.ts";

/** A schema of zod or another library, or a JSON Schema of an object. */
export type QueryFormat<Output> = ResponseFormat<Output> | JsonObject;

/** The check of a query's answers. */
export function checkFor<Output>(format: QueryFormat<Output>): ResponseCheck<Output> {
  return new ResponseCheck(isJsonSchema(format) ? standardSchemaOf(format) : format);
}

/** The provider, asked for answers in this format. Calls of another purpose, such as for a summary, are unchanged. */
export function answeringIn(
  provider: Provider,
  responseFormat: NonNullable<ChatOptions["responseFormat"]>,
): Provider {
  return withOptions(provider, (options) =>
    options.tools ? { ...options, responseFormat } : options,
  );
}

/** JSON Schema names the type of its root, which no schema of a library does. */
function isJsonSchema<Output>(format: QueryFormat<Output>): format is JsonObject {
  return !("~standard" in format) && "type" in format;
}

function standardSchemaOf<Output>(schema: JsonObject): ResponseFormat<Output> {
  return {
    "~standard": {
      version: 1,
      vendor: "json-schema",
      async validate(value) {
        if (!isObject(value)) return { issues: [{ message: "is not an object" }] };
        const checked = await validateArgs({ parameters: schema }, value);
        // A value without problems is one that the schema describes, which is all that its caller claims.
        if (checked.ok) return { value: value as Output };
        return { issues: checked.problems.map(issueOf) };
      },
      jsonSchema: { input: () => schema },
    },
  };
}

/** `/files/0: required` as its path and its message. */
function issueOf(problem: string): { message: string; path: string[] } {
  const end = problem.indexOf(": ");
  return {
    path: problem.slice(1, end).split("/").filter(Boolean),
    message: problem.slice(end + 2),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
