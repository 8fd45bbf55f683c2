import { ValidationError } from "../../errors.ts";
import type { PermissionResult } from "../../permissions/permission.ts";

/** One line of JSON from a program that drives a session. */
export type InputLine =
  | { type: "prompt"; text: string; displayText?: string }
  | { type: "permission"; requestId: string; answer: Exclude<PermissionResult, string | boolean> }
  | { type: "steer"; text: string }
  | { type: "abort" };

const HINT =
  'Write lines such as {"type":"prompt","text":"…"}, {"type":"permission","requestId":"…","decision":"allow"}, {"type":"steer","text":"…"} or {"type":"abort"}.';

/** Parses a line. @throws {ValidationError} for any other line than those of the hint */
export function readInputLine(line: string): InputLine {
  const { type, requestId, ...fields } = parsed(line);
  const { text, decision } = fields;
  const isText =
    (type === "prompt" || type === "steer") && typeof text === "string" && text.trim() !== "";
  if (isText || type === "abort") return { type, ...fields } as InputLine;
  if (
    type === "permission" &&
    typeof requestId === "string" &&
    (decision === "allow" || decision === "deny")
  )
    return { type, requestId, answer: { ...fields, decision } };
  throw new ValidationError("The input line has an unknown type or lacks a field", { hint: HINT });
}

function parsed(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return { ...value };
  } catch (cause) {
    throw new ValidationError("The input line is not valid JSON", { hint: HINT, cause });
  }
  return {};
}
