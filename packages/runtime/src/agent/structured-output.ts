import { ConfigurationError, errorMessage, RobotaError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../messages/message.ts";
import type { ChatOptions } from "../providers/provider.ts";
import type { ArgumentsSchema } from "../tools/function-tool.ts";
import type { LoopResult } from "./loop.ts";

const DEFAULT_NAME = "response";
/** Keywords of JSON Schema whose value is a schema, or a list of them. */
const SUBSCHEMAS = ["items", "prefixItems", "anyOf", "oneOf", "additionalProperties"];
/** Keywords whose value has a schema under each name. */
const NAMED_SUBSCHEMAS = ["properties", "$defs"];

/** What the final answer must be: an object schema of zod (4.2 or later) or any other with the Standard JSON Schema interface. */
export type ResponseSchema<Output> = ArgumentsSchema<unknown, Output>;

/** A schema, or one with the name that the provider is told; `response` when omitted. */
export type ResponseFormat<Output> =
  | ResponseSchema<Output>
  | { name?: string; schema: ResponseSchema<Output> };

/** The final answer, also a second one, is no JSON or does not follow the schema. */
export class ResponseFormatError extends RobotaError {
  override readonly name = "ResponseFormatError" as const;
  /** Each begins with its place in the answer, as a JSON pointer, or `/` for the whole. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The answer does not follow the response format: ${problems.join("; ")}`, {
      code: "RESPONSE_FORMAT",
      category: "provider",
      recoverable: true,
      hint: "The answer is in the result's text. Describe the fields in the schema, loosen it, or use a more capable model.",
    });
    this.problems = problems;
  }
}

type Verdict<Output> = { output: Output } | { problems: readonly string[] };

/** Checks the final answers of one run, and lets the model correct itself once. */
export class ResponseCheck<Output> {
  /** For the provider. */
  readonly format: NonNullable<ChatOptions["responseFormat"]>;
  readonly #schema: ResponseSchema<Output>;
  #checked: { text: string; verdict: Verdict<Output> } | undefined;
  #hasRepaired = false;

  /** @throws {ConfigurationError} when the schema has no JSON Schema form, or none of an object */
  constructor(responseFormat: ResponseFormat<Output>) {
    const { name = DEFAULT_NAME, schema } =
      "~standard" in responseFormat ? { schema: responseFormat } : responseFormat;
    this.#schema = schema;
    this.format = { name, schema: jsonSchemaOf(name, schema) };
  }

  /** What to ask the model when its last answer was not in the format. */
  get demand(): string | undefined {
    const verdict = this.#checked?.verdict;
    return verdict && "problems" in verdict ? repairRequest(verdict.problems) : undefined;
  }

  /** What to send back for this answer: nothing when it is right, or when the one repair was used up. */
  async repair(text: string): Promise<string | undefined> {
    if (this.#hasRepaired) return undefined;
    await this.#check(text);
    this.#hasRepaired = this.demand !== undefined;
    return this.demand;
  }

  /** The result with its output, or with the error that there is none. One that failed or was interrupted stays as it is. */
  async finish(result: LoopResult): Promise<LoopResult & { output?: Output }> {
    if (result.error !== undefined || result.interrupted) return result;
    const verdict = await this.#check(result.text);
    return "output" in verdict
      ? { ...result, output: verdict.output }
      : { ...result, error: new ResponseFormatError(verdict.problems) };
  }

  async #check(text: string): Promise<Verdict<Output>> {
    if (this.#checked?.text === text) return this.#checked.verdict;
    const verdict = await checkAnswer(this.#schema, text);
    this.#checked = { text, verdict };
    return verdict;
  }
}

async function checkAnswer<Output>(
  schema: ResponseSchema<Output>,
  text: string,
): Promise<Verdict<Output>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problems: [`/: the answer is no valid JSON: ${errorMessage(error)}`] };
  }
  const result = await schema["~standard"].validate(value);
  if (!result.issues) return { output: result.value };
  return {
    problems: result.issues.map(({ message, path = [] }) => {
      const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
      return `/${keys.join("/")}: ${message}`;
    }),
  };
}

function repairRequest(problems: readonly string[]): string {
  const list = problems.map((problem) => `- ${problem}`).join("\n");
  return `Your answer does not have the required form:\n${list}\nAnswer again with the corrected JSON and nothing else.`;
}

function jsonSchemaOf(name: string, schema: ResponseSchema<unknown>): JsonObject {
  let written: Record<string, unknown>;
  try {
    written = schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  } catch (cause) {
    throw new ConfigurationError(
      `The response format ${name} can't be turned into JSON Schema: ${errorMessage(cause)}`,
      { cause, hint: "Use zod 4.2 or later without transforms on the input side." },
    );
  }
  if (written.type !== "object") {
    throw new ConfigurationError(`The response format ${name} does not describe an object.`, {
      hint: "Providers answer with an object: wrap the schema, as in z.object({ value: … }).",
    });
  }
  const { $schema: _, ...rest } = written;
  return closed(rest as JsonObject) as JsonObject;
}

/**
 * The schema with `additionalProperties: false` where it says nothing of them, which providers ask for. An `allOf` stays
 * open: each of its parts would exclude what the others describe.
 */
function closed(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const result = { ...schema };
  for (const keyword of SUBSCHEMAS) {
    const part = result[keyword];
    if (part !== undefined) result[keyword] = closed(part);
  }
  for (const keyword of NAMED_SUBSCHEMAS) {
    const parts = Object.entries(result[keyword] ?? {});
    if (parts.length > 0)
      result[keyword] = Object.fromEntries(parts.map(([name, part]) => [name, closed(part)]));
  }
  if (result["type"] === "object" && result["allOf"] === undefined)
    result["additionalProperties"] ??= false;
  return result;
}
