import { RobotaError } from "../errors.ts";

/** The final answer, after one repair, is not JSON or does not follow the schema. */
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
