import { ValidationError } from "../../errors.ts";
import type { PermissionResult } from "../../permissions/permission.ts";

/** One line of a program that drives a session by lines of JSON. */
export type InputLine =
  | { type: "prompt"; text: string; displayText?: string }
  | ({ type: "permission"; requestId: string } & Exclude<PermissionResult, string | boolean>)
  | { type: "steer"; text: string }
  | { type: "abort" };

const HINT =
  'Write lines such as {"type":"prompt","text":"…"}, {"type":"permission","requestId":"…","decision":"allow"}, {"type":"steer","text":"…"} or {"type":"abort"}.';

/** @throws {ValidationError} */
export function readInputLine(line: string): InputLine {
  const value = parsed(line);
  const { type, text, requestId, decision } = value;
  const isKnown =
    ((type === "prompt" || type === "steer") && typeof text === "string" && text.trim() !== "") ||
    type === "abort" ||
    (type === "permission" &&
      typeof requestId === "string" &&
      (decision === "allow" || decision === "deny"));
  if (isKnown) return value as unknown as InputLine;
  throw new ValidationError("A line of the input is none of a known type", { hint: HINT });
}

function parsed(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return { ...value };
  } catch (cause) {
    throw new ValidationError("A line of the input is no JSON", { hint: HINT, cause });
  }
  return {};
}
