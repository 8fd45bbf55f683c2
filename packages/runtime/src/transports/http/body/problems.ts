import * as z from "../../../zod.ts";

/** Lists a value's problems, each with its place, such as `/decision: must be one of allow, deny`. */
export function problemsOf(schema: z.ZodMiniType, value: unknown): string[] {
  const { error } = z.safeParse(schema, value, { error: words });
  return (error?.issues ?? []).map(({ path, message }) => `/${path.join("/")}: ${message}`);
}

/** Puts an issue into words. zod's own come with a locale that would be set for the whole program. */
function words(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "required" : `must be of type ${issue.expected}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "unrecognized_keys":
      return `unknown property ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
    case "too_small":
      return issue.origin === "number" ? `must be at least ${issue.minimum}` : "must not be empty";
    default:
      return "does not have a known form";
  }
}
