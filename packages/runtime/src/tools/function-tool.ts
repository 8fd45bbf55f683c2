import type { JsonObject, JsonValue, ToolArgs } from "../messages/message.ts";
import { describeIssue, objectSchemaOf, type StandardSchema } from "./standard-schema.ts";
import {
  type PatternKind,
  type Tool,
  type ToolAccess,
  type ToolContext,
  type ToolFacts,
  type ToolResult,
  type Validation,
} from "./tool.ts";
import { toolFacts } from "./tool-facts.ts";
import { toToolResult } from "./tool-result.ts";

/** Return value of a tool's function: text, any other JSON (shown to the model as JSON), or a full result. */
export type FunctionToolOutput = string | ToolResult | JsonValue | undefined;

/** The function behind a tool. An exception becomes the call's failed result. */
export type ToolFunction<Args> = (
  args: Args,
  context: ToolContext,
) => Promise<FunctionToolOutput> | FunctionToolOutput;

/** A tool from a description and a function. */
export class FunctionTool<Args extends ToolArgs = ToolArgs> implements Tool<Args> {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  declare readonly access?: ToolAccess;
  declare readonly patternArgument?: string;
  declare readonly patternKind?: PatternKind;
  declare readonly startsAgents?: boolean;
  readonly #run: ToolFunction<Args>;

  constructor(
    schema: Pick<Tool, "name" | "description" | "parameters"> & ToolFacts,
    run: ToolFunction<Args>,
  ) {
    this.name = schema.name;
    this.description = schema.description;
    this.parameters = schema.parameters;
    Object.assign(this, toolFacts(schema));
    this.#run = run;
  }

  async execute(args: Args, context: ToolContext): Promise<ToolResult> {
    return toToolResult(await this.#run(args, context));
  }
}

/**
 * A tool from a function and the JSON Schema of its arguments, which are checked before the function sees them. Without
 * `facts.access` permissions treat it as unknown: each call asks.
 */
export function createFunctionTool<Args extends ToolArgs = ToolArgs>(
  name: string,
  description: string,
  parameters: JsonObject,
  run: ToolFunction<Args>,
  facts: ToolFacts = {},
): FunctionTool<Args> {
  return new FunctionTool({ name, description, parameters, ...facts }, run);
}

/**
 * A tool whose arguments are described by a zod schema (or any other `StandardSchema`). The function gets the parsed
 * arguments: defaults filled in, transforms applied.
 * @throws {ConfigurationError} when the schema has no JSON Schema form, or not that of an object
 */
export function createZodFunctionTool<Output>(
  name: string,
  description: string,
  schema: StandardSchema<unknown, Output>,
  run: ToolFunction<Output>,
  facts: ToolFacts = {},
): Tool {
  const parameters = objectSchemaOf(`The schema of tool ${name}`, schema, {
    convert:
      "Use zod 4.2 or later without transforms on the input side, or createFunctionTool with a JSON Schema.",
    wrap: "The arguments of a tool are an object: wrap the schema, as in z.object({ value: … }).",
  });
  return {
    name,
    description,
    parameters,
    ...toolFacts(facts),
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
