import {
  ResponseCheck,
  type ResponseFormat,
  type ResponseSchema,
} from "../agent/structured-output.ts";
import { ConfigurationError, errorFacts } from "../errors.ts";
import type { FunctionHook, HooksConfig } from "../hooks/definition.ts";
import { mergeHooks } from "../hooks/merge-hooks.ts";
import type { JsonObject } from "../messages/message.ts";
import type { AnswerFormat } from "../providers/provider.ts";
import type { SessionOptions, TurnInput } from "../session/options.ts";
import { toolProblems } from "../tools/tool-registry.ts";
import { validateArgs } from "../tools/validate-args.ts";
import type { ExecutionResult } from "./types.ts";

/** A schema of zod or another library, or a JSON Schema of an object. */
export type QueryFormat<Output> = ResponseFormat<Output> | JsonObject;

/** Options that make a session answer in a format, and the reader of its answers. */
export interface StructuredAnswers<Output> {
  /** For the session: the format for its model, and a hook through which the model may correct each answer once. */
  options: Pick<SessionOptions, "responseFormat" | "hooks">;
  /** The value of a turn's answer. @throws {ResponseFormatError} for one that is not in the format */
  outputOf: (response: string) => Promise<Output>;
}

/**
 * Answers in the form of a schema: pass `options` to a session, and each turn's answer to `outputOf`.
 * @throws {ConfigurationError} when the schema has no JSON Schema form, none of an object, or parts that are no schemas
 */
export function structuredAnswers<Output>(
  format: QueryFormat<Output>,
  hooks?: HooksConfig,
): StructuredAnswers<Output> {
  const schema = isJsonSchema(format) ? standardSchemaOf<Output>(sound(format)) : format;
  let check = new ResponseCheck(schema);
  const correct: FunctionHook<"Stop"> = {
    type: "function",
    name: "response format",
    async run({ stop_hook_active, response = "" }) {
      // Each turn has its correction.
      if (!stop_hook_active) check = new ResponseCheck(schema);
      const reason = await check.reviseAnswer(response);
      return reason === undefined ? undefined : { decision: "block", reason };
    },
  };
  return {
    options: {
      responseFormat: check.format,
      hooks: mergeHooks(hooks, { Stop: [{ hooks: [correct] }] }),
    },
    outputOf: (response) => check.require(response),
  };
}

/** For one turn: the format for its model, and the hooks through which the model may correct its answer once. */
export interface TurnAnswers extends Pick<TurnInput, "responseFormat" | "stopHooks"> {
  /** Adds the value of a complete answer to the turn's result, or the error that it has none. */
  addOutput: (result: ExecutionResult) => Promise<void>;
}

/** `structuredAnswers` for a single turn. @throws as it does */
export function turnAnswers(format: QueryFormat<unknown>): TurnAnswers {
  const { options, outputOf } = structuredAnswers(format);
  return {
    responseFormat: options.responseFormat,
    stopHooks: options.hooks?.Stop,
    async addOutput(result) {
      if (result.state !== "complete") return;
      try {
        result.output = await outputOf(result.response);
      } catch (error) {
        result.error = errorFacts(error);
      }
    },
  };
}

/** The same in the format of a stored prompt, whose own schema is gone. */
export function storedAnswers({ name, schema }: AnswerFormat): TurnAnswers {
  return turnAnswers({ name, schema: standardSchemaOf(schema) });
}

/** JSON Schema names the type of its root, which no schema of a library does. */
function isJsonSchema<Output>(format: QueryFormat<Output>): format is JsonObject {
  return !("~standard" in format) && "type" in format;
}

/** Services refuse an unsound schema in words of their own, after the first request. */
function sound(schema: JsonObject): JsonObject {
  const problem = formatProblem(schema);
  if (problem === undefined) return schema;
  throw new ConfigurationError(`The response format: ${problem}`, {
    hint: 'Give the schema of an object: {"type": "object", "properties": {…}}',
  });
}

/** The problem of a JSON Schema as the form of an answer, if it has one. */
export function formatProblem(schema: JsonObject): string | undefined {
  const [problem] = toolProblems({ name: "answer", description: "answer", parameters: schema });
  return problem?.replace("parameters", "schema");
}

function standardSchemaOf<Output>(schema: JsonObject): ResponseSchema<Output> {
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
