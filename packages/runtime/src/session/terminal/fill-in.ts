import type { JsonObject, JsonValue } from "../../messages/message.ts";
import type { PermissionResult } from "../../permissions/permission.ts";
import { visibleText } from "../../permissions/visible-text.ts";
import type { TerminalOutput } from "../../ports/terminal.ts";
import type { Elicitation } from "../approvals/elicitation.ts";

/** Lets a person at a terminal fill in a server's form, field by field. Enter alone keeps the value that is shown. */
export async function fillIn(
  terminal: TerminalOutput,
  { message, fields, answer, required, problems }: Elicitation,
  reason: string | undefined,
): Promise<PermissionResult> {
  for (const line of [reason, message, ...problems])
    if (line) terminal.writeLine(visibleText(line));
  if ((await terminal.select(["Answer", "Decline"], 1)) !== 0)
    return { allow: false, reason: "The person at the terminal declined." };
  const given: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const schema = isRecord(field) ? field : {};
    const isRequired = required.includes(name);
    const value = await ask(terminal, { name, schema, known: answer[name] ?? null, isRequired });
    if (value !== null) given[name] = value;
  }
  return { allow: true, updatedArgs: { answer: given } };
}

interface Field {
  name: string;
  schema: Record<string, unknown>;
  known: unknown;
  isRequired: boolean;
}

async function ask(terminal: TerminalOutput, field: Field): Promise<JsonValue> {
  const { name, schema, known, isRequired } = field;
  const { title, description, type } = schema;
  const label = typeof title === "string" ? title : name;
  const about = typeof description === "string" ? ` – ${description}` : "";
  const question = visibleText(`${label}${isRequired ? " (required)" : ""}${about}`, {
    singleLine: true,
  });
  const choices = choicesOf(schema);
  if (choices.length === 0) {
    const shown = known === null ? "" : ` [${visibleText(textOf(known), { singleLine: true })}]`;
    const typed = (await terminal.prompt(`${question}${shown}: `)).trim();
    return typed === "" ? (known as JsonValue) : valueOf(typed, type);
  }
  terminal.writeLine(question);
  const all = isRequired ? choices : [...choices, { label: "No answer", value: null }];
  const labels = all.map((choice) => visibleText(choice.label, { singleLine: true }));
  const initial = all.findIndex(({ value }) => value === known);
  const chosen = await terminal.select(labels, Math.max(initial, 0));
  return all[chosen]?.value ?? null;
}

/** The values of a field with few of them; none for one that is typed. */
function choicesOf({ type, enum: values, oneOf }: Field["schema"]) {
  if (type === "boolean") {
    return [
      { label: "Yes", value: true },
      { label: "No", value: false },
    ];
  }
  const constants = Array.isArray(oneOf) ? oneOf.filter(isRecord) : [];
  if (constants.length > 0) {
    return constants.map(({ const: value, title }) => ({
      label: String(title ?? value),
      value: value as JsonValue,
    }));
  }
  return (Array.isArray(values) ? values : []).map((value: JsonValue) => ({
    label: textOf(value),
    value,
  }));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What was typed as a value of the field's type. What does not fit stays text, so that the server's form refuses it. */
function valueOf(typed: string, type: unknown): JsonValue {
  if (type === "number" || type === "integer") {
    const number = Number(typed);
    return Number.isNaN(number) ? typed : number;
  }
  if (type === "array") return typed.split(",").map((item) => item.trim());
  return typed;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
