import type { ToolArgs } from "../../messages/message.ts";

/** The arguments of a request that asks for input: a server's form, and the values so far. */
export interface Elicitation {
  message: string;
  /** JSON schemas of the fields, by name. */
  fields: Record<string, unknown>;
  /** `null` for a field without a value. */
  answer: Record<string, unknown>;
  /** Fields that need a value. */
  required: readonly string[];
  /** Faults of the last answer. */
  problems: readonly string[];
}

/** The form of a request for input of an MCP server; `undefined` for a request about a call. */
export function elicitationOf(tool: string, args: ToolArgs): Elicitation | undefined {
  const { message, fields, answer, required, problems } = args;
  if (!/^mcp__.+__elicitation$/.test(tool) || !isRecord(fields) || !isRecord(answer))
    return undefined;
  return {
    message: typeof message === "string" ? message : "",
    fields,
    answer,
    required: texts(required),
    problems: texts(problems),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
