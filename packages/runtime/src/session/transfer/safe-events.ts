import type { Redactor } from "../../messages/redactor.ts";
import type { ReadRecord, StoredFields } from "../log/codec.ts";

/**
 * Records without secrets. Streamed pieces of one message are examined together, because a secret may span several:
 * they are returned with the next record, or by `end`.
 */
export class SafeEvents {
  readonly #redactor: Redactor;
  readonly #keepsGrants: boolean;
  #run: ReadRecord[] = [];
  /** Open calls that have lost a secret of their arguments. */
  readonly #withheld = new Set<string>();

  constructor(redactor: Redactor, keepsGrants: boolean) {
    this.#redactor = redactor;
    this.#keepsGrants = keepsGrants;
  }

  /** Ids of the calls without a result whose arguments are not what they were. */
  get withheldCalls(): string[] {
    // As the events name them.
    return [...this.#withheld].map((id) => this.#redactor.text(id));
  }

  take(record: ReadRecord): ReadRecord[] {
    const { fields } = record;
    this.#noteCalls(fields);
    const last = this.#run[0]?.fields;
    const isDelta = Array.isArray(fields["deltas"]);
    const continues =
      last?.type === fields.type && last["messageId"] === fields["messageId"] && isDelta;
    const done = continues ? [] : this.end();
    if (isDelta) this.#run.push(record);
    else done.push(...this.#safe(record));
    return done;
  }

  end(): ReadRecord[] {
    const run = this.#run;
    this.#run = [];
    const words = run.map(({ fields }) => deltasOf(fields));
    const whole = words.flat().join("");
    const safe = this.#redactor.text(whole);
    const isSafe = ({ fields }: ReadRecord): boolean =>
      this.#redactor.isSafe({ ...fields, deltas: [] });
    if (safe === whole && run.every(isSafe)) return run;
    // Keeps the number of pieces, and so their sequence numbers.
    return run.map(({ fields }, index) => ({
      fields: {
        ...(this.#redactor.value({ ...fields, deltas: [] }) as StoredFields),
        deltas: deltasOf(fields).map((_, at) => (index === 0 && at === 0 ? safe : "")),
      },
    }));
  }

  #noteCalls(fields: StoredFields): void {
    switch (fields.type) {
      case "turn_start":
      case "turn_end":
        return this.#withheld.clear();
      case "tool_end":
        return void this.#withheld.delete(String(fields["toolCallId"]));
      case "assistant_message": {
        const { message } = fields;
        const calls: unknown = isObject(message) ? message["toolCalls"] : undefined;
        for (const call of Array.isArray(calls) ? calls : [])
          if (isObject(call) && !this.#redactor.isSafe(call["args"]))
            this.#withheld.add(String(call["id"]));
        return undefined;
      }
      case "tool_start":
      case "permission_request":
      case "permission_decision":
        if (!this.#redactor.isSafe(fields)) this.#withheld.add(callOf(fields));
        return undefined;
      default:
        return undefined;
    }
  }

  #safe(record: ReadRecord): ReadRecord[] {
    const { fields } = record;
    if (!this.#keepsGrants && fields.type === "permission_revoked") return [];
    const mayStay = this.#keepsGrants || fields.type !== "permission_decision";
    if (mayStay && this.#redactor.isSafe(fields)) return [record];
    // Redacted JSON values stay JSON.
    const safe = this.#redactor.value(fields) as StoredFields;
    restoreOpaque(fields["message"], safe["message"]);
    return [{ fields: this.#keepsGrants ? safe : withoutGrant(safe) }];
  }
}

function deltasOf(record: StoredFields): string[] {
  return Array.isArray(record["deltas"]) ? record["deltas"].map(String) : [];
}

/** A decision without its grant. */
export function withoutGrant(record: StoredFields): StoredFields {
  const decision = record["decision"];
  if (record.type !== "permission_decision" || !isObject(decision)) return record;
  const { pattern: _, scope, ...rest } = decision;
  return {
    ...record,
    decision: scope === undefined ? rest : { ...rest, scope: "once" },
  };
}

/** Restores images and signatures, which are not text: a key in them is chance, and redaction would break them. */
function restoreOpaque(original: unknown, safe: unknown): void {
  if (!isObject(original) || !isObject(safe)) return;
  const [from, to] = [original["content"], safe["content"]];
  if (!Array.isArray(from) || !Array.isArray(to)) return;
  const parts: unknown[] = [];
  for (const [index, part] of to.entries()) {
    const before: unknown = from[index];
    if (!isObject(before) || !isObject(part)) continue;
    const isSigned = before["type"] === "thinking" && before["signature"] !== undefined;
    // A provider accepts a signed thought only unchanged.
    if (isSigned && before["text"] !== part["text"]) continue;
    const isOpaque = before["type"] === "image" || before["type"] === "file";
    if (isSigned) parts.push({ ...part, signature: before["signature"] });
    else parts.push(isOpaque ? { ...part, data: before["data"] } : part);
  }
  safe["content"] = parts;
}

/** The id of the call that a record is about. */
export function callOf(record: StoredFields): string {
  const { request } = record;
  return String(isObject(request) ? request["toolCallId"] : (record["toolCallId"] ?? ""));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
