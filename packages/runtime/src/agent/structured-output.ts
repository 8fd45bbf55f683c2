import { errorMessage } from "../errors.ts";
import type { JsonObject, JsonValue } from "../messages/message.ts";
import type { ChatOptions } from "../providers/provider.ts";
import { describeIssue, objectSchemaOf, type StandardSchema } from "../tools/standard-schema.ts";
import type { LoopResult } from "./loop.ts";
import { ResponseFormatError } from "./response-format-error.ts";

const DEFAULT_NAME = "response";
/** Keywords of JSON Schema whose value is a schema, or a list of them. */
const SUBSCHEMAS = ["items", "prefixItems", "anyOf", "oneOf", "additionalProperties"];
/** Keywords whose value has a schema under each name. */
const NAMED_SUBSCHEMAS = ["properties", "$defs"];

/**
 * The schema of the final answer: an object schema of zod (4.2 or later) or any other with the Standard JSON Schema
 * interface.
 */
export type ResponseSchema<Output> = StandardSchema<unknown, Output>;

/** A schema, optionally with the name that the provider gets; `response` when omitted. */
export type ResponseFormat<Output> =
  | ResponseSchema<Output>
  | { name?: string; schema: ResponseSchema<Output> };

type Verdict<Output> = { output: Output } | { problems: readonly string[] };

/** Checks the final answers of one run, and lets the model correct itself once. */
export class ResponseCheck<Output> {
  /** The format in the provider's terms. */
  readonly format: NonNullable<ChatOptions["responseFormat"]>;
  readonly #schema: ResponseSchema<Output>;
  #checked: { text: string; verdict: Verdict<Output> } | undefined;
  #hasRevised = false;

  /** @throws {ConfigurationError} when the schema has no JSON Schema form, or none of an object */
  constructor(responseFormat: ResponseFormat<Output>) {
    const { name = DEFAULT_NAME, schema } =
      "~standard" in responseFormat ? { schema: responseFormat } : responseFormat;
    this.#schema = schema;
    const written = objectSchemaOf(`The response format ${name}`, schema, {
      convert: "Use zod 4.2 or later without transforms on the input side.",
      wrap: "Providers answer with an object: wrap the schema, as in z.object({ value: … }).",
    });
    this.format = { name, schema: closed(written) as JsonObject };
  }

  /** The request to append when the last answer was not in the format. */
  get finalRequest(): string | undefined {
    const verdict = this.#checked?.verdict;
    return verdict && "problems" in verdict ? revisionRequest(verdict.problems) : undefined;
  }

  /** Returns the revision request for this answer; `undefined` when the answer is valid or was revised once. */
  async reviseAnswer(text: string): Promise<string | undefined> {
    if (this.#hasRevised) return undefined;
    await this.#check(text);
    this.#hasRevised = this.finalRequest !== undefined;
    return this.finalRequest;
  }

  /** Adds the output to the result, or the error that it has none. A failed or interrupted result is unchanged. */
  async finish(result: LoopResult): Promise<LoopResult & { output?: Output }> {
    if (result.error !== undefined || result.interrupted) return result;
    const verdict = await this.#check(result.text);
    return "output" in verdict
      ? { ...result, output: verdict.output }
      : { ...result, error: new ResponseFormatError(verdict.problems) };
  }

  /** The output of an answer. @throws {ResponseFormatError} when it is not in the format */
  async require(text: string): Promise<Output> {
    const verdict = await this.#check(text);
    if ("output" in verdict) return verdict.output;
    throw new ResponseFormatError(verdict.problems);
  }

  async #check(text: string): Promise<Verdict<Output>> {
    if (this.#checked?.text === text) return this.#checked.verdict;
    const verdict = await checkAnswer(this.#schema, this.format.schema, text);
    this.#checked = { text, verdict };
    return verdict;
  }
}

async function checkAnswer<Output>(
  schema: ResponseSchema<Output>,
  format: JsonObject,
  text: string,
): Promise<Verdict<Output>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problems: [`/: the answer is not valid JSON: ${errorMessage(error)}`] };
  }
  let result = await schema["~standard"].validate(value);
  if (result.issues) {
    const left = withoutNulls(value, format, format);
    if (left !== value) result = await schema["~standard"].validate(left);
  }
  if (!result.issues) return { output: result.value };
  return {
    problems: result.issues.map(describeIssue),
  };
}

/**
 * The value without properties that are null and may be left out: a provider that makes a model write every property has
 * no other way to say that one is not there. Itself when it has none.
 */
function withoutNulls(value: unknown, schema: unknown, root: JsonObject): unknown {
  const { properties, required, items, $ref } = resolved(schema, root);
  if (typeof $ref === "string") return value;
  if (Array.isArray(value)) {
    const list = value.map((item: unknown) => withoutNulls(item, items, root));
    return list.some((item, index) => item !== value[index]) ? list : value;
  }
  if (!isRecord(value) || !isRecord(properties)) return value;
  const needed = Array.isArray(required) ? required : [];
  let isSame = true;
  const kept = Object.entries(value).flatMap(([name, given]) => {
    const left = withoutNulls(given, properties[name], root);
    const isLeftOut = left === null && Object.hasOwn(properties, name) && !needed.includes(name);
    isSame &&= left === given && !isLeftOut;
    return isLeftOut ? [] : [[name, left] as const];
  });
  return isSame ? value : Object.fromEntries(kept);
}

/** The schema that a reference within `root` leads to. */
function resolved(schema: unknown, root: JsonObject): Record<string, unknown> {
  let found: unknown = schema;
  // References that lead in circles are left alone.
  for (let steps = 0; isRecord(found) && typeof found["$ref"] === "string" && steps < 10; steps++) {
    const path = found["$ref"].startsWith("#") ? found["$ref"].slice(1) : "";
    let target: unknown = root;
    for (const part of path.split("/").slice(1)) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      target = isRecord(target) ? target[key] : undefined;
    }
    found = target;
  }
  return isRecord(found) ? found : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function revisionRequest(problems: readonly string[]): string {
  const list = problems.map((problem) => `- ${problem}`).join("\n");
  return `Your answer does not have the required form:\n${list}\nAnswer again with the corrected JSON and nothing else.`;
}

/**
 * The schema with `additionalProperties: false` where unspecified, as providers require. An `allOf` stays open: each of
 * its parts would exclude the properties of the others.
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
