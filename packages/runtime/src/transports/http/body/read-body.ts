import type { ZodMiniType } from "../../../zod.ts";
import { jsonDepth } from "../../../messages/json-depth.ts";
import type { BodyLimits } from "./body-limits.ts";
import { bodyChunks } from "./chunks.ts";
import { HttpProblem } from "../problem.ts";

/** The definition of a body. */
export interface BodyDefinition<Body> {
  /** Loads the schema. */
  load: () => Promise<ZodMiniType<Body>>;
  /** True when the body may be missing, which then counts as `{}`. */
  optional?: boolean;
}

/**
 * Reads the body of a request: at most `bodyBytes` as they arrive (whatever Content-Length says), strict UTF-8, JSON no
 * deeper than `jsonDepth`, valid per `definition`.
 * @throws {HttpProblem} 400, 408, 413 or 422
 */
export async function readBody<Body>(
  request: Request,
  definition: BodyDefinition<Body>,
  limits: BodyLimits,
): Promise<Body> {
  const text = decode(await readBytes(request, limits));
  const value = text.trim() === "" && definition.optional ? {} : parse(text, limits.jsonDepth);
  const [schema, { problemsOf }] = await Promise.all([definition.load(), import("./problems.ts")]);
  const problems = problemsOf(schema, value);
  if (problems.length > 0) throw invalidBody(problems);
  // The body as sent: schemas of bodies change nothing.
  return value as Body;
}

/** @param problems each with its place, such as `/text: must not be empty` */
export function invalidBody(problems: readonly string[]): HttpProblem {
  return new HttpProblem(422, "VALIDATION_ERROR", `The body is invalid: ${problems.join("; ")}`, {
    hint: "GET /openapi.json has the form of each body.",
  });
}

/** Reads a body of at most `bodyBytes`, counted as they arrive. @throws {HttpProblem} 408, 413 */
export async function readBytes(
  { body }: Request,
  { bodyBytes, bodyIdleMs }: Pick<BodyLimits, "bodyBytes" | "bodyIdleMs">,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream, so the rest of a body that is too large is not read.
  for await (const chunk of bodyChunks(body, bodyIdleMs)) {
    size += chunk.length;
    if (size > bodyBytes) {
      throw new HttpProblem(413, "BODY_TOO_LARGE", `The body is over ${bodyBytes} bytes.`, {
        hint: "Put long material into a file of the workspace and name the file.",
      });
    }
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new HttpProblem(400, "INVALID_JSON", "The body is not UTF-8.", { cause });
  }
}

function parse(text: string, maxDepth: number): unknown {
  if (jsonDepth(text) > maxDepth) {
    throw new HttpProblem(
      400,
      "JSON_TOO_DEEP",
      `The body is nested deeper than ${maxDepth} levels.`,
    );
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HttpProblem(400, "INVALID_JSON", "The body is not valid JSON.", {
      hint: 'Send a JSON object, such as {"text": "Hello"}.',
      cause,
    });
  }
}
