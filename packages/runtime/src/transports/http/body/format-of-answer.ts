import type { JsonObject } from "../../../messages/message.ts";
import { invalidBody } from "./read-body.ts";

/** The JSON Schema in a body. @throws {HttpProblem} 422 for one that describes no answer */
export async function formatOfAnswer(given: object): Promise<JsonObject> {
  const { formatProblem } = await import("../../../interactive/structured-answers.ts");
  // A body is JSON.
  const schema = given as JsonObject;
  const problem = formatProblem(schema);
  if (problem !== undefined) throw invalidBody([`/responseFormat: ${problem}`]);
  return schema;
}
