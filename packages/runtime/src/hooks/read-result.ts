import type { JsonObject, JsonValue } from "../messages/message.ts";
import type { HookEvent } from "./events.ts";
import type { HookPermissionDecision, HookResult } from "./result.ts";

/** The answer of one hook, parsed from its result. */
export interface Verdict {
  block?: { reason: string };
  stop?: { reason: string };
  permission?: { decision: HookPermissionDecision; reason?: string };
  updatedInput?: JsonObject;
  additionalContext?: string;
  updatedToolOutput?: JsonValue;
  systemMessage?: string;
  suppressOutput?: boolean;
  retry?: boolean;
  /** The reason why it counts as failed. Its answer holds nevertheless, except for an allowance. */
  problem?: string;
}

/** Reports whether a verdict is empty. */
export function isSilent(verdict: Verdict): boolean {
  return Object.keys(verdict).length === 0;
}

/** Events at whose hooks a text that is not JSON is meant for the model. */
const TEXT_IS_CONTEXT: ReadonlySet<HookEvent> = new Set(["UserPromptSubmit", "SessionStart"]);

/** Parses exit code and output. Never throws: unreadable output becomes the verdict's `problem`. */
export function readResult(event: HookEvent, result: HookResult): Verdict {
  const { exitCode, stdout, stderr } = result;
  if (exitCode === 2) return { block: { reason: stderr.trim() } };
  if (exitCode !== 0) return { problem: failureText(exitCode, stderr) };
  const text = stdout.trim();
  if (text.startsWith("{")) return readJson(event, text);
  return text !== "" && TEXT_IS_CONTEXT.has(event) ? { additionalContext: text } : {};
}

function failureText(exitCode: number, stderr: string): string {
  const said = stderr.trim();
  return said === "" ? `ended with code ${exitCode}` : `ended with code ${exitCode}: ${said}`;
}

function readJson(event: HookEvent, text: string): Verdict {
  const output = parseObject(text);
  if (!output) return { problem: "wrote malformed JSON" };
  const reader = new FieldReader(output);
  const verdict: Verdict = {};
  readCommon(reader, verdict);
  const specific = reader.object("hookSpecificOutput");
  // Without the inner object, its fields are read from the outer one, so that a misplaced `deny` still holds.
  if (!specific) {
    readSpecific(reader, verdict);
  } else {
    const inner = new FieldReader(specific, reader.problems);
    const name = inner.text("hookEventName");
    if (name === undefined || name === event) {
      readSpecific(inner, verdict);
      readPermissionAnswer(inner, verdict);
    } else {
      reader.problems.push(`answered ${name} where ${event} was asked`);
    }
  }
  if (reader.problems.length === 0) return verdict;
  const { permission, ...rest } = verdict;
  const problem = reader.problems.join("; ");
  // An allowance may have been meant for the unreadable part, such as another input.
  if (!permission || permission.decision === "allow") return { ...rest, problem };
  return { ...rest, permission, problem };
}

function readCommon(reader: FieldReader, verdict: Verdict): void {
  const stopReason = reader.text("stopReason");
  if (reader.flag("continue") === false) verdict.stop = { reason: stopReason ?? "" };
  const reason = reader.text("reason");
  const decision = reader.word("decision", ["block", "approve"]);
  if (decision === "block") verdict.block = { reason: reason ?? "" };
  if (decision === "approve") verdict.permission = withReason("allow", reason);
  const systemMessage = reader.text("systemMessage");
  if (systemMessage) verdict.systemMessage = systemMessage;
  if (reader.flag("suppressOutput")) verdict.suppressOutput = true;
}

function readSpecific(reader: FieldReader, verdict: Verdict): void {
  const permission = reader.word("permissionDecision", ["allow", "ask", "deny"]);
  const reason = reader.text("permissionDecisionReason");
  if (permission) verdict.permission = withReason(permission, reason);
  if (permission === "deny") verdict.block ??= { reason: reason ?? "" };
  const updatedInput = reader.object("updatedInput");
  if (updatedInput) verdict.updatedInput = updatedInput;
  const additionalContext = reader.text("additionalContext");
  if (additionalContext) verdict.additionalContext = additionalContext;
  const updatedToolOutput = reader.value("updatedToolOutput");
  if (updatedToolOutput !== undefined) verdict.updatedToolOutput = updatedToolOutput;
  if (reader.flag("retry")) verdict.retry = true;
}

function readPermissionAnswer(specific: FieldReader, verdict: Verdict): void {
  const answer = specific.object("decision");
  if (!answer) return;
  const reader = new FieldReader(answer, specific.problems);
  const message = reader.text("message");
  const behavior = reader.word("behavior", ["allow", "deny"]);
  if (behavior === "allow") verdict.permission ??= withReason("allow", message);
  if (behavior === "deny") {
    verdict.permission = withReason("deny", message);
    verdict.block ??= { reason: message ?? "" };
    if (reader.flag("interrupt")) verdict.stop ??= { reason: message ?? "" };
  }
  const updatedInput = reader.object("updatedInput");
  if (updatedInput) verdict.updatedInput ??= updatedInput;
}

function withReason(
  decision: HookPermissionDecision,
  reason: string | undefined,
): { decision: HookPermissionDecision; reason?: string } {
  return reason ? { decision, reason } : { decision };
}

/** An object of JSON, without the key that would set its copies' prototype; `undefined` for any other text. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text, (key, item: unknown) =>
      key === "__proto__" ? undefined : item,
    );
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads typed fields of an untrusted object, and notes invalid ones. */
class FieldReader {
  readonly problems: string[];
  readonly #fields: JsonObject;

  constructor(fields: JsonObject, problems: string[] = []) {
    this.#fields = fields;
    this.problems = problems;
  }

  value(name: string): JsonValue | undefined {
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? undefined) : undefined;
  }

  text(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === "string") return value;
    return this.#wrong(name, "a text");
  }

  flag(name: string): boolean | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === "boolean") return value;
    return this.#wrong(name, "true or false");
  }

  object(name: string): JsonObject | undefined {
    const value = this.value(name);
    if (value === undefined || isJsonObject(value)) return value;
    return this.#wrong(name, "an object");
  }

  word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.value(name);
    const word = words.find((candidate) => candidate === value);
    return value === undefined || word !== undefined ? word : this.#wrong(name, words.join(" or "));
  }

  #wrong(name: string, expected: string): undefined {
    this.problems.push(`${name} must be ${expected}`);
  }
}
