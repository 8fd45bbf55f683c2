import { ConfigurationError, errorMessage } from "../errors.ts";
import type { JsonObject } from "../messages/message.ts";
import { pointerStep } from "../messages/strict-json.ts";

/**
 * The part of the Standard Schema and Standard JSON Schema interfaces that is needed here (standardschema.dev). zod from
 * 4.2 has both, and so have other validation libraries; none of them is imported.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * The JSON Schema of the input of `schema`, which must be an object. `subject` names it in messages: "The schema of …".
 * @throws {ConfigurationError} when it has no such form
 */
export function objectSchemaOf(
  subject: string,
  schema: StandardSchema,
  hints: { convert: string; wrap: string },
): JsonObject {
  if (!hasJsonSchema(schema)) {
    throw new ConfigurationError(`${subject} has no JSON Schema form`, { hint: hints.convert });
  }
  let written: Record<string, unknown>;
  try {
    written = schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  } catch (cause) {
    throw new ConfigurationError(
      `${subject} can't be turned into JSON Schema: ${errorMessage(cause)}`,
      { cause, hint: hints.convert },
    );
  }
  if (written.type !== "object")
    throw new ConfigurationError(`${subject} does not describe an object.`, { hint: hints.wrap });
  // The dialect is the same for every schema, so it would only cost tokens.
  const { $schema: _, ...rest } = written;
  return rest as JsonObject;
}

/** False for zod before 4.2, which a program without type checks may pass. */
function hasJsonSchema(schema: Partial<StandardSchema> | undefined): boolean {
  const standard: Partial<StandardSchema["~standard"]> | undefined = schema?.["~standard"];
  return typeof standard?.jsonSchema?.input === "function";
}

/** A problem of a value, with its path. */
export function describeIssue({ message, path = [] }: SchemaIssue): string {
  const place = path.map((part) => pointerStep(typeof part === "object" ? part.key : part));
  return `${place.join("") || "/"}: ${message}`;
}
