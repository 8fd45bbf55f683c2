import { ValidationError } from "../../errors.ts";
import type { SentFile } from "../../interactive/attachments.ts";
import type { PermissionResult } from "../../permissions/permission.ts";

/** One line of JSON from a program that drives a session. */
export type InputLine =
  | {
      type: "prompt";
      text: string;
      displayText?: string;
      /** Images and files, as over HTTP. */
      attachments?: readonly SentFile[];
    }
  | { type: "permission"; requestId: string; answer: Exclude<PermissionResult, string | boolean> }
  | { type: "steer"; text: string }
  | { type: "abort" };

const HINT =
  'Write lines such as {"type":"prompt","text":"…","attachments":[{"mediaType":"image/png","data":"…"}]}, {"type":"permission","requestId":"…","decision":"allow"}, {"type":"steer","text":"…"} or {"type":"abort"}.';

/** Parses a line. @throws {ValidationError} for any other line than those of the hint */
export function readInputLine(line: string): InputLine {
  const { type, requestId, ...fields } = parsed(line);
  const { text, decision } = fields;
  const isText = typeof text === "string" && text.trim() !== "";
  if (type === "abort" || (isText && type === "steer")) return { type, ...fields } as InputLine;
  if (type === "prompt" && areFiles(fields["attachments"]) && (isText || hasFiles(fields)))
    return { text: "", ...fields, type } as InputLine;
  if (
    type === "permission" &&
    typeof requestId === "string" &&
    (decision === "allow" || decision === "deny")
  )
    return { type, requestId, answer: { ...fields, decision } };
  throw new ValidationError("The input line has an unknown type or lacks a field", { hint: HINT });
}

function areFiles(attachments: unknown): boolean {
  if (attachments === undefined) return true;
  return Array.isArray(attachments) && attachments.every(isFile);
}

function isFile(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { data, mediaType = "", name = "" } = value as Partial<Record<keyof SentFile, unknown>>;
  return [data, mediaType, name].every((field) => typeof field === "string");
}

function hasFiles({ text = "", attachments }: Record<string, unknown>): boolean {
  return typeof text === "string" && Array.isArray(attachments) && attachments.length > 0;
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
