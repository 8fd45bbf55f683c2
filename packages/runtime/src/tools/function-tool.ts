import { ConfigurationError, errorMessage } from "../errors.ts";
import type { JsonObject, JsonValue, ToolArgs } from "../messages/message.ts";
import type { Tool, ToolContext, ToolResult, Validation } from "./tool.ts";

/** What a tool's function may return: text, any other JSON (shown to the model as JSON), or a full result. */
export type FunctionToolOutput = string | ToolResult | JsonValue | undefined;

/** The work of a tool. What it throws becomes the call's failed result. */
export type ToolFunction<Args> = (
  args: Args,
  context: ToolContext,
) => Promise<FunctionToolOutput> | FunctionToolOutput;

/** A tool made of a description and a function. */
export class FunctionTool<Args extends ToolArgs = ToolArgs> implements Tool<Args> {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly #run: ToolFunction<Args>;

  constructor(schema: Pick<Tool, "name" | "description" | "parameters">, run: ToolFunction<Args>) {
    this.name = schema.name;
    this.description = schema.description;
    this.parameters = schema.parameters;
    this.#run = run;
  }

  async execute(args: Args, context: ToolContext): Promise<ToolResult> {
    return toToolResult(await this.#run(args, context));
  }
}

/** A tool from a function and the JSON Schema of its arguments, which are checked before the function sees them. */
export function createFunctionTool<Args extends ToolArgs = ToolArgs>(
  name: string,
  description: string,
  parameters: JsonObject,
  run: ToolFunction<Args>,
): FunctionTool<Args> {
  return new FunctionTool({ name, description, parameters }, run);
}

/**
 * The part of the Standard Schema and Standard JSON Schema interfaces that a tool needs (standardschema.dev). zod from
 * 4.2 has both, and so have other validation libraries; none of them is imported here.
 */
export interface ArgumentsSchema<Input = unknown, Output = Input> {
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

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * A tool whose arguments are described by a zod schema (or any other with the interfaces above). The function gets what
 * the schema made of the arguments: defaults filled in, transforms applied.
 * @throws {ConfigurationError} when the schema has no JSON Schema form, or none of an object
 */
export function createZodFunctionTool<Output>(
  name: string,
  description: string,
  schema: ArgumentsSchema<unknown, Output>,
  run: ToolFunction<Output>,
): Tool {
  const parameters = jsonSchemaOf(name, schema);
  return {
    name,
    description,
    parameters,
    async validate(args): Promise<Validation<ToolArgs>> {
      const result = await schema["~standard"].validate(args);
      if (result.issues) return { ok: false, problems: result.issues.map(describeIssue) };
      return { ok: true, args: result.value as ToolArgs };
    },
    async execute(args, context): Promise<ToolResult> {
      return toToolResult(await run(args as Output, context));
    },
  };
}

function jsonSchemaOf(tool: string, schema: ArgumentsSchema): JsonObject {
  let parameters: Record<string, unknown>;
  try {
    parameters = schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  } catch (cause) {
    throw new ConfigurationError(
      `The schema of tool ${tool} can't be turned into JSON Schema: ${errorMessage(cause)}`,
      {
        cause,
        hint: "Use zod 4.2 or later without transforms on the input side, or createFunctionTool with a JSON Schema.",
      },
    );
  }
  if (parameters.type !== "object") {
    throw new ConfigurationError(`The schema of tool ${tool} does not describe an object.`, {
      hint: "The arguments of a tool are an object: wrap the schema, as in z.object({ value: … }).",
    });
  }
  // The dialect is the same for every tool, so it would only cost tokens.
  const { $schema: _, ...rest } = parameters;
  return rest as JsonObject;
}

function describeIssue({ message, path = [] }: SchemaIssue): string {
  const place = path.map((part) => `/${String(typeof part === "object" ? part.key : part)}`);
  return `${place.join("") || "/"}: ${message}`;
}

function toToolResult(output: FunctionToolOutput): ToolResult {
  if (typeof output === "string") return { success: true, output };
  if (output === undefined) return { success: true, output: "" };
  if (isToolResult(output)) return output;
  return { success: true, output: JSON.stringify(output) };
}

function isToolResult(output: NonNullable<FunctionToolOutput> | null): output is ToolResult {
  return (
    typeof output === "object" &&
    output !== null &&
    "success" in output &&
    typeof output.success === "boolean" &&
    "output" in output
  );
}
