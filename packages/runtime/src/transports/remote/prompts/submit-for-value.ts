import type { QueryFormat, TurnAnswers } from "../../../interactive/structured-answers.ts";
import type { ExecutionResult } from "../../../interactive/types.ts";
import type { JsonObject } from "../../../messages/message.ts";

/**
 * Sends a prompt whose answer is a value, and reads it here: a server knows the JSON Schema, not the checks that a library
 * adds to it. `send` is called at once, so that prompts keep their order, and asks for the schema when it is that far.
 */
export async function submitForValue(
  format: QueryFormat<unknown>,
  send: (schema: () => Promise<JsonObject | undefined>) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  let answers: TurnAnswers | undefined;
  const result = await send(async () => {
    const { turnAnswers } = await import("../../../interactive/structured-answers.ts");
    answers = turnAnswers(format);
    return answers.responseFormat?.schema;
  });
  await answers?.addOutput(result);
  return result;
}
